// How often differences of runs that do not differ are called significant, and whether planted ones
// are found. Runs vary as recorded ones do: as a whole, by rank and by place, and some places are
// interrupted for long.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "analysis/cube/difference.h"

namespace slackline {
namespace {

constexpr int kRanks = 8;
constexpr int kPaths = 12;
constexpr int kComparisons = 200;

class RunGenerator {
 public:
  explicit RunGenerator(unsigned seed) : random_(seed) {}

  RunGroup group(std::size_t runs, double planted) {
    RunGroup group{"group", {}};
    while (group.runs.size() < runs) group.runs.push_back(run(planted));
    return group;
  }

 private:
  double vary(double deviation) {
    return std::exp(std::normal_distribution<>(0, deviation)(random_));
  }

  /// Path 0 computes `planted` times as long.
  RunSeverities run(double planted) {
    RunSeverities result{SeverityCube(kRanks)};
    const double whole = vary(0.02);
    double longest = 0;
    double sum = 0;
    for (int rank = 0; rank < kRanks; ++rank) {
      const double own = whole * vary(0.01);
      double computation = 0;
      for (int path = 0; path < kPaths; ++path) {
        const std::string name = "path" + std::to_string(path);
        double ns = 1e6 * (path + 1) * own * vary(0.01) * (path == 0 ? planted : 1);
        if (random_() % 50 == 0) ns += 1e6 * vary(1);
        result.cube.add({"computation", name}, rank, std::round(ns));
        result.cube.add({"mpi", name}, rank, std::round(1e5 * own * vary(0.1)));
        result.cube.add({"late_sender", name}, rank, std::round(1e4 * vary(1)));
        result.cube.add({"calls", name}, rank, 100 + static_cast<double>(random_() % 2));
        computation += ns;
      }
      longest = std::max(longest, computation);
      sum += computation;
    }
    result.metrics = {std::round(longest), sum / longest / kRanks};
    return result;
  }

  std::mt19937_64 random_;
};

struct Marks {
  int right = 0;
  int wrong = 0;
};

Marks marks_of(const RunDifference& d) {
  Marks marks;
  for (const SeverityDifference& s : d.differences) {
    const bool planted = s.key.metric == "computation" && s.key.call_path == "path0";
    if (s.value.significant().value()) ++(planted ? marks.right : marks.wrong);
  }
  return marks;
}

// 5 % of comparisons may have a false mark: 10, and 3 standard deviations (3.1) of chance.
TEST(DifferenceProperty, RunsThatDoNotDifferAreRarelyMarked) {
  for (const std::size_t runs : {2u, 3u, 5u}) {
    RunGenerator generator(static_cast<unsigned>(runs));
    int marked = 0;
    for (int i = 0; i < kComparisons; ++i) {
      const RunDifference d = difference(generator.group(runs, 1), generator.group(runs, 1));
      bool any = marks_of(d).wrong > 0;
      for (const ComparedValue& v : d.metrics) any = any || v.significant().value_or(false);
      marked += any;
    }
    EXPECT_LE(marked, 19) << runs << " runs";
  }
}

TEST(DifferenceProperty, PlantedDifferencesAreMarkedAndFewOthers) {
  RunGenerator generator(7);
  double false_share = 0;
  int found = 0;
  for (int i = 0; i < kComparisons; ++i) {
    const Marks marks = marks_of(difference(generator.group(5, 1), generator.group(5, 1.3)));
    found += marks.right;
    if (marks.wrong > 0)
      false_share += marks.wrong / static_cast<double>(marks.wrong + marks.right);
  }
  EXPECT_GE(found, kComparisons * kRanks * 8 / 10);
  EXPECT_LE(false_share / kComparisons, kFalseDiscoveryRate);
}

}  // namespace
}  // namespace slackline
