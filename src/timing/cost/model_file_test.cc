#include "timing/cost/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;

/// A file that exists as long as the test.
class ModelFile : public ::testing::Test {
 protected:
  ModelSettings read(std::string_view text) {
    std::ofstream(path_) << text;
    return read_model_file(path_);
  }
  std::string error_of(std::string_view text) {
    return error_text([&] { read(text); });
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_ / "model.toml";
};

TEST_F(ModelFile, ReadsAllFourParameters) {
  const ModelSettings s =
      read("[loggps]\nL = \"3us\"\no = \"500ns\"\nG = \"0.018ns/B\"\nS = \"256KiB\"\n");
  EXPECT_EQ(s.latency_fs, 3'000'000'000);
  EXPECT_EQ(s.overhead_fs, 500'000'000);
  EXPECT_EQ(s.gap_per_byte_fs, 18'000);
  EXPECT_EQ(s.eager_threshold_bytes, 262'144u);
}

TEST_F(ModelFile, ABandwidthIsTheGapsInverse) {
  // 56 Gbit/s are 7 bytes a nanosecond: 142857 fs a byte.
  EXPECT_EQ(read("[loggps]\nG = \"56Gb/s\"\n").gap_per_byte_fs, 142'857);
}

TEST_F(ModelFile, WhatIsMissingStaysUnset) {
  const ModelSettings s = read("# nothing but o\n[loggps]\no = \"1us\"\n");
  EXPECT_FALSE(s.latency_fs || s.gap_per_byte_fs || s.eager_threshold_bytes);
  EXPECT_EQ(s.overhead_fs, 1'000'000'000);
}

TEST_F(ModelFile, ErrorsSayLineAndColumn) {
  EXPECT_THAT(error_of("[loggps]\nL = \"3us\"\n  q = \"1us\"\n"),
              ::testing::AllOf(HasSubstr("unknown parameter q"), HasSubstr(".toml:3:")));
  EXPECT_THAT(error_of("[loggps]\n\no = 5\n"),
              ::testing::AllOf(HasSubstr(".toml:3:5"), HasSubstr("a string with a unit")));
  EXPECT_THAT(error_of("[loggps]\nL = \"3\"\n"),
              ::testing::AllOf(HasSubstr("L in"), HasSubstr(".toml:2:5")));
  EXPECT_THAT(error_of("[loggps]\nL = \n"), HasSubstr(".toml:2:"));
}

TEST_F(ModelFile, OtherFilesAreRefused) {
  EXPECT_THAT(error_of("[network]\nL = \"3us\"\n"), HasSubstr("it has no table [loggps]"));
  EXPECT_THAT(error_of("loggps = 3\n"), HasSubstr("it has no table [loggps]"));
  EXPECT_THAT(error_of(std::string_view("\x7f"
                                        "ELF\0\1",
                                        6)),
              HasSubstr(".toml:1:"));
  EXPECT_THROW(read_model_file("/nonexistent/model.toml"), Error);
}

}  // namespace
}  // namespace slackline
