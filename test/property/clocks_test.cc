// Corrections of clocks: against planted offsets and drifts, and against a linear program.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "calls/causality.h"
#include "calls/clock_correction.h"
#include "oracle/clock_program.h"
#include "property/planted_clocks.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr std::uint64_t kPlantedRuns = 500;
constexpr std::uint64_t kLinearPrograms = 40;
constexpr double kDriftsPlanted = 2e-4;
constexpr double kMostDrift = 1e-3;  // of the estimate

using testing::PlantedClocks;

/// What would have to be added to a rank's times at true time `t` to make them the reference's.
double planted_correction(const PlantedClocks& run, std::size_t rank, std::size_t reference,
                          double t) {
  return static_cast<double>(run.offsets[reference] - run.offsets[rank]) +
         (run.drifts[reference] - run.drifts[rank]) * t;
}

std::size_t reference_of(const ClockEstimate& e) {
  return static_cast<std::size_t>(e.clocks.ranks[e.reference].front());
}

/// The true time at which the corrected run shows `corrected_ns`.
double true_time(const PlantedClocks& run, const ClockEstimate& e, std::int64_t corrected_ns) {
  const std::size_t reference = reference_of(e);
  return static_cast<double>(corrected_ns - run.offsets[reference]) / (1 + run.drifts[reference]);
}

double width(const FeasibleInterval& i) {
  return std::isfinite(i.high - i.low) ? i.high - i.low : 0;
}

void expect_inside(double x, const FeasibleInterval& i) {
  const double rounding = 5 + 0.004 * width(i);
  EXPECT_GE(x, i.low - rounding);
  EXPECT_LE(x, i.high + rounding);
}

void expect_found(const PlantedClocks& run) {
  TraceBuilder trace = Trace(run.measured);
  const CallMatching matching(trace);
  const bool skewed = check_causality(trace, matching).beyond_error > 0;
  const ClockCorrection done = correct_clocks(trace, matching, ClockPolicy::when_needed);
  EXPECT_EQ(done.corrected, skewed);
  const CausalityCheck after = check_causality(trace, matching);
  EXPECT_EQ(after.violations + after.collectives, 0u);
  if (!skewed) {
    EXPECT_TRUE(same_content(run.measured, trace));
    return;
  }
  const ClockEstimate& e = done.estimate;
  ASSERT_FALSE(e.at_begin.empty());
  for (std::size_t r = 0; r < run.offsets.size(); ++r) {
    SCOPED_TRACE("rank " + std::to_string(r));
    const std::uint32_t clock = e.clocks.of_rank[r];
    const std::size_t reference = reference_of(e);
    expect_inside(planted_correction(run, r, reference, true_time(run, e, e.begin_ns)),
                  e.at_begin[clock]);
    expect_inside(planted_correction(run, r, reference, true_time(run, e, e.end_ns)),
                  e.at_end[clock]);
  }
}

TEST(Clocks, PlantedOffsetsAreFound) {
  for (std::uint64_t seed = 0; seed < kPlantedRuns; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_found(testing::plant_clocks(seed, 0));
  }
}

TEST(Clocks, PlantedDriftsAreFound) {
  for (std::uint64_t seed = 0; seed < kPlantedRuns; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_found(testing::plant_clocks(seed, kDriftsPlanted));
  }
}

/// What a receive waited for its sender.
std::int64_t late_sender_ns(const Trace& trace, const MessageCalls& m) {
  const std::int64_t sent = trace.calls(m.source).begin_ns(m.send);
  const RankCalls& receiver = trace.calls(m.destination);
  const std::int64_t until = std::min(sent, receiver.end_ns(m.receive));
  return std::max<std::int64_t>(0, until - receiver.begin_ns(m.receive));
}

TEST(Clocks, WaitsAreThoseOfTheTrueTimesWithinTheIntervals) {
  for (std::uint64_t seed = 0; seed < kPlantedRuns; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PlantedClocks run = testing::plant_clocks(seed, 0);
    TraceBuilder trace = Trace(run.measured);
    const CallMatching matching(trace);
    const ClockEstimate e = correct_clocks(trace, matching, ClockPolicy::when_needed).estimate;
    if (e.maps.empty()) continue;
    for (const MessageCalls& m : matching.messages()) {
      double error = 10;
      for (const std::int32_t r : {m.source, m.destination}) {
        const std::uint32_t clock = e.clocks.of_rank[static_cast<std::size_t>(r)];
        const FeasibleInterval& i = e.at_begin[clock];
        error += std::isfinite(i.high - i.low) ? width(i) : 1e18;
      }
      const double off = static_cast<double>(late_sender_ns(trace, m)) -
                         static_cast<double>(late_sender_ns(run.truth, m));
      EXPECT_LE(std::abs(off), error);
    }
  }
}

/// The estimate's maps as what a linear program starts from, without drifts.
std::vector<std::int64_t> alignment(const ClockEstimate& e) {
  std::vector<std::int64_t> aligned;
  for (const std::uint32_t clock : e.clocks.of_rank) aligned.push_back(e.maps[clock].offset_ns);
  return aligned;
}

TEST(Clocks, IntervalsContainThoseOfTheLinearProgram) {
  double wider = 0;
  double exact = 0;
  for (std::uint64_t seed = 0; seed < kLinearPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PlantedClocks run = testing::plant_clocks(seed, seed % 2 == 0 ? 0 : kDriftsPlanted);
    const CallMatching matching(run.measured);
    const ClockEstimate e = estimate_clocks(run.measured, matching, group_by_clock(run.measured));
    ASSERT_FALSE(e.at_begin.empty());
    const oracle::ClockQuestion question{run.measured, matching, alignment(e),
                                         static_cast<std::int32_t>(reference_of(e)), kMostDrift};
    for (std::int32_t r = 0; r < run.measured.ranks(); ++r) {
      const auto found = oracle::feasible_correction(question, r, e.begin_ns);
      ASSERT_TRUE(found.has_value());
      const std::uint32_t clock = e.clocks.of_rank[static_cast<std::size_t>(r)];
      const auto aligned = static_cast<double>(question.aligned[static_cast<std::size_t>(r)]);
      const FeasibleInterval& ours = e.at_begin[clock];
      const double rounding = 5 + 0.004 * width(ours);
      EXPECT_LE(ours.low, found->low + aligned + rounding);
      EXPECT_GE(ours.high, found->high + aligned - rounding);
      if (!std::isfinite(found->high - found->low)) continue;
      wider += width(ours);
      exact += found->high - found->low;
    }
  }
  EXPECT_LE(wider, 1.3 * exact) << wider / exact;
}

TEST(Clocks, ConstantsAreTakenWhereTheLinearProgramFindsSome) {
  for (std::uint64_t seed = 0; seed < kLinearPrograms; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const PlantedClocks run = testing::plant_clocks(seed, kDriftsPlanted / 20);
    const CallMatching matching(run.measured);
    const ClockEstimate e = estimate_clocks(run.measured, matching, group_by_clock(run.measured));
    const oracle::ClockQuestion question{run.measured, matching, alignment(e),
                                         static_cast<std::int32_t>(reference_of(e)), 0};
    const bool constants = oracle::feasible_correction(question, 0, e.begin_ns).has_value();
    EXPECT_EQ(constants, !e.drifts());
  }
}

}  // namespace
}  // namespace slackline
