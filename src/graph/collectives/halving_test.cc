// Which part of a vector each participant of recursive halving keeps. Sizes tell the parts apart:
// 13 bytes on 8 participants make blocks of 1 byte, but the last one of 6.

#include "graph/collectives/recursive_exchanges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slackline::collectives {

bool operator==(const HalvingStep& a, const HalvingStep& b) {
  return a.partner == b.partner && a.keep_bytes == b.keep_bytes && a.give_bytes == b.give_bytes;
}

namespace {

using testing::ElementsAre;

TEST(Halving, PartnersDifferInOneBitAndTheKeptPartHalves) {
  std::vector<CollectiveStep> unused;
  const CollectiveCall call{.operation = Operation::allreduce, .size = 8, .bytes = 13};
  const HalvedVector vector(StepWriter(call, 0, {}, unused), 8);
  // Participant 7 keeps the upper half each time, so it ends with the long block.
  EXPECT_THAT(vector.steps(7),
              ElementsAre(HalvingStep{6, 9, 4}, HalvingStep{5, 7, 2}, HalvingStep{3, 6, 1}));
  EXPECT_THAT(vector.steps(0),
              ElementsAre(HalvingStep{1, 4, 9}, HalvingStep{2, 2, 2}, HalvingStep{4, 1, 1}));
  // Participant 1: upper half first, then the lower half of that.
  EXPECT_THAT(vector.steps(1),
              ElementsAre(HalvingStep{0, 9, 4}, HalvingStep{3, 2, 7}, HalvingStep{5, 1, 1}));
  EXPECT_THAT(vector.steps(3),
              ElementsAre(HalvingStep{2, 9, 4}, HalvingStep{1, 7, 2}, HalvingStep{7, 1, 6}));
}

TEST(MergedPairs, MakeAPowerOfTwoOfParticipants) {
  // 6 ranks: pairs (0, 1) and (2, 3), then 4 and 5 alone.
  const MergedPairs odd(6, MergedPairs::Stays::odd);
  const MergedPairs even(6, MergedPairs::Stays::even);
  const std::int32_t with_odd[] = {-1, 0, -1, 1, 2, 3};
  const std::int32_t with_even[] = {0, -1, 1, -1, 2, 3};
  for (std::int32_t r = 0; r < 6; ++r) {
    EXPECT_EQ(odd.participant_of(r), with_odd[r]);
    EXPECT_EQ(even.participant_of(r), with_even[r]);
    if (with_odd[r] >= 0) {
      EXPECT_EQ(odd.rank_of(with_odd[r]), r);
    }
    if (with_even[r] >= 0) {
      EXPECT_EQ(even.rank_of(with_even[r]), r);
    }
  }
}

}  // namespace
}  // namespace slackline::collectives
