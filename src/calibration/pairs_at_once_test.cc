#include "calibration/pairs_at_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibration/machine_file.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// 1 MiB there and back takes 20 us, and 80 us for its bytes, of which `factor` pairs have what
/// they have alone.
constexpr double kBytes = 1 << 20;
double planted_ns(double pairs, double factor) {
  return 20e3 + 80e3 * std::max(1.0, pairs / factor);
}

LogGPSFit line() {
  LogGPSFit f;
  for (double x = kBytes; x < 4.5 * kBytes; x += kBytes / 2) {
    f.one_way.points.push_back({x, 10e3 + 40e3 * x / kBytes, 1});
  }
  return f;
}

CalibrationSamples measured(double factor, std::int32_t most) {
  CalibrationSamples s;
  s.pairs_placed = s.pairs_started = most;
  for (const double noise : {0.99, 1.0, 1.01}) {
    for (std::int32_t k = 1; k <= most; ++k) {
      s.pairs_at_once.push_back(
          {k, static_cast<std::uint64_t>(kBytes), noise * planted_ns(k, factor), 0});
    }
  }
  return s;
}

TEST(PairsAtOnce, HaveThePlantedBandwidthTogether) {
  for (const double factor : {1.0, 1.3, 2.0, 2.5, 3.7, 7.9}) {
    const auto found = pairs_at_once(measured(factor, 8), line());
    ASSERT_TRUE(found && found->factor) << factor;
    EXPECT_NEAR(*found->factor, factor, 1e-9 * factor);
    EXPECT_NEAR(found->residual, 0, 1e-9);
    for (const PairsAtOnce::Point& p : found->points) {
      EXPECT_NEAR(p.round_trip_ns, planted_ns(p.pairs, factor), 1e-6);
      EXPECT_NEAR(p.share, std::min(1.0, factor / p.pairs), 1e-9);
    }
  }
}

TEST(PairsAtOnce, ThatDoNotSlowEachOtherShareNothing) {
  const auto found = pairs_at_once(measured(100, 4), line());
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->factor);
  EXPECT_THAT(platform_text({}, found), Not(HasSubstr("backbone")));
  EXPECT_THAT(platform_text({}, found), HasSubstr("node-[0-7]"));
}

TEST(PairsAtOnce, ThatWaitedForProcessorsAreNoContention) {
  CalibrationSamples s = measured(4, 4);
  for (PairsAtOnceSample& p : s.pairs_at_once) {
    if (p.pairs < 3) continue;
    p.without_processor = 0.4;
    p.ns *= 10;
  }
  const auto found = pairs_at_once(s, line());
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->factor);
  std::vector<Section> sections;
  Findings findings;
  add_pairs_at_once(sections, findings, found);
  ASSERT_EQ(findings.entries().size(), 1u);
  EXPECT_EQ(findings.entries()[0].name, "pairs_at_once_disturbed");
}

TEST(PairsAtOnce, WithoutProcessorsAreNotMeasured) {
  CalibrationSamples s;
  EXPECT_FALSE(pairs_at_once(s, line()));
  s.pairs_started = 4;
  s.pairs_placed = 1;
  const auto found = pairs_at_once(s, line());
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->factor);
  std::vector<Section> sections;
  Findings findings;
  EXPECT_TRUE(add_pairs_at_once(sections, findings, found).has_value());
  ASSERT_EQ(findings.entries().size(), 1u);
  EXPECT_EQ(findings.entries()[0].name, "pairs_share_processors");
  EXPECT_EQ(findings.entries()[0].count, 3u);
  EXPECT_THAT(platform_text({}, found), HasSubstr("node-[0-1]"));
}

// Each pair more adds as much as to the first: what no shared bandwidth does.
TEST(PairsAtOnce, OfAnotherLawHaveAResidual) {
  CalibrationSamples s = measured(100, 8);
  for (PairsAtOnceSample& p : s.pairs_at_once) p.ns = 20e3 + 80e3 * (p.pairs > 1 ? 9.0 : 1.0);
  const auto found = pairs_at_once(s, line());
  ASSERT_TRUE(found);
  EXPECT_GT(found->residual, 0.1);
}

}  // namespace
}  // namespace slackline
