#include "calibration/samples.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/testing/error_text.h"
#include "base/testing/scratch_folder.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;

/// Two rounds of a machine, without what a test puts in their place.
class SamplesTest : public ::testing::Test {
 protected:
  CalibrationSamples read(const std::string& line = "") {
    const std::filesystem::path path = scratch_.path() / "machine.samples";
    write_file(path, "# slackline calibration samples 1\nrtt 0 8 1 3000\nrtt 1 8 1 3010\n" + line);
    return read_samples(path);
  }
  std::string error_of(const std::string& line) {
    return error_text([&] { read(line); });
  }

  ScratchFolder scratch_;
};

TEST_F(SamplesTest, HoldWhatWasMeasured) {
  const CalibrationSamples samples = read("# clock_ns 20\nrtt 0 16 1 4000\n");
  EXPECT_EQ(samples[Quantity::round_trip].sizes, (std::vector<double>{8, 16}));
  EXPECT_EQ(samples[Quantity::round_trip].rounds.at(1).at(0), 2990);
}

TEST_F(SamplesTest, WhatNoMachineGivesIsRefusedWithItsLine) {
  for (const char* number : {"nan", "inf", "-inf", "-1", "1e300"}) {
    for (const char* line :
         {"rtt 1 {} 1 9\n", "send 1 8 {} 9\n", "rtt 1 8 1 {}\n", "# pair 0 1 8 {} 16 9 0\n",
          "# pair 0 1 8 9 16 {} 0\n", "# pair 0 1 8 9 16 9 {}\n", "# clock_ns {}\n",
          "# seconds {}\n", "# without_processor {}\n"}) {
      const std::string damaged = fmt::format(fmt::runtime(line), number);
      EXPECT_THAT(error_of(damaged), HasSubstr("line 4 ")) << damaged;
    }
  }
}

}  // namespace
}  // namespace slackline
