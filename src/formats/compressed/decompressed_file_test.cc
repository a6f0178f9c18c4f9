#include "formats/compressed/decompressed_file.h"

#include <gmock/gmock.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>

#include "base/error.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

std::string gzipped(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

/// With a checksum, as the program zstd writes: without one, damage may pass.
std::string zstd_compressed(std::string_view text) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

std::string xz_compressed(std::string_view text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                    reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                    reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  out.resize(size);
  return out;
}

using Compress = std::string (*)(std::string_view);
constexpr Compress kAllWays[]{gzipped, zstd_compressed, xz_compressed};

/// Longer than the pieces that are decompressed at a time.
std::string long_text() {
  std::string text;
  for (std::int64_t i = 0; text.size() < (std::size_t{3} << 20); ++i)
    text += std::to_string(i * i) + "\n";
  return text;
}

class DecompressedFileTest : public ::testing::Test {
 protected:
  std::filesystem::path write(std::string_view bytes) const {
    const std::filesystem::path path = scratch_.path() / "file";
    write_file(path, bytes);
    return path;
  }
  ScratchFolder scratch_;
};

TEST_F(DecompressedFileTest, GivesTheContent) {
  for (const std::string& text : {std::string(), std::string("0 init\n"), long_text()}) {
    for (const Compress compress : kAllWays) {
      const DecompressedFile file(write(compress(text)));
      EXPECT_TRUE(file.compressed());
      EXPECT_TRUE(file.text() == text);
    }
  }
}

TEST_F(DecompressedFileTest, MembersFollowEachOther) {
  for (const Compress compress : kAllWays) {
    const DecompressedFile file(write(compress("one\n") + compress("two\n")));
    EXPECT_EQ(file.text(), "one\ntwo\n");
  }
}

TEST_F(DecompressedFileTest, APlainFileIsItsOwnContent) {
  const DecompressedFile file(write("0 init\n"));
  EXPECT_FALSE(file.compressed());
  EXPECT_EQ(file.text(), "0 init\n");
}

TEST_F(DecompressedFileTest, DecompressesNoMoreThanIsNeeded) {
  for (const Compress compress : kAllWays) {
    const DecompressedFile file(write(compress(long_text())), 100);
    EXPECT_EQ(file.text(), long_text().substr(0, 100));
  }
}

TEST_F(DecompressedFileTest, DataThatEndEarlyAreAnError) {
  for (const Compress compress : kAllWays) {
    const std::string whole = compress(long_text());
    for (const std::size_t size : {whole.size() / 2, whole.size() - 1}) {
      EXPECT_THROW(DecompressedFile(write(whole.substr(0, size))), Error);
    }
    EXPECT_EQ(DecompressedFile(write(whole.substr(0, whole.size() / 2)), 10).text().size(), 10u);
  }
}

TEST_F(DecompressedFileTest, DamagedDataAreAnError) {
  for (const Compress compress : kAllWays) {
    std::string bytes = compress(long_text());
    for (std::size_t i = 0; i < 64; ++i) bytes[bytes.size() / 2 + i] ^= '\x55';
    EXPECT_THROW(DecompressedFile{write(bytes)}, Error);
  }
}

TEST_F(DecompressedFileTest, NamesWithAndWithoutSuffix) {
  EXPECT_EQ(without_compression_suffix("a/x.prv.zst"), "a/x.prv");
  EXPECT_EQ(without_compression_suffix("a/x.prv"), "a/x.prv");
  write("");
  const std::filesystem::path folder = scratch_.path();
  write_file(folder / "rank.txt.xz", "");
  EXPECT_EQ(with_compression_suffix(folder / "file"), folder / "file");
  EXPECT_EQ(with_compression_suffix(folder / "rank.txt"), folder / "rank.txt.xz");
  EXPECT_EQ(with_compression_suffix(folder / "missing"), folder / "missing");
}

TEST(DecompressedFile, IsRefusedWhereItsContentIsAMultiple) {
  const ScratchFolder folder;
  const std::string regular(std::size_t{60} << 20, 'x');
  const std::string bomb(std::size_t{65} << 20, 'x');
  for (const Compress compress : kAllWays) {
    write_file(folder / "regular", compress(regular));
    EXPECT_EQ(DecompressedFile(folder / "regular").text().size(), regular.size());
    write_file(folder / "bomb", compress(bomb));
    EXPECT_THAT(error_text([&] { DecompressedFile(folder / "bomb"); }),
                testing::HasSubstr("more than 64 times as large"));
    ::setenv("SLACKLINE_MAX_EXPANSION", "1000000", 1);
    EXPECT_EQ(DecompressedFile(folder / "bomb").text().size(), bomb.size());
    ::unsetenv("SLACKLINE_MAX_EXPANSION");
  }
  ::setenv("SLACKLINE_MAX_EXPANSION", "much", 1);
  EXPECT_THAT(error_text([&] { DecompressedFile(folder / "bomb"); }),
              testing::HasSubstr("SLACKLINE_MAX_EXPANSION=much"));
  ::unsetenv("SLACKLINE_MAX_EXPANSION");
}

TEST(DecompressedFile, HasNoByteOrderMark) {
  const ScratchFolder folder;
  write_file(folder / "a", gzipped("\xEF\xBB\xBFtext"));
  EXPECT_EQ(DecompressedFile(folder / "a").text(), "text");
}

}  // namespace
}  // namespace slackline
