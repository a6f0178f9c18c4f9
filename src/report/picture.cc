#include "report/picture.h"

namespace slackline {
namespace {

auto blob_object(std::size_t number, const Blob& blob) {
  return Object{"blob"_key = number, "bytes"_key = blob.bytes};
}

}  // namespace

const JsonType& declared_type(const BlobJsonTag*) {
  return json_type_by<blob_object>();
}

BlobJson blob_reference(const Blob& blob, BlobList& blobs) {
  blobs.push_back(&blob);
  return blob_object(blobs.size() - 1, blob);
}

}  // namespace slackline
