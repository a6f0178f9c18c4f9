#include "report/picture.h"

#include <libdeflate.h>

#include <array>
#include <memory>

#include "base/error.h"

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

namespace {

// Level 6 takes 2.3 times as long for five per cent less.
constexpr int kLevel = 4;
constexpr int kBestLevel = 12;

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const {
    libdeflate_free_compressor(compressor);
  }
};

Blob compress_at(int level, std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(level));
  ensures(compressor != nullptr, "there is memory for a compressor");
  Blob blob;
  blob.bytes = bytes.size();
  blob.zlib.resize(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()));
  blob.zlib.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(),
                                            blob.zlib.data(), blob.zlib.size()));
  blob.zlib.shrink_to_fit();
  return blob;
}

}  // namespace

Blob compress(std::string_view bytes) {
  return compress_at(kLevel, bytes);
}

Blob compress_well(std::string_view bytes) {
  return compress_at(kBestLevel, bytes);
}

void append_base64(std::string& to, std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  to.reserve(to.size() + base64_size(bytes.size()));
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    std::array<char, 4> four{kDigits[group >> 18 & 63], kDigits[group >> 12 & 63],
                             kDigits[group >> 6 & 63], kDigits[group & 63]};
    if (i + 1 >= bytes.size()) four[2] = '=';
    if (i + 2 >= bytes.size()) four[3] = '=';
    to.append(four.data(), four.size());
  }
}

}  // namespace slackline
