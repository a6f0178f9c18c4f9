#include "formats/raw/gap_pauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

namespace slackline::raw {
namespace {

using ::testing::ElementsAre;
using Seen = std::tuple<std::int64_t, std::int64_t, std::uint32_t, PauseKind>;

/// Calls of 100 ns that begin at 1000, 2000, ...
RankCallsBuilder calls_every_microsecond(int count) {
  RankCallsBuilder calls;
  for (int i = 1; i <= count; ++i) {
    Call call;
    call.operation = Operation::barrier;
    call.begin_ns = 1000 * i;
    call.end_ns = call.begin_ns + 100;
    calls.append(call);
  }
  return calls;
}

std::vector<Seen> seen(const RankCalls& calls) {
  std::vector<Seen> all;
  for (const Pause& p : calls.pauses())
    all.emplace_back(p.begin_ns, p.end_ns, p.before_call, p.kind);
  return all;
}

std::vector<Seen> pauses_of(const std::vector<GapLoss>& losses,
                            const std::vector<WritingTime>& written,
                            const std::vector<Sample>& samples = {},
                            const std::vector<RegionLoss>& regions = {},
                            const std::vector<std::int64_t>& changes = {}) {
  RankCallsBuilder calls = calls_every_microsecond(4);
  append_pauses(losses, regions, written, samples, changes, calls);
  return seen(calls);
}

TEST(GapPauses, LossesAreAtTheEndOfTheirGap) {
  EXPECT_THAT(pauses_of({{1, 300, 200}, {3, 0, 50}}, {}),
              ElementsAre(Seen{1500, 1700, 1, PauseKind::blocked},
                          Seen{1700, 2000, 1, PauseKind::no_processor},
                          Seen{3950, 4000, 3, PauseKind::blocked}));
}

TEST(GapPauses, LossesLieBesideWhatWasWritten) {
  EXPECT_THAT(pauses_of({{1, 300, 0}}, {{1800, 1900}}),
              ElementsAre(Seen{1600, 1800, 1, PauseKind::no_processor},
                          Seen{1800, 1900, 1, PauseKind::recording},
                          Seen{1900, 2000, 1, PauseKind::no_processor}));
}

Sample blocked_until(std::int64_t time_ns, std::int64_t ns, std::uint32_t before_call) {
  return {time_ns, ns, 0, before_call, 0, true};
}

// The first sample is of another gap, and the last one says more than the gap lost.
TEST(GapPauses, LossesAreWhereSamplesFoundThem) {
  EXPECT_THAT(
      pauses_of(
          {{2, 100, 400}}, {},
          {blocked_until(1400, 100, 1), blocked_until(2400, 150, 2), blocked_until(2700, 350, 2)}),
      ElementsAre(Seen{2250, 2400, 2, PauseKind::blocked}, Seen{2450, 2700, 2, PauseKind::blocked},
                  Seen{2900, 3000, 2, PauseKind::no_processor}));
}

TEST(GapPauses, WhatNoSampleFoundIsAtTheEnd) {
  EXPECT_THAT(pauses_of({{1, 0, 250}}, {{1300, 1350}}, {blocked_until(1400, 200, 1)}),
              ElementsAre(Seen{1200, 1300, 1, PauseKind::blocked},
                          Seen{1300, 1350, 1, PauseKind::recording},
                          Seen{1350, 1400, 1, PauseKind::blocked},
                          Seen{1900, 2000, 1, PauseKind::blocked}));
}

// In regions as much as they lost, what samples found in them included; the rest outside of them.
TEST(GapPauses, LossesAreInTheRegionsThatHadThem) {
  EXPECT_THAT(pauses_of({{1, 100, 200}}, {}, {}, {{1, 1200, 1500, 40, 50}, {1, 1800, 2000, 0, 0}}),
              ElementsAre(Seen{1410, 1460, 1, PauseKind::blocked},
                          Seen{1460, 1500, 1, PauseKind::no_processor},
                          Seen{1590, 1740, 1, PauseKind::blocked},
                          Seen{1740, 1800, 1, PauseKind::no_processor}));
  EXPECT_THAT(pauses_of({{1, 0, 100}}, {}, {blocked_until(1300, 80, 1)}, {{1, 1200, 1500, 0, 100}}),
              ElementsAre(Seen{1220, 1300, 1, PauseKind::blocked},
                          Seen{1480, 1500, 1, PauseKind::blocked}));
}

// A region that began before the last call; and one that leaves no room outside.
TEST(GapPauses, RegionsHoldWhatHasNoRoomOutside) {
  EXPECT_THAT(pauses_of({{2, 0, 300}}, {}, {}, {{2, 1500, 2400, 0, 200}}),
              ElementsAre(Seen{2200, 2400, 2, PauseKind::blocked},
                          Seen{2900, 3000, 2, PauseKind::blocked}));
  EXPECT_THAT(
      pauses_of({{1, 0, 300}}, {}, {}, {{1, 1200, 2000, 0, 100}}),
      ElementsAre(Seen{1100, 1200, 1, PauseKind::blocked}, Seen{1800, 1900, 1, PauseKind::blocked},
                  Seen{1900, 2000, 1, PauseKind::blocked}));
}

TEST(GapPauses, AGapHoldsNoMoreThanItsLength) {
  EXPECT_THAT(pauses_of({{1, 700, 700}}, {}),
              ElementsAre(Seen{1100, 1300, 1, PauseKind::blocked},
                          Seen{1300, 2000, 1, PauseKind::no_processor}));
  EXPECT_THAT(pauses_of({}, {{1050, 2050}}),
              ElementsAre(Seen{1100, 2000, 1, PauseKind::recording}));
}

/// What a gap from 1100 to 2000 holds, nanosecond by nanosecond.
class SlowGap {
 public:
  using Moment = std::optional<PauseKind>;

  std::int64_t fill(std::int64_t from, std::int64_t to, std::int64_t ns, PauseKind kind) {
    for (std::int64_t t = std::min<std::int64_t>(to, 2000);
         t-- > std::max<std::int64_t>(from, 1100);) {
      Moment& moment = moments_[static_cast<std::size_t>(t - 1100)];
      if (ns == 0 || moment) continue;
      moment = kind;
      --ns;
    }
    return ns;
  }
  std::int64_t fill_region(const RegionLoss& region, std::int64_t lost_ns, std::int64_t ns,
                           PauseKind kind) {
    for (std::int64_t t = std::max<std::int64_t>(region.begin_ns, 1100);
         t < std::min<std::int64_t>(region.end_ns, 2000); ++t) {
      if (moments_[static_cast<std::size_t>(t - 1100)] == kind) --lost_ns;
    }
    const std::int64_t length = std::clamp<std::int64_t>(lost_ns, 0, ns);
    return ns - length + fill(region.begin_ns, region.end_ns, length, kind);
  }
  void fill_outside(const std::vector<RegionLoss>& regions, std::int64_t ns, PauseKind kind) {
    for (std::int64_t t = 2000; t-- > 1100;) {
      const bool inside = std::ranges::any_of(regions, [&](const RegionLoss& region) {
        return t >= region.begin_ns && t < region.end_ns;
      });
      if (!inside && ns > 0) ns -= 1 - fill(t, t + 1, 1, kind);
    }
    fill(1100, 2000, ns, kind);
  }
  const std::vector<Moment>& moments() const { return moments_; }

 private:
  std::vector<Moment> moments_ = std::vector<Moment>(900);
};

// 300 ns of the 900 between two calls, of which one region has 600 and the next one 300.
TEST(GapPauses, LossesAreSharedOutOverMarkedRegions) {
  EXPECT_THAT(pauses_of({{1, 300, 0}}, {}, {}, {}, {1100, 1700, 2000}),
              ElementsAre(Seen{1500, 1700, 1, PauseKind::no_processor},
                          Seen{1900, 2000, 1, PauseKind::no_processor}));
}

TEST(GapPauses, AreWhereEachNanosecondIsFilledInTurn) {
  std::mt19937 random(1);
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  for (int repetition = 0; repetition < 2000; ++repetition) {
    std::vector<WritingTime> written;
    std::vector<Sample> samples;
    std::vector<RegionLoss> regions;
    // Those of a kind do not overlap.
    const auto visit_times = [&](const auto& add) {
      for (std::int64_t t = 1100 + up_to(400); t < 2000; t += 1 + up_to(400)) {
        const std::int64_t begin = t;
        t = std::min<std::int64_t>(2000, t + 1 + up_to(60));
        add(begin, t);
      }
    };
    visit_times([&](std::int64_t begin, std::int64_t end) { written.push_back({begin, end}); });
    visit_times([&](std::int64_t begin, std::int64_t end) {
      samples.push_back(blocked_until(end, end - begin, 1));
    });
    visit_times([&](std::int64_t begin, std::int64_t end) {
      regions.push_back({1, begin, end, up_to(30), up_to(30)});
    });
    const GapLoss loss{1, up_to(500), up_to(500)};

    SlowGap gap;
    for (const WritingTime& w : written) {
      gap.fill(w.begin_ns, w.end_ns, w.end_ns - w.begin_ns, PauseKind::recording);
    }
    std::int64_t blocked = loss.blocked_ns;
    for (const Sample& s : samples) {
      const std::int64_t length = std::min(blocked, s.cpu_ns);
      blocked += gap.fill(s.time_ns - s.cpu_ns, s.time_ns, length, PauseKind::blocked) - length;
    }
    std::int64_t no_processor = loss.no_processor_ns;
    for (const RegionLoss& r : regions) {
      no_processor = gap.fill_region(r, r.no_processor_ns, no_processor, PauseKind::no_processor);
      blocked = gap.fill_region(r, r.blocked_ns, blocked, PauseKind::blocked);
    }
    gap.fill_outside(regions, no_processor, PauseKind::no_processor);
    gap.fill_outside(regions, blocked, PauseKind::blocked);

    std::vector<SlowGap::Moment> moments(900);
    for (const auto& [begin, end, call, kind] : pauses_of({loss}, written, samples, regions)) {
      ASSERT_EQ(call, 1u);
      for (std::int64_t t = begin; t < end; ++t) {
        ASSERT_FALSE(moments[static_cast<std::size_t>(t - 1100)]) << "two pauses at " << t;
        moments[static_cast<std::size_t>(t - 1100)] = kind;
      }
    }
    ASSERT_EQ(moments, gap.moments()) << "repetition " << repetition;
  }
}

// Two pauses for each of 200,000 regions: to search all of them each time would take quadratic
// time.
TEST(GapPauses, AreFoundWithoutSearchingAllForEachRegion) {
  constexpr std::int64_t kRegions = 200'000;
  RankCallsBuilder calls;
  for (const std::int64_t at : {std::int64_t{0}, 10 * kRegions}) {
    Call call;
    call.operation = Operation::barrier;
    call.begin_ns = at;
    call.end_ns = at;
    calls.append(call);
  }
  std::vector<RegionLoss> regions;
  for (std::int64_t r = 0; r < kRegions; ++r) regions.push_back({1, 10 * r, 10 * r + 5, 1, 1});
  append_pauses(std::vector<GapLoss>{{1, kRegions, kRegions}}, regions, {}, {}, {}, calls);
  ASSERT_EQ(seen(calls).size(), 2 * kRegions);
  EXPECT_EQ(seen(calls).front(), Seen(3, 4, 1, PauseKind::blocked));
  EXPECT_EQ(seen(calls).back(),
            Seen(10 * kRegions - 6, 10 * kRegions - 5, 1, PauseKind::no_processor));
}

TEST(GapPauses, WritingOutsideOfAllGapsIsLeftOut) {
  EXPECT_THAT(pauses_of({}, {{500, 600}, {9000, 9100}}), ElementsAre());
  EXPECT_THAT(pauses_of({}, {{500, 600}, {2150, 2160}, {2170, 2190}}),
              ElementsAre(Seen{2150, 2160, 2, PauseKind::recording},
                          Seen{2170, 2190, 2, PauseKind::recording}));
}

}  // namespace
}  // namespace slackline::raw
