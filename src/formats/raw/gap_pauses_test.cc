#include "formats/raw/gap_pauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace slackline::raw {
namespace {

using testing::ElementsAre;
using Seen = std::tuple<std::int64_t, std::int64_t, std::uint32_t, PauseKind>;

/// Calls of 100 ns that begin at 1000, 2000, ...
RankCalls calls_every_microsecond(int count) {
  RankCalls calls;
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
                            const std::vector<WritingTime>& written) {
  RankCalls calls = calls_every_microsecond(4);
  append_pauses(losses, written, calls);
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
