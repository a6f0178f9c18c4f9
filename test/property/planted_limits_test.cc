// The planted cause of random programs is what limits them, and gains what its removal would gain
// by construction.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "analysis/summary/diagnosis.h"
#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using testing::timed_trace;

/// Ranks with clocks of their own that write down what they do.
class WrittenRun {
 public:
  WrittenRun(int ranks, std::uint64_t seed)
      : random(seed), at_(static_cast<std::size_t>(ranks), 0), lines_(at_.size()) {}

  int ranks() const { return static_cast<int>(at_.size()); }
  std::int64_t now(int rank) const { return at_[static_cast<std::size_t>(rank)]; }
  std::int64_t uniform(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(random);
  }
  /// About that long: by 1 % more or less.
  std::int64_t work(int rank, std::int64_t ns) {
    const std::int64_t worked = uniform(ns - ns / 100, ns + ns / 100);
    advance(rank, worked);
    return worked;
  }
  void without_processor(int rank, std::int64_t ns) {
    line(rank, fmt::format("@{} +{} pause no_processor", now(rank), ns));
    advance(rank, ns);
  }
  void call(int rank, std::int64_t end, const std::string& what) {
    line(rank, fmt::format("@{} +{} {}", now(rank), end - now(rank), what));
    advance(rank, end - now(rank));
  }
  /// All leave it together, `ns` after the last one came.
  void together(std::int64_t ns, const std::string& what) {
    const std::int64_t end = *std::ranges::max_element(at_) + ns;
    for (int r = 0; r < ranks(); ++r) call(r, end, what);
  }
  void message(int from, int to, std::int64_t ns, int bytes) {
    const std::int64_t sent = now(from);
    call(from, sent + ns, fmt::format("send to={} bytes={}", to, bytes));
    call(to, std::max(now(to), sent) + ns, fmt::format("recv from={} bytes={}", from, bytes));
  }
  Trace trace() const {
    std::string text;
    for (std::size_t r = 0; r < lines_.size(); ++r)
      text += fmt::format("rank {}\n{}", r, lines_[r]);
    return timed_trace(ranks(), text);
  }

  std::mt19937_64 random;

 private:
  void line(int rank, const std::string& text) {
    lines_[static_cast<std::size_t>(rank)] += " " + text + "\n";
  }
  void advance(int rank, std::int64_t ns) { at_[static_cast<std::size_t>(rank)] += ns; }

  std::vector<std::int64_t> at_;
  std::vector<std::string> lines_;
};

struct Planted {
  Limit limit;
  int rank = -1;        ///< that causes it
  double saved_ns = 0;  ///< of the whole run
};

constexpr std::int64_t kWork_ns = 100'000;
constexpr std::int64_t kCall_ns = 500;

void work_all(WrittenRun& run) {
  for (int r = 0; r < run.ranks(); ++r) run.work(r, kWork_ns);
}

Planted late_rank(WrittenRun& run, int steps) {
  const int late = static_cast<int>(run.uniform(0, run.ranks() - 1));
  const std::int64_t more = run.uniform(40'000, 150'000);
  for (int i = 0; i < steps; ++i) {
    work_all(run);
    run.work(late, more);
    run.together(kCall_ns, "allreduce bytes=8");
  }
  const double mean = static_cast<double>(more) / run.ranks();
  return {Limit::imbalance, late, steps * (static_cast<double>(more) - mean)};
}

Planted late_in_turn(WrittenRun& run, int steps) {
  const std::int64_t more = run.uniform(40'000, 150'000);
  for (int i = 0; i < steps; ++i) {
    work_all(run);
    run.work(i % run.ranks(), more);
    run.together(kCall_ns, "barrier");
  }
  const double mean = static_cast<double>(more) / run.ranks();
  return {Limit::imbalance, -1, steps * (static_cast<double>(more) - mean)};
}

Planted serial_part(WrittenRun& run, int steps) {
  const int worker = static_cast<int>(run.uniform(0, run.ranks() - 1));
  const std::int64_t alone = run.uniform(40'000, 150'000);
  for (int i = 0; i < steps; ++i) {
    work_all(run);
    run.together(kCall_ns, "barrier");
    run.work(worker, alone);
    run.together(kCall_ns, "barrier");
  }
  const double left = static_cast<double>(alone) / run.ranks();
  return {Limit::serialisation, worker, steps * (static_cast<double>(alone) - left)};
}

/// Half of the ranks, or fewer, work while the others have nothing to do.
Planted part_of_few(WrittenRun& run, int steps) {
  const int workers = run.ranks() / 2;
  const std::int64_t each = run.uniform(40'000, 150'000);
  for (int i = 0; i < steps; ++i) {
    work_all(run);
    run.together(kCall_ns, "barrier");
    for (int r = 0; r < workers; ++r) run.work(r, each);
    run.together(kCall_ns, "barrier");
  }
  const double left = static_cast<double>(each * workers) / run.ranks();
  return {Limit::serialisation, -1, steps * (static_cast<double>(each) - left)};
}

/// A token goes round: one rank works at a time. Without waiting, the run takes as long as the rank
/// that works most.
Planted chain(WrittenRun& run, int steps) {
  const std::int64_t each = run.uniform(20'000, 60'000);
  std::vector<std::int64_t> worked(static_cast<std::size_t>(run.ranks()));
  for (int i = 0; i < steps; ++i) {
    for (int r = 0; r < run.ranks(); ++r) {
      worked[static_cast<std::size_t>(r)] += run.work(r, each);
      run.message(r, (r + 1) % run.ranks(), kCall_ns, 8);
    }
  }
  const std::int64_t all = std::accumulate(worked.begin(), worked.end(), std::int64_t{0});
  return {Limit::serialisation, -1, static_cast<double>(all - *std::ranges::max_element(worked))};
}

Planted no_processors(WrittenRun& run, int steps) {
  const std::int64_t lost = run.uniform(40'000, 150'000);
  for (int i = 0; i < steps; ++i) {
    for (int r = 0; r < run.ranks(); ++r) {
      run.work(r, kWork_ns);
      run.without_processor(r, lost);
    }
    run.together(kCall_ns, "barrier");
  }
  return {Limit::processors, -1, static_cast<double>(steps * lost)};
}

/// One rank after the other has no processor, so that the others wait for it.
Planted no_processor_in_turn(WrittenRun& run, int steps) {
  const std::int64_t lost = run.uniform(40'000, 150'000);
  for (int i = 0; i < steps; ++i) {
    work_all(run);
    run.without_processor(static_cast<int>(run.uniform(0, run.ranks() - 1)), lost);
    run.together(kCall_ns, "barrier");
  }
  return {Limit::processors, -1, static_cast<double>(steps * lost)};
}

Planted bytes(WrittenRun& run, int steps) {
  const std::int64_t size = run.uniform(100'000, 400'000);
  for (int i = 0; i < steps; ++i) {
    work_all(run);
    run.together(size, fmt::format("allreduce bytes={}", size));
  }
  return {Limit::transfer, -1, static_cast<double>(steps * size)};
}

Planted small_messages(WrittenRun& run, int steps) {
  const auto count = run.uniform(300, 600);
  for (int i = 0; i < steps; ++i) {
    work_all(run);
    for (int m = 0; m < count; ++m) run.together(kCall_ns, "allreduce bytes=8");
  }
  return {Limit::message_rate, -1, static_cast<double>(steps * count * kCall_ns)};
}

Planted nothing(WrittenRun& run, int steps) {
  for (int i = 0; i < steps; ++i) {
    work_all(run);
    run.together(kCall_ns, "barrier");
  }
  return {Limit::computation};
}

struct PlantedKind {
  const char* name;
  std::function<Planted(WrittenRun&, int steps)> make;
};

class PlantedLimits : public ::testing::TestWithParam<PlantedKind> {};

TEST_P(PlantedLimits, ComeFirstAndGainWhatTheyCost) {
  for (std::uint64_t seed = 0; seed < 112; ++seed) {
    SCOPED_TRACE(seed);
    WrittenRun run(static_cast<int>(2 + seed % 7), seed);
    const int steps = static_cast<int>(run.uniform(8, 24));
    run.together(kCall_ns, "init");
    const Planted planted = GetParam().make(run, steps);
    run.together(kCall_ns, "barrier");  // so that the analysed interval is all of it
    run.together(kCall_ns, "finalize");
    const Trace trace = run.trace();
    const Diagnosis d = diagnose(trace, CallPaths(trace));
    ASSERT_FALSE(d.limits.empty());
    const LimitingCause& first = d.limits.front();
    EXPECT_EQ(first.limit, planted.limit) << name(first.limit);
    if (planted.limit == Limit::computation) continue;
    ASSERT_TRUE(first.gain);
    const double saved = planted.saved_ns / static_cast<double>(d.shares.length_ns);
    EXPECT_NEAR(first.gain->share, saved, 0.03);
    EXPECT_LE(first.gain->low, saved + 0.02);
    EXPECT_GE(first.gain->high, saved - 0.02);
    if (planted.rank >= 0) {
      EXPECT_EQ(first.ranks, std::vector<std::int32_t>{planted.rank});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedLimits,
    ::testing::Values(
        PlantedKind{"late_rank", late_rank}, PlantedKind{"late_in_turn", late_in_turn},
        PlantedKind{"serial_part", serial_part}, PlantedKind{"part_of_few", part_of_few},
        PlantedKind{"chain", chain}, PlantedKind{"no_processors", no_processors},
        PlantedKind{"no_processor_in_turn", no_processor_in_turn}, PlantedKind{"bytes", bytes},
        PlantedKind{"small_messages", small_messages}, PlantedKind{"nothing", nothing}),
    [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace slackline
