// Runs of four patterns of communication in random order and of random lengths, down to a thirtieth
// of the run, and runs that come back to a pattern: each change of pattern is a border, and nothing
// else is.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analysis/phases/monitor.h"
#include "calls/call_matching.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

constexpr int kRanksOfPatterns = 4;
constexpr int kPatternsOfRun = 4;

/// Writes steps of a run in which all ranks begin each step together.
class PatternWriter {
 public:
  explicit PatternWriter(unsigned seed) : random_(seed) {}

  /// Steps of one pattern until its time is over.
  void write(int pattern, double length_ns) {
    const double end = static_cast<double>(now_) + length_ns;
    while (static_cast<double>(now_) < end) step(pattern);
  }

  std::int64_t now() const { return now_; }
  Trace trace() const {
    std::string text;
    for (int r = 0; r < kRanksOfPatterns; ++r) text += fmt::format("rank {}\n{}", r, text_[at(r)]);
    return testing::timed_trace(kRanksOfPatterns, text);
  }

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

  /// Computation, which varies by 2 %.
  std::int64_t about(std::int64_t ns) {
    return ns + static_cast<std::int64_t>(random_() % 41) * ns / 1000 - ns / 50;
  }
  void call(int rank, std::int64_t begin, std::int64_t end, const std::string& what) {
    text_[at(rank)] += fmt::format(" @{} +{} {}\n", begin, end - begin, what);
  }

  void step(int pattern) {
    std::array<std::int64_t, kRanksOfPatterns> ready{};
    const auto compute = [&](std::int64_t mean, std::int64_t of_first) {
      for (int r = 0; r < kRanksOfPatterns; ++r)
        ready[at(r)] = now_ + about(r == 0 ? of_first : mean);
      return std::ranges::max(ready);
    };
    switch (pattern) {
      case 0: {  // balanced computation and a short reduction
        const std::int64_t end = compute(900'000, 900'000) + 20'000;
        for (int r = 0; r < kRanksOfPatterns; ++r) call(r, ready[at(r)], end, "allreduce bytes=8");
        now_ = end;
        return;
      }
      case 1: {  // little computation, and much to exchange in a ring
        compute(30'000, 30'000);
        std::int64_t last = 0;
        for (int r = 0; r < kRanksOfPatterns; ++r) {
          const std::int64_t left = ready[at((r + 1) % kRanksOfPatterns)];
          const std::int64_t end =
              std::max({ready[at(r)], ready[at((r + 3) % kRanksOfPatterns)], left}) +
              about(700'000);
          call(r, ready[at(r)], end,
               fmt::format("sendrecv to={} bytes=1000000 from={} rbytes=1000000",
                           (r + 1) % kRanksOfPatterns, (r + 3) % kRanksOfPatterns));
          last = std::max(last, end);
        }
        now_ = last;
        return;
      }
      case 2: {  // the first rank computes three times as long as the others
        const std::int64_t end = compute(250'000, 750'000) + 15'000;
        for (int r = 0; r < kRanksOfPatterns; ++r) call(r, ready[at(r)], end, "barrier");
        now_ = end;
        return;
      }
      default: {  // one rank after the other, each for the next one
        std::int64_t ended = now_;
        for (int r = 0; r < kRanksOfPatterns; ++r) {
          std::int64_t begin = now_ + 1000;
          if (r > 0) {
            call(r, begin, ended + 5000, fmt::format("recv from={} bytes=64", r - 1));
            begin = ended + 5000;
          }
          ended = begin + about(200'000);
          if (r + 1 < kRanksOfPatterns) {
            call(r, ended, ended + 1000, fmt::format("send to={} bytes=64", r + 1));
            ended += 1000;
          }
        }
        for (int r = 0; r < kRanksOfPatterns; ++r) {
          const std::int64_t begin = r + 1 < kRanksOfPatterns ? ended - 500 : ended;
          call(r, begin, ended + 10'000, "bcast root=3 bytes=64");
        }
        now_ = ended + 10'000;
        return;
      }
    }
  }

  std::minstd_rand random_;
  std::int64_t now_ = 0;
  std::array<std::string, kRanksOfPatterns> text_;
};

class FourPatterns : public ::testing::TestWithParam<unsigned> {};

/// Each of `order` follows a different one.
void expect_borders(const std::vector<int>& order, double least_ms, unsigned seed) {
  std::mt19937 random(seed);
  PatternWriter run(seed);
  std::vector<std::int64_t> borders;
  std::string what;
  for (const int pattern : order) {
    borders.push_back(run.now());
    const double ms =
        least_ms * std::pow(600 / least_ms, std::uniform_real_distribution<>()(random));
    what += fmt::format(" {}:{:.0f}ms", pattern, ms);
    run.write(pattern, ms * 1e6);
  }
  const Trace trace = run.trace();
  const CallPaths paths(trace);
  const Monitor m = monitor(trace, CallMatching(trace), paths, {});
  std::string found;
  for (const FocusInterval& i : m.intervals) found += fmt::format(" {}", i.begin_ns);
  ASSERT_EQ(m.intervals.size(), borders.size()) << what << found;
  const auto tolerance = 0.01 * static_cast<double>(run.now());
  for (std::size_t i = 0; i < borders.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(m.intervals[i].begin_ns), static_cast<double>(borders[i]),
                tolerance)
        << what << found;
  }
  EXPECT_EQ(m.phases, std::set<int>(order.begin(), order.end()).size()) << what << found;
}

TEST_P(FourPatterns, AreFoundEachWithItsBorders) {
  std::mt19937 random(GetParam());
  std::vector<int> order{0, 1, 2, 3};
  std::ranges::shuffle(order, random);
  expect_borders(order, 20, GetParam());
}

// Also a pattern of one kind of call between two stretches of another one.
TEST_P(FourPatterns, AreFoundWhereTheyComeBack) {
  std::mt19937 random(GetParam());
  std::vector<int> order{3};
  while (order.size() < 6) {
    const int next = static_cast<int>(random() % kPatternsOfRun);
    if (next != order.back()) order.push_back(next);
  }
  expect_borders(order, 150, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Orders, FourPatterns, ::testing::Range(1U, 101U));

}  // namespace
}  // namespace slackline
