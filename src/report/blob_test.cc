#include "report/picture.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <string>

namespace slackline {
namespace {

std::string inflated(const Blob& blob) {
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  std::string bytes(blob.bytes, '\0');
  std::size_t got = 0;
  EXPECT_EQ(LIBDEFLATE_SUCCESS,
            libdeflate_zlib_decompress(decompressor, blob.zlib.data(), blob.zlib.size(),
                                       bytes.data(), bytes.size(), &got));
  libdeflate_free_decompressor(decompressor);
  EXPECT_EQ(got, blob.bytes);
  return bytes;
}

std::string base64(std::string_view bytes) {
  std::string text;
  append_base64(text, bytes);
  EXPECT_EQ(text.size(), base64_size(bytes.size()));
  return text;
}

TEST(Blob, inflates_to_what_it_was) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += static_cast<char>(i * i % 251);
  const Blob blob = compress(text);
  EXPECT_LT(blob.zlib.size(), text.size());
  EXPECT_EQ(inflated(blob), text);
  EXPECT_EQ(inflated(compress("")), "");
}

// RFC 4648, section 10.
TEST(Base64, of_the_standards_examples) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xfb\xff\xfe"), "+//+");
}

TEST(ByteColumn, writes_varints_and_signs) {
  ByteColumn column;
  column.varint(0);
  column.varint(127);
  column.varint(300);  // 0b10'0101100
  column.zigzag(-1);
  column.zigzag(1);
  column.zigzag(-65);
  column.u8(255);
  EXPECT_EQ(column.bytes(), std::string("\x00\x7f\xac\x02\x01\x02\x81\x01\xff", 9));
}

}  // namespace
}  // namespace slackline
