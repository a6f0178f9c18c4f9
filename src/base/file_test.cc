#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  ScratchFolder scratch_;
  const fs::path& dir_ = scratch_.path();
};

TEST_F(FileTest, what_is_written_is_read) {
  write_file(dir_ / "a", "hello");
  EXPECT_EQ(MappedFile(dir_ / "a").text(), "hello");
}

TEST_F(FileTest, an_empty_file_is_an_empty_span) {
  write_file(dir_ / "a", "");
  EXPECT_TRUE(MappedFile(dir_ / "a").bytes().empty());
}

TEST_F(FileTest, without_commit_nothing_stays) {
  {
    OutputFile file(dir_ / "a");
    file.write("half");
  }
  EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_F(FileTest, without_commit_the_old_content_stays) {
  write_file(dir_ / "a", "old");
  {
    OutputFile file(dir_ / "a");
    file.write("new");
  }
  EXPECT_EQ(MappedFile(dir_ / "a").text(), "old");
}

TEST_F(FileTest, text_has_no_byte_order_mark) {
  write_file(dir_ / "a", "\xEF\xBB\xBFtext");
  EXPECT_EQ(MappedFile(dir_ / "a").text(), "text");
  EXPECT_EQ(MappedFile(dir_ / "a").bytes().size(), 7u);
}

TEST_F(FileTest, a_missing_file_is_an_error_with_the_reason) {
  try {
    MappedFile file(dir_ / "none");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos);
  }
}

TEST_F(FileTest, a_directory_is_no_file) {
  EXPECT_THROW(MappedFile file(dir_), Error);
}

TEST_F(FileTest, a_large_file_is_whole_and_in_order) {
  std::string all;
  for (int i = 0; all.size() < (5 << 20); ++i) all += std::to_string(i) + '\n';
  OutputFile file(dir_ / "a");
  for (std::size_t at = 0; at < all.size(); at += 1000) {
    file.write(std::string_view(all).substr(at, 1000));
  }
  file.commit();
  EXPECT_EQ(MappedFile(dir_ / "a").text(), all);
}

TEST_F(FileTest, pieces_stand_in_order_behind_what_was_written_before) {
  const auto piece_text = [](std::size_t index) {
    return std::string(index * 7919 % 50'000, static_cast<char>('a' + index % 26));
  };
  std::string all = "before";
  for (std::size_t i = 0; i < 200; ++i) all += piece_text(i);
  OutputFile file(dir_ / "a");
  file.write("before");
  file.write_pieces(
      200, [&](std::size_t index, FilePiece& piece) { piece.text().append(piece_text(index)); });
  file.write("behind");
  EXPECT_EQ(file.size(), all.size() + 6);
  file.commit();
  EXPECT_EQ(MappedFile(dir_ / "a").text(), all + "behind");
}

TEST_F(FileTest, large_pieces_are_written_as_they_grow) {
  constexpr std::size_t kPieces = 5;
  constexpr std::size_t kPart = 1 << 20;
  OutputFile file(dir_ / "a");
  file.write_pieces(kPieces, [&](std::size_t index, FilePiece& piece) {
    for (int part = 0; part < 20; ++part) {
      piece.text().append(std::string(kPart, static_cast<char>('a' + index)));
      piece.flush();
      EXPECT_LT(piece.text().size(), 10 * kPart);
    }
  });
  file.commit();
  const MappedFile written(dir_ / "a");
  ASSERT_EQ(written.text().size(), kPieces * 20 * kPart);
  for (std::size_t at = 0; at < written.text().size(); at += kPart / 2) {
    EXPECT_EQ(written.text()[at], static_cast<char>('a' + at / (20 * kPart)));
  }
}

TEST_F(FileTest, a_piece_that_fails_ends_the_others) {
  OutputFile file(dir_ / "a");
  EXPECT_THROW(file.write_pieces(1000,
                                 [](std::size_t index, FilePiece& piece) {
                                   if (index == 3) throw Error("no piece", "a test", "");
                                   piece.text().append("text");
                                 }),
               Error);
}

TEST_F(FileTest, without_commit_nothing_stays_of_a_large_file) {
  {
    OutputFile file(dir_ / "a");
    for (int i = 0; i < 3; ++i) file.write(std::string(1 << 20, 'x'));
  }
  EXPECT_TRUE(fs::is_empty(dir_));
}

// No file of this process may grow beyond a limit, as if the disk were full.
class FullDisk : public FileTest {
 protected:
  static constexpr std::size_t kBytes = 1 << 20;
  FullDisk() {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = kBytes + kBytes / 2;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() override { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(FullDisk, is_said_when_the_file_is_finished) {
  EXPECT_THROW(write_file(dir_ / "a", std::string(kBytes, 'x') + std::string(kBytes, 'y')), Error);
  EXPECT_TRUE(fs::is_empty(dir_));
}

TEST_F(FullDisk, is_said_while_writing) {
  EXPECT_THROW(
      {
        OutputFile file(dir_ / "a");
        for (;;) file.write(std::string(kBytes, 'x'));
      },
      Error);
  EXPECT_TRUE(fs::is_empty(dir_));
}

}  // namespace
}  // namespace slackline
