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
constexpr std::uint64_t kUsualOfKinds = 1000;

/// The long tests ask for more.
std::uint64_t runs_to_try(std::uint64_t usual) {
  const char* runs = std::getenv("SLACKLINE_PLANTED_RUNS");
  return runs == nullptr ? usual : std::strtoull(runs, nullptr, 10);
}

Monitor monitor_of(const Trace& trace) {
  return monitor(trace, CallMatching(trace), CallPaths(trace), {.windows = 8});
}

/// How much of what was planted was found, and the reverse.
struct Score {
  std::size_t planted = 0;
  std::size_t found = 0;
  std::size_t right = 0;

  void add(const Score& other) {
    planted += other.planted;
    found += other.found;
    right += other.right;
  }
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
  for (const FocusInterval& r : m.intervals) {
    if (r.kind == IntervalKind::startup || r.kind == IntervalKind::shutdown) continue;
    if (r.begin_ns > run.begin_ns[2] && r.begin_ns < run.begin_ns[run.iterations - 1]) {
      at.push_back(r.begin_ns);
    }
  }
  return at;
}

/// How well phases, outliers and iterations of some runs were found.
struct Found {
  std::size_t runs = 0;
  Score changes{};
  Score outliers{};
  std::size_t counted = 0;     ///< runs whose number of iterations is right
  std::size_t unchanged = 0;   ///< runs without a planted change
  std::size_t left_alone = 0;  ///< of them, without a reported one

  void add(const Found& other) {
    runs += other.runs;
    changes.add(other.changes);
    outliers.add(other.outliers);
    counted += other.counted;
    unchanged += other.unchanged;
    left_alone += other.left_alone;
  }
};

std::string description(const Monitor& m) {
  if (!m.iterations) return "no iterations";
  std::string text = fmt::format("{} iterations;", m.iterations->count);
  for (const IterationChange& c : m.iterations->changes) {
    text += fmt::format(" {} ({} of {}: {:.0f} -> {:.0f})", c.iteration, identifier(c.metric),
                        c.rank, c.before_ns, c.after_ns);
  }
  text += "; outliers";
  for (const auto& o : m.iterations->outliers) text += fmt::format(" {}", o.iteration);
  return text;
}

/// Compares a run with what was planted; prints it where something differs.
Found examine(const testing::PlantedRun& run, bool outliers_are_planted, const std::string& name) {
  const Monitor m = monitor_of(run.trace);
  std::vector<std::int64_t> planted;
  for (const std::size_t k : run.changes) planted.push_back(run.begin_ns[k]);
  const auto near = [&](std::int64_t p, std::int64_t f) {
    const auto at =
        static_cast<std::size_t>(std::ranges::find(run.begin_ns, p) - run.begin_ns.begin());
    return f >= run.begin_ns[at - 1] - 1 && f <= run.begin_ns[at + 1] + 1;
  };
  Found found{.runs = 1};
  const std::vector<std::int64_t> reported = borders(m, run);
  bool right = add<std::int64_t>(found.changes, planted, reported, near);
  if (outliers_are_planted) {
    std::vector<std::size_t> outliers;
    if (m.iterations) {
      for (const auto& o : m.iterations->outliers) {
        // What the first iteration computes before its first call may be before the loop.
        if (o.iteration > 0) outliers.push_back(o.iteration);
      }
    }
    right = add<std::size_t>(found.outliers, run.outliers, outliers, std::equal_to{}) && right;
  }
  found.counted = m.iterations && m.iterations->count == run.iterations ? 1 : 0;
  if (planted.empty()) {
    found.unchanged = 1;
    found.left_alone = reported.empty() ? 1 : 0;
  }
  if (right && found.counted == 1) return found;
  std::cout << name << ": " << run.shape << "; changes at " << list(run.changes) << "outliers at "
            << list(run.outliers) << "found " << description(m) << '\n';
  return found;
}

void print(std::string_view name, const Found& f) {
  std::cout << fmt::format(
      "{:28} {:4} runs; changes: precision {:.3f}, recall {:.3f}; outliers: precision {:.3f}, "
      "recall {:.3f}; counted {:4}; without a change {:3} of {:3}\n",
      name, f.runs, f.changes.precision(), f.changes.recall(), f.outliers.precision(),
      f.outliers.recall(), f.counted, f.left_alone, f.unchanged);
}

TEST(PlantedPhases, AreFoundWithinOneIteration) {
  Found all;
  for (std::uint64_t seed = 0; seed < runs_to_try(kUsual); ++seed) {
    all.add(examine(testing::planted_run(seed), true, fmt::format("run {}", seed)));
  }
  print("plain", all);
  EXPECT_GT(all.changes.precision(), kWanted);
  EXPECT_GT(all.changes.recall(), kWanted);
  EXPECT_GT(all.outliers.precision(), kWanted);
  EXPECT_GT(all.outliers.recall(), kWanted);
  EXPECT_GT(static_cast<double>(all.counted), kWanted * static_cast<double>(all.runs));
}

// Loops as real programs have them: inner loops of varying length, growth, spikes, output, several
// loops, lack of processors.
TEST(PlantedPhases, AreFoundInLoopsOfAllKinds) {
  Found all;
  const std::uint64_t runs = runs_to_try(kUsualOfKinds);
  for (const testing::PlantedKind& kind : testing::planted_kinds()) {
    Found of_kind;
    for (std::uint64_t seed = 0; seed * kUsualOfKinds < kind.runs * runs; ++seed) {
      of_kind.add(examine(kind.run(seed), kind.outliers_are_planted,
                          fmt::format("{} {}", kind.name, seed)));
    }
    print(kind.name, of_kind);
    all.add(of_kind);
  }
  print("all", all);
  EXPECT_GE(all.changes.precision(), kWanted);
  EXPECT_GE(all.changes.recall(), kWanted);
  EXPECT_GE(static_cast<double>(all.counted), 0.97 * static_cast<double>(all.runs));
  EXPECT_GE(static_cast<double>(all.left_alone), 0.97 * static_cast<double>(all.unchanged));
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
