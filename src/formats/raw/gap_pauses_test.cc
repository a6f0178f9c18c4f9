#include "formats/raw/gap_pauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
                            const std::vector<RegionLoss>& regions = {}) {
  RankCallsBuilder calls = calls_every_microsecond(4);
  append_pauses(losses, regions, written, samples, calls);
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

TEST(GapPauses, WritingOutsideOfAllGapsIsLeftOut) {
  EXPECT_THAT(pauses_of({}, {{500, 600}, {9000, 9100}}), ElementsAre());
  EXPECT_THAT(pauses_of({}, {{500, 600}, {2150, 2160}, {2170, 2190}}),
              ElementsAre(Seen{2150, 2160, 2, PauseKind::recording},
                          Seen{2170, 2190, 2, PauseKind::recording}));
}

}  // namespace
}  // namespace slackline::raw
