#include "descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "raw_file.h"

namespace slackline::record {
namespace {

namespace fs = std::filesystem;

class DescriptorTest : public ::testing::Test {
 protected:
  DescriptorTest() {
    char name[] = "/tmp/slackline-descriptor-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~DescriptorTest() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  int create(const char* name) const {
    return open(path(name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  }
  std::string content(const char* name) const {
    std::ifstream in(path(name), std::ios::binary);
    return (std::stringstream() << in.rdbuf()).str();
  }

  fs::path folder_;
};

/// As a program that closes numbers that it does not know, and opens or makes its own file there.
void take_number(int number, int own) {
  ASSERT_EQ(dup2(own, number), number);
}

TEST_F(DescriptorTest, LiesFarAboveWhatTheProgramGets) {
  const int first = create("a");
  Descriptor held;
  ASSERT_TRUE(held.hold(first));
  EXPECT_GT(held.number(), 100);
  EXPECT_NE(fcntl(held.number(), F_GETFD) & FD_CLOEXEC, 0);
  const int next = create("b");
  EXPECT_EQ(next, first) << "the program gets the numbers that it would get without it";
  close(next);
  held.close();
}

TEST_F(DescriptorTest, IsNotWhatTheProgramHasPutThere) {
  Descriptor held;
  ASSERT_TRUE(held.hold(create("recorder")));
  const int number = held.number();
  const int own = create("program");
  take_number(number, own);
  EXPECT_EQ(held.number(), -1);
  held.close();
  EXPECT_NE(fcntl(number, F_GETFD), -1) << "the program's file stays open";
  close(number);
  close(own);
}

TEST_F(DescriptorTest, TakesBackTheSameFileOnly) {
  Descriptor held;
  ASSERT_TRUE(held.hold(create("recorder")));
  close(held.number());
  EXPECT_EQ(held.number(), -1);
  errno = 0;
  EXPECT_FALSE(held.hold_again(create("other")));
  EXPECT_EQ(errno, ESTALE);
  EXPECT_TRUE(held.hold_again(create("recorder")));
  EXPECT_GE(held.number(), 0);
  held.close();
}

/// Writes so many records that the stage is emptied often.
void record_much(RawFile& file, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i) {
    if (!file.reserve(1)) return;
    *file.head() = slk_record{};
    file.head()->bytes = i;
    file.head()->op = SLK_OP_barrier;
    file.advance(1);
  }
}

TEST_F(DescriptorTest, RecordingGoesOnInItsOwnFile) {
  constexpr std::uint64_t kRecords = 5'000;
  RawFile file;
  ASSERT_TRUE(file.create(path("raw").c_str(), slk_raw_header{}));
  const int own = create("program");
  record_much(file, 0, kRecords);
  struct stat raw {};
  struct stat other {};
  ASSERT_EQ(stat(path("raw").c_str(), &raw), 0);
  for (int fd = 3; fd < 4096; ++fd) {
    if (fd != own && fstat(fd, &other) == 0 && other.st_ino == raw.st_ino) take_number(fd, own);
  }
  record_much(file, kRecords, kRecords);
  EXPECT_FALSE(file.full());
  file.finish();
  EXPECT_EQ(content("program"), "");
  const std::string written = content("raw");
  slk_raw_header header;
  ASSERT_GT(written.size(), sizeof header);
  std::memcpy(&header, written.data(), sizeof header);
  std::uint64_t next = 0;
  const char* at = written.data() + SLK_RAW_HEADER_BYTES + header.stage_bytes;
  for (std::uint64_t i = 0; i < header.appended_bytes / sizeof(slk_record); ++i) {
    slk_record record;
    std::memcpy(&record, at + i * sizeof record, sizeof record);
    if (record.op == SLK_OP_barrier) {
      EXPECT_EQ(record.bytes, next++);
    }
  }
  EXPECT_EQ(next, 2 * kRecords);
  close(own);
}

TEST_F(DescriptorTest, RecordingEndsWithItsReason) {
  RawFile file;
  ASSERT_TRUE(file.create(path("raw").c_str(), slk_raw_header{}));
  struct stat raw {};
  struct stat other {};
  ASSERT_EQ(stat(path("raw").c_str(), &raw), 0);
  for (int fd = 3; fd < 4096; ++fd) {
    if (fstat(fd, &other) == 0 && other.st_ino == raw.st_ino) close(fd);
  }
  fs::rename(path("raw"), path("moved"));
  record_much(file, 0, 5'000);
  EXPECT_TRUE(file.full());
  EXPECT_EQ(file.error(), ENOENT);
}

}  // namespace
}  // namespace slackline::record
