#include "calibration/pair_parameters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "timing/network/pair_network.h"

namespace slackline {
namespace {

/// Three ranks: 0 and 1 as in the fit; 2 is 300 ns further from 0 and 500 ns nearer to 1, with half
/// and twice the bandwidth.
CalibrationSamples three_ranks() {
  CalibrationSamples s;
  s.started = "2026-01-02T03:04:05Z";
  s.rank_hosts = {"n1", "n1", "n2"};
  const auto add = [&](std::int32_t from, std::int32_t to, double brief, double ns_per_byte) {
    for (const double disturbed : {0.0, 0.0, 1e6}) {
      s.pairs.push_back({.from = from,
                         .to = to,
                         .short_bytes = 8,
                         .short_ns = brief + disturbed,
                         .long_bytes = 1008,
                         .long_ns = brief + disturbed + 1000 * ns_per_byte,
                         .without_processor = disturbed > 0 ? 0.5 : 0});
    }
  };
  add(0, 1, 2000, 0.2);
  add(0, 2, 2600, 0.4);
  add(1, 2, 1000, 0.1);
  return s;
}

LogGPSFit fit_with_latency(double latency_ns) {
  LogGPSFit f;
  f.latency = {latency_ns, latency_ns, latency_ns};
  f.gap_per_byte = {0.05, 0.05, 0.05};
  return f;
}

TEST(PairParameters, DifferFromTheFitAsTheirRoundTripsDo) {
  const auto pairs = pair_parameters(three_ranks(), fit_with_latency(700));
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_DOUBLE_EQ(pairs[0].latency_ns, 700);
  EXPECT_DOUBLE_EQ(pairs[0].gap_ns_per_byte, 0.05);
  EXPECT_DOUBLE_EQ(pairs[1].latency_ns, 1000);
  EXPECT_DOUBLE_EQ(pairs[1].gap_ns_per_byte, 0.1);
  EXPECT_DOUBLE_EQ(pairs[2].latency_ns, 200);
  EXPECT_DOUBLE_EQ(pairs[2].gap_ns_per_byte, 0.025);
}

TEST(PairParameters, SayWhereNothingIsLeftForTheLatency) {
  const auto pairs = pair_parameters(three_ranks(), fit_with_latency(400));
  EXPECT_EQ(pairs[2].latency_ns, 0);
  std::vector<Section> sections;
  Findings findings;
  EXPECT_TRUE(add_pair_parameters(sections, findings, pairs).has_value());
  ASSERT_EQ(findings.entries().size(), 1u);
  EXPECT_EQ(findings.entries()[0].name, "pair_latency_below_zero");
  EXPECT_EQ(findings.entries()[0].examples, std::vector<std::string>{"ranks 1 and 2"});
}

TEST(PairParameters, SayWhereBytesTakeNoTime) {
  CalibrationSamples samples = three_ranks();
  for (std::size_t i = 6; i < 9; ++i) samples.pairs[i].long_ns = samples.pairs[i].short_ns - 1;
  const auto pairs = pair_parameters(samples, fit_with_latency(700));
  EXPECT_FALSE(pairs[1].gap_below_zero);
  EXPECT_TRUE(pairs[2].gap_below_zero);
  EXPECT_EQ(pairs[2].gap_ns_per_byte, 0);
}

TEST(PairParameters, SayWhichPairsWaitedForAProcessor) {
  CalibrationSamples samples = three_ranks();
  EXPECT_FALSE(pair_parameters(samples, fit_with_latency(700))[0].disturbed);  // one of three
  samples.pairs[0].without_processor = 0.06;
  const auto pairs = pair_parameters(samples, fit_with_latency(700));
  EXPECT_TRUE(pairs[0].disturbed);
  EXPECT_FALSE(pairs[1].disturbed);
}

TEST(PairParameters, AreWrittenAsPredictionsReadThem) {
  const CalibrationSamples samples = three_ranks();
  const auto pairs = pair_parameters(samples, fit_with_latency(700));
  const PairMatrix latency =
      parse_pair_matrix(latency_matrix_text(samples, pairs), "l", Parameter::latency);
  const PairMatrix gap =
      parse_pair_matrix(gap_matrix_text(samples, pairs), "g", Parameter::gap_per_byte);
  EXPECT_EQ(latency.nodes, 3);
  EXPECT_EQ(latency.at(0, 2), 1'000'000'000);
  EXPECT_EQ(latency.at(2, 0), 1'000'000'000);
  EXPECT_EQ(latency.at(1, 2), 200'000'000);
  EXPECT_EQ(gap.at(0, 1), 50'000);
  EXPECT_EQ(gap.at(2, 1), 25'000);
}

TEST(PairParameters, OfTwoRanksAreNone) {
  EXPECT_TRUE(pair_parameters({}, fit_with_latency(700)).empty());
  std::vector<Section> sections;
  Findings findings;
  EXPECT_FALSE(add_pair_parameters(sections, findings, {}).has_value());
  EXPECT_TRUE(sections.empty());
}

}  // namespace
}  // namespace slackline
