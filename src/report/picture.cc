#include "report/picture.h"

namespace slackline {

Json blob_reference(const Blob& blob, BlobList& blobs) {
  blobs.push_back(&blob);
  return {{"blob", blobs.size() - 1}, {"bytes", blob.bytes}};
}

}  // namespace slackline
