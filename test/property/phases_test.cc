// Phases and iterations that a generator planted are found again: hardly any that is not there, and
// hardly any that is there is missed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "analysis/phases/monitor.h"
#include "property/planted_phases.h"

namespace slackline {
namespace {

constexpr double kWanted = 0.95;
constexpr std::uint64_t kUsual = 150;

/// The long test asks for all.
std::uint64_t runs_to_try() {
  const char* runs = std::getenv("SLACKLINE_PLANTED_RUNS");
  return runs == nullptr ? kUsual : std::strtoull(runs, nullptr, 10);
}

Monitor monitor_of(const Trace& trace) {
  return monitor(trace, CallMatching(trace), CallPaths(trace), {.windows = 8});
}

/// How much of what was planted was found, and the reverse.
struct Score {
  std::size_t planted = 0;
  std::size_t found = 0;
  std::size_t right = 0;

  double precision() const { return found == 0 ? 1 : ratio(right, found); }
  double recall() const { return planted == 0 ? 1 : ratio(right, planted); }

 private:
  static double ratio(std::size_t a, std::size_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  }
};

/// Each that is found stands for one planted within `tolerance`.
template <class Number>
bool add(Score& score, std::vector<Number> planted, const std::vector<Number>& found,
         const std::function<bool(Number, Number)>& near) {
  const std::size_t all = planted.size();
  score.planted += all;
  score.found += found.size();
  std::size_t right = 0;
  for (const Number& f : found) {
    const auto match = std::ranges::find_if(planted, [&](const Number& p) { return near(p, f); });
    if (match == planted.end()) continue;
    planted.erase(match);
    ++right;
  }
  score.right += right;
  return right == all && right == found.size();
}

std::string list(const auto& numbers) {
  std::string text;
  for (const auto& n : numbers) text += std::to_string(n) + " ";
  return text;
}

/// Where phases of the program begin, other than the first and those around the loop.
std::vector<std::int64_t> borders(const Monitor& m, const testing::PlantedRun& run) {
  std::vector<std::int64_t> at;
  const std::int64_t slack = run.begin_ns[1] - run.begin_ns[0];
  for (const FocusInterval& r : m.intervals) {
    if (r.kind == IntervalKind::startup || r.kind == IntervalKind::shutdown) continue;
    if (r.begin_ns > run.begin_ns.front() + 2 * slack && r.begin_ns < run.begin_ns.back() - slack) {
      at.push_back(r.begin_ns);
    }
  }
  return at;
}

TEST(PlantedPhases, AreFoundWithinOneIteration) {
  Score changes;
  Score outliers;
  std::size_t counted = 0;
  const std::uint64_t runs = runs_to_try();
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const testing::PlantedRun run = testing::planted_run(seed);
    const Monitor m = monitor_of(run.trace);
    std::vector<std::int64_t> planted;
    for (const std::size_t k : run.changes) planted.push_back(run.begin_ns[k]);
    const auto near = [&](std::int64_t p, std::int64_t f) {
      const auto at =
          static_cast<std::size_t>(std::ranges::find(run.begin_ns, p) - run.begin_ns.begin());
      return f >= run.begin_ns[at - 1] - 1 && f <= run.begin_ns[at + 1] + 1;
    };
    std::vector<std::size_t> found_outliers;
    if (m.iterations) {
      for (const auto& o : m.iterations->outliers) found_outliers.push_back(o.iteration);
    }
    const bool right = add<std::int64_t>(changes, planted, borders(m, run), near);
    const bool same = add<std::size_t>(outliers, run.outliers, found_outliers, std::equal_to{});
    const bool counts = m.iterations && m.iterations->count == run.iterations;
    counted += counts ? 1 : 0;
    if (right && same && counts) continue;
    std::string found;
    if (m.iterations) {
      for (const IterationChange& c : m.iterations->changes) {
        found += fmt::format("{} ({} of {}: {:.0f} -> {:.0f}) ", c.iteration, identifier(c.metric),
                             c.rank, c.before_ns, c.after_ns);
      }
    }
    std::cout << "run " << seed << ": " << run.shape << "; changes at " << list(run.changes)
              << ", found " << found << "; outliers " << list(run.outliers) << ", found "
              << list(found_outliers) << "; iterations " << (m.iterations ? m.iterations->count : 0)
              << '\n';
  }
  std::cout << fmt::format(
      "phases: precision {:.4f}, recall {:.4f}; outliers: precision {:.4f}, recall {:.4f}; "
      "iterations counted: {} of {}\n",
      changes.precision(), changes.recall(), outliers.precision(), outliers.recall(), counted,
      runs);
  EXPECT_GT(changes.precision(), kWanted);
  EXPECT_GT(changes.recall(), kWanted);
  EXPECT_GT(outliers.precision(), kWanted);
  EXPECT_GT(outliers.recall(), kWanted);
  EXPECT_GT(static_cast<double>(counted), kWanted * static_cast<double>(runs));
}

// One rank of many is slower for a sixth of the run.
TEST(PlantedPhases, OneSlowRankIsFoundAtAnyNumberOfRanks) {
  for (const std::int32_t ranks : {4, 64, 500, 2000}) {
    const Trace trace = testing::one_slow_rank(ranks, 84, ranks / 3, 1.6, 40, 54);
    const Monitor m = monitor_of(trace);
    ASSERT_TRUE(m.iterations) << ranks;
    EXPECT_EQ(m.iterations->count, 84u);
    ASSERT_EQ(m.iterations->changes.size(), 2u) << ranks;
    EXPECT_EQ(m.iterations->changes[0].iteration, 40u);
    EXPECT_EQ(m.iterations->changes[1].iteration, 54u);
    EXPECT_EQ(m.iterations->changes[0].rank, ranks / 3);
    EXPECT_EQ(m.iterations->changes[0].metric, PhaseMetric::computation);
  }
}

}  // namespace
}  // namespace slackline
