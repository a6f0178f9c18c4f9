#include "analysis/top/recent_activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

using Period = RecentActivity::Period;
using Paths = std::map<std::uint32_t, std::int64_t>;

/// What a rank does in each ns, and the calls that end.
struct Moments {
  enum class Kind { nothing, computation, pause, mpi };
  struct Moment {
    Kind kind = Kind::nothing;
    std::uint32_t path = 0;
  };
  std::vector<Moment> moments;
  std::vector<std::pair<std::int64_t, std::uint64_t>> ends;  // and bytes

  void set(std::int64_t begin, std::int64_t end, Kind kind, std::uint32_t path) {
    if (end > static_cast<std::int64_t>(moments.size()))
      moments.resize(static_cast<std::size_t>(end));
    for (std::int64_t t = begin; t < end; ++t) moments[static_cast<std::size_t>(t)] = {kind, path};
  }
  std::pair<MpiSums, Paths> since(std::int64_t from) const {
    MpiSums sums;
    Paths paths;
    for (std::size_t t = static_cast<std::size_t>(from); t < moments.size(); ++t) {
      const Moment& m = moments[t];
      sums.computation_ns += m.kind == Kind::computation ? 1 : 0;
      sums.paused_ns += m.kind == Kind::pause ? 1 : 0;
      sums.mpi_ns += m.kind == Kind::mpi ? 1 : 0;
      if (m.kind == Kind::computation) ++paths[m.path];
    }
    for (const auto& [end, bytes] : ends) {
      if (end < from) continue;
      ++sums.calls;
      sums.bytes += bytes;
    }
    return {sums, paths};
  }
};

void expect_equal(const Period& period, const std::pair<MpiSums, Paths>& expected) {
  EXPECT_EQ(period.sums, expected.first);
  EXPECT_EQ(Paths(period.by_path.begin(), period.by_path.end()), expected.second);
}

TEST(RecentActivity, SumsAreThoseOfEveryNanosecond) {
  using Kind = Moments::Kind;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random()) % n; };
    constexpr std::int64_t kSlice = 7;
    constexpr std::int64_t kSlices = 9;
    RecentActivity activity(kSlice, kSlices);
    Moments moments;
    std::int64_t end = 100 + below(50);
    const std::int64_t longest = 1 + below(60);
    for (int i = 0; i < 60; ++i) {
      const std::int64_t begin = i == 0 ? end : end + below(longest);
      const auto path = static_cast<std::uint32_t>(below(4));
      const std::int64_t gap_begin = end;
      const std::int64_t written = std::min(below(3), begin - gap_begin);
      if (i > 0) activity.add_recording({gap_begin, gap_begin + written});
      end = begin + below(longest);
      activity.add_call({begin, end}, path, static_cast<std::uint64_t>(i));
      const std::int64_t lost = below(longest);
      activity.add_loss(lost);
      const std::int64_t useful =
          std::max<std::int64_t>(0, begin - gap_begin - lost - (i > 0 ? written : 0));
      moments.set(gap_begin, gap_begin + useful, Kind::computation, path);
      moments.set(gap_begin + useful, begin, Kind::pause, path);
      moments.set(begin, end, Kind::mpi, 0);
      moments.ends.emplace_back(end, i);

      // A poll that has returned, a call that has not, or neither.
      Moments now = moments;
      std::vector<TimeInterval> calls;
      std::int64_t until = end;
      for (std::int64_t open = below(3); open > 0; --open) {
        const std::int64_t from = until + below(20);
        now.set(until, from, Kind::computation, 0);
        until = from + below(20);
        now.set(from, until, Kind::mpi, 0);
        calls.push_back({from, until});
      }
      const std::int64_t present = until + below(20);
      now.set(until, present, Kind::computation, 0);
      const RecentActivity::Present state{calls, present};
      expect_equal(activity.whole(state), now.since(0));
      const std::int64_t from = (present - below(kSlice * kSlices)) / kSlice * kSlice;
      expect_equal(activity.since(std::max<std::int64_t>(0, from), state),
                   now.since(std::max<std::int64_t>(0, from)));
    }
  }
}

TEST(RecentActivity, CallsThatOverlapCountOnce) {
  RecentActivity activity(10, 5);
  activity.add_call({10, 30}, 0, 0);
  activity.add_call({20, 25}, 0, 0);
  activity.add_call({40, 50}, 3, 0);
  const Period all = activity.whole({{}, 50});
  EXPECT_EQ(all.sums.mpi_ns, 30);
  EXPECT_EQ(all.sums.computation_ns, 10);
  EXPECT_THAT(all.by_path, ElementsAre(Pair(3u, 10)));
}

TEST(RecentActivity, TimesBeforeTheClocksZeroAreTimes) {
  RecentActivity activity(10, 5);
  activity.add_call({-35, -25}, 1, 0);
  activity.add_call({-5, 5}, 2, 0);
  const Period recent = activity.since(-20, {{}, 10});
  EXPECT_EQ(recent.sums.computation_ns, 15 + 5);
  EXPECT_EQ(recent.sums.mpi_ns, 10);
}

}  // namespace
}  // namespace slackline
