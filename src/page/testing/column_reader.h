#pragma once

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cstdint>
#include <string>
#include <vector>

#include "report/picture.h"

namespace slackline::testing {

inline std::string inflated(const Blob& blob) {
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  std::string bytes(blob.bytes, '\0');
  EXPECT_EQ(LIBDEFLATE_SUCCESS,
            libdeflate_zlib_decompress(decompressor, blob.zlib.data(), blob.zlib.size(),
                                       bytes.data(), bytes.size(), nullptr));
  libdeflate_free_decompressor(decompressor);
  return bytes;
}

/// Reads columns as doc/formats/page.md says.
class ColumnReader {
 public:
  explicit ColumnReader(const Blob& blob) : bytes_(inflated(blob)) {}

  std::uint64_t u8() { return static_cast<unsigned char>(bytes_.at(at_++)); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint64_t byte = u8();
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
  std::int64_t zigzag() {
    const std::uint64_t z = varint();
    return z % 2 == 0 ? static_cast<std::int64_t>(z / 2) : -static_cast<std::int64_t>((z + 1) / 2);
  }
  std::vector<std::int64_t> varints(std::size_t n) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<std::int64_t>(varint()));
    return values;
  }
  std::vector<std::int64_t> zigzags(std::size_t n) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(zigzag());
    return values;
  }
  std::vector<std::int64_t> split(std::size_t n) {
    const std::vector<int> low = bytes(n);
    std::vector<std::int64_t> values = varints(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = 256 * values[i] + low[i];
    return values;
  }
  std::vector<int> bytes(std::size_t n) {
    std::vector<int> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<int>(u8()));
    return values;
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace slackline::testing
