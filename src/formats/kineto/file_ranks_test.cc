#include "formats/kineto/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::int32_t> ranks(std::vector<std::string> names) {
  return ranks_in_names(names);
}

TEST(RanksInNames, StandAfterAWord) {
  EXPECT_THAT(ranks({"rank-0.Jun_07_10_20_33.4711.pt.trace.json",
                     "rank-1.Jun_07_10_20_34.4709.pt.trace.json",
                     "rank-2.Jun_07_10_20_33.4710.pt.trace.json"}),
              ElementsAre(0, 1, 2));
  EXPECT_THAT(
      ranks({"trace_rank_5.17737.pt.trace.json.gz", "trace_rank_10.17738.pt.trace.json.gz"}),
      ElementsAre(5, 10));
  EXPECT_THAT(ranks({"Rank0.1700000000000.json", "Rank1.1700000000000.json"}), ElementsAre(0, 1));
  EXPECT_THAT(ranks({"worker3.json", "worker12.json"}), ElementsAre(3, 12));
  EXPECT_THAT(ranks({"n0_local_rank0_rank4.json", "n1_local_rank0_rank8.json"}), ElementsAre(4, 8));
  EXPECT_THAT(ranks({"gpu0_rank_3.json", "gpu0_rank_2.json"}), ElementsAre(3, 2));
}

TEST(RanksInNames, CountTheFilesWhereNamesAreAlike) {
  EXPECT_THAT(ranks({"megatron_kineto_1.json.gz", "megatron_kineto_0.json.gz"}), ElementsAre(1, 0));
  EXPECT_THAT(ranks({"run7_0.json", "run7_1.json", "run7_3.json"}), ElementsAre(0, 1, 3));
}

TEST(RanksInNames, AreNoDatesProcessesOrSteps) {
  EXPECT_THAT(
      ranks({"node1_4711.1700000000001.pt.trace.json", "node1_4712.1700000000002.pt.trace.json"}),
      IsEmpty());
  EXPECT_THAT(ranks({"gpt_batch_0512.json", "gpt_batch_1024.json"}), IsEmpty());
  EXPECT_THAT(ranks({"rank0.json", "rank0.copy.json"}), IsEmpty());
  EXPECT_THAT(ranks({"a3f9.json", "b77c.json"}), IsEmpty());
  EXPECT_THAT(ranks({"n0_gpu0.json", "n0_gpu1.json", "n1_gpu0.json", "n1_gpu1.json"}), IsEmpty());
  EXPECT_THAT(ranks({"trace_9999999999999.json", "trace_0.json"}), IsEmpty());
}

TEST(RanksInNames, SayNothingOfALoneFile) {
  EXPECT_THAT(ranks({"gpt_batch_0512.json"}), IsEmpty());
  EXPECT_THAT(ranks({"rank7.json"}), IsEmpty());
  EXPECT_THAT(ranks({}), IsEmpty());
}

TEST(NaturalOrder, TakesNumbersByTheirValues) {
  EXPECT_TRUE(natural_less("h_9.json", "h_10.json"));
  EXPECT_FALSE(natural_less("h_10.json", "h_9.json"));
  EXPECT_TRUE(natural_less("h_009.json", "h_10.json"));
  EXPECT_TRUE(natural_less("a_10.json", "b_9.json"));
  EXPECT_FALSE(natural_less("a.json", "a.json"));
}

}  // namespace
}  // namespace slackline
