#include "memory_reader.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace slackline::record {
namespace {

/// Three pages, of which the last cannot be read.
class MemoryReaderTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kPage = 4096;
  void SetUp() override {
    void* const at =
        mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(at, MAP_FAILED);
    memory_ = static_cast<char*>(at);
    for (std::size_t i = 0; i < 3 * kPage; ++i) memory_[i] = static_cast<char>(i % 251);
    ASSERT_EQ(mprotect(memory_ + 2 * kPage, kPage, PROT_NONE), 0);
  }
  void TearDown() override { munmap(memory_, 3 * kPage); }
  std::uint64_t address(std::size_t offset) const {
    return reinterpret_cast<std::uint64_t>(memory_) + offset;
  }

  char* memory_ = nullptr;
  char into_[2 * kPage] = {};
};

TEST_F(MemoryReaderTest, ReadsWhatIsThere) {
  ASSERT_TRUE(MemoryReader::usable());
  MemoryReader reader;
  for (const std::size_t offset : {std::size_t{0}, std::size_t{5}, kPage - 3}) {
    ASSERT_TRUE(reader.read(address(offset), into_, kPage));
    EXPECT_EQ(std::memcmp(into_, memory_ + offset, kPage), 0);
  }
  ASSERT_TRUE(reader.read(address(2 * kPage - 8), into_, 8));
}

TEST_F(MemoryReaderTest, RefusesWhatCannotBeRead) {
  MemoryReader reader;
  errno = 7;
  EXPECT_FALSE(reader.read(address(2 * kPage), into_, 1));
  EXPECT_FALSE(reader.read(address(2 * kPage - 4), into_, 8));
  EXPECT_FALSE(reader.read(0, into_, 8));
  EXPECT_FALSE(reader.read(8, into_, 8));
  EXPECT_FALSE(reader.read(0x1234567890abcdef, into_, 8));  // no address of this processor
  EXPECT_FALSE(reader.read(UINT64_MAX - 3, into_, 8));
  EXPECT_FALSE(reader.read(address(0), into_, SIZE_MAX - 100));
  EXPECT_EQ(errno, 7);
}

}  // namespace
}  // namespace slackline::record
