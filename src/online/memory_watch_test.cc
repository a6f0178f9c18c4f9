#include "online/simulator_process.h"

#include <gtest/gtest.h>

#include "base/testing/error_text.h"

namespace slackline::online {
namespace {

constexpr std::uint64_t kMebi = 1 << 20;

TEST(MemoryWatch, EndsTheRunBeforeMemoryRunsOut) {
  AvailableMemory now{1000 * kMebi, 3200 * kMebi, 0, "MemAvailable"};
  MemoryWatch fits([&] { return now; });
  EXPECT_EQ(error_text([&] { fits.check(); }), "no error");
  MemoryWatch watch([&] { return now; });
  now.bytes = 99 * kMebi;
  EXPECT_EQ(error_text([&] { watch.check(); }),
            "the simulation was ended: its processes have left 99.0 MiB of 3.1 GiB of memory "
            "(MemAvailable). Simulate fewer ranks or a smaller problem, or allow more with "
            "--memory.");
}

TEST(MemoryWatch, LetsRunWhatBeganWithLittle) {
  AvailableMemory now{80 * kMebi, 3200 * kMebi, 0, "MemAvailable"};
  MemoryWatch watch([&] { return now; });
  now.bytes = 20 * kMebi;
  EXPECT_EQ(error_text([&] { watch.check(); }), "no error");
}

TEST(MemoryWatch, KnowsNoLimitWhereTheSystemSaysNone) {
  MemoryWatch watch([] { return AvailableMemory{}; });
  EXPECT_EQ(error_text([&] { watch.check(); }), "no error");
}

}  // namespace
}  // namespace slackline::online
