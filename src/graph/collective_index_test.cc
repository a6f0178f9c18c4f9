#include "graph/collective_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/testing/text_graph.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::untimed_trace;

struct Indexed {
  Trace trace;
  Findings findings{};
  CollectiveIndex index;

  Indexed(int ranks, std::string_view text)
      : trace(untimed_trace(ranks, text)),
        index(trace, assemble_collectives(trace), CollectiveChoice{}, findings) {}

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& f : findings.entries()) result.push_back(f.name);
    return result;
  }
};

TEST(CollectiveIndex, TheKthCallsOfAllRanksAreOneCollective) {
  const Indexed i(2,
                  "rank 0\n bcast root=1 bytes=8 elem=4\n barrier\n"
                  "rank 1\n bcast root=1 bytes=8 elem=4\n send to=0\n barrier\n");
  EXPECT_EQ(i.index.instance(kCommWorld, 0).call.operation, Operation::bcast);
  EXPECT_EQ(i.index.instance(kCommWorld, 0).call.root, 1);
  EXPECT_EQ(i.index.instance(kCommWorld, 0).call.bytes, 8u);
  EXPECT_EQ(i.index.instance(kCommWorld, 0).call.element_bytes, 4u);
  EXPECT_EQ(i.index.instance(kCommWorld, 1).call.operation, Operation::barrier);
  EXPECT_THAT(i.index.instance(kCommWorld, 1).own_members, IsEmpty());  // all came
  EXPECT_THAT(i.findings.entries(), IsEmpty());
}

TEST(CollectiveIndex, OnlyTheMembersOfAGroupMakeItsCommunicator) {
  const Indexed i(3,
                  "comm 2 members=2,0\n"
                  "rank 0\n comm_create_group new=2\n barrier\nrank 1\n barrier\n"
                  "rank 2\n comm_create_group new=2\n barrier\n");
  EXPECT_EQ(i.index.instance(2, 0).call.operation, Operation::allreduce);
  EXPECT_THAT(i.index.instance(2, 0).members, ElementsAre(2, 0));
  EXPECT_THAT(i.index.instance(kCommWorld, 0).own_members, IsEmpty());  // all came
  EXPECT_THAT(i.names(), IsEmpty());
}

TEST(CollectiveIndex, RootsAreRanksOfTheCommunicator) {
  const Indexed i(4,
                  "comm 2 members=3,1\n"
                  "rank 0\nrank 1\n reduce root=3 bytes=8 comm=2\nrank 2\n"
                  "rank 3\n reduce root=3 bytes=8 comm=2\n");
  const auto& instance = i.index.instance(2, 0);
  EXPECT_EQ(instance.call.root, 0);
  EXPECT_EQ(instance.call.size, 2);
  EXPECT_THAT(instance.members, ElementsAre(3, 1));
}

TEST(CollectiveIndex, CountsComeFromWhoeverHasThem) {
  const Indexed i(
      3,
      "rank 0\n gatherv root=1 bytes=8\nrank 1\n gatherv root=1 bytes=16 counts=8,16,0\n"
      "rank 2\n gatherv root=1 bytes=0\n");
  EXPECT_THAT(i.index.instance(kCommWorld, 0).call.counts, ElementsAre(8, 16, 0));
  EXPECT_EQ(i.index.instance(kCommWorld, 0).call.bytes, 16u);  // the largest contribution
}

TEST(CollectiveIndex, WithoutCountsOfAlltoallvTheMeanIsSaidToStandForThem) {
  const Indexed sums(2, "rank 0\n alltoallv bytes=100\nrank 1\n alltoallv bytes=300\n");
  EXPECT_EQ(sums.index.instance(kCommWorld, 0).call.bytes, 200u);
  EXPECT_THAT(sums.names(), ElementsAre("alltoallv_counts_unknown"));
  const Indexed counts(2,
                       "rank 0\n alltoallv bytes=100 send=0,100 recv=0,300\n"
                       "rank 1\n alltoallv bytes=300 send=300,0 recv=100,0\n");
  EXPECT_EQ(counts.index.instance(kCommWorld, 0).call.bytes, 300u);
  EXPECT_THAT(counts.findings.entries(), IsEmpty());
}

TEST(CollectiveIndex, NonblockingAndBlockingFormsCountTogether) {
  const Indexed i(2,
                  "rank 0\n ibarrier req=1\n allreduce bytes=8\n"
                  "rank 1\n ibarrier req=1\n allreduce bytes=8\n");
  EXPECT_EQ(i.index.instance(kCommWorld, 0).call.operation, Operation::barrier);
  EXPECT_EQ(i.index.instance(kCommWorld, 1).call.operation, Operation::allreduce);
}

TEST(CollectiveIndex, MakingACommunicatorIsASmallAllreduceOfItsParent) {
  const Indexed i(2, "rank 0\n comm_dup new=2\nrank 1\n comm_dup new=2\n");
  EXPECT_EQ(i.index.instance(kCommWorld, 0).call.operation, Operation::allreduce);
  EXPECT_EQ(i.index.instance(kCommWorld, 0).call.bytes, 8u);
}

TEST(CollectiveIndex, RanksThatNeverComeAreLeftOut) {
  const Indexed i(3,
                  "rank 0\n bcast root=0 bytes=4\n allgatherv bytes=1 counts=1,2,3\n"
                  "rank 1\n bcast root=0 bytes=4\n"
                  "rank 2\n bcast root=0 bytes=4\n allgatherv bytes=3 counts=1,2,3\n");
  EXPECT_THAT(i.names(), ElementsAre("collective_incomplete"));
  EXPECT_THAT(i.index.instance(kCommWorld, 0).members, ElementsAre(0, 1, 2));
  const auto& second = i.index.instance(kCommWorld, 1);
  EXPECT_THAT(second.members, ElementsAre(0, 2));
  EXPECT_EQ(second.call.size, 2);
  EXPECT_THAT(second.call.counts, IsEmpty());  // they no longer fit the members
}

TEST(CollectiveIndex, OfDisagreeingRanksTheFirstIsBelieved) {
  const Indexed i(2, "rank 0\n barrier\nrank 1\n allreduce bytes=8\n");
  EXPECT_THAT(i.names(), ElementsAre("collective_mismatch"));
  EXPECT_EQ(i.index.instance(kCommWorld, 0).call.operation, Operation::barrier);
}

TEST(CollectiveIndex, IntercommunicatorsAreBothSidesTogether) {
  const Indexed i(4,
                  "comm 2 members=3,0 remote=1,2\n"
                  "rank 0\n barrier comm=2 intercomm\nrank 1\n barrier comm=2 intercomm\n"
                  "rank 2\n barrier comm=2 intercomm\nrank 3\n barrier comm=2 intercomm\n");
  EXPECT_THAT(i.names(), ElementsAre("intercommunicator_collective"));
  EXPECT_THAT(i.index.instance(2, 0).members, ElementsAre(0, 1, 2, 3));
}

TEST(CollectiveIndex, CountsOfAnIntercommunicatorAreNotSaidToBeUnknown) {
  const Indexed i(3,
                  "comm 2 members=0 remote=1,2\n"
                  "rank 0\n alltoallv comm=2 intercomm bytes=3 send=1,2 recv=4,5\n"
                  "rank 1\n alltoallv comm=2 intercomm bytes=4 send=4 recv=1\n"
                  "rank 2\n alltoallv comm=2 intercomm bytes=5 send=5 recv=2\n");
  EXPECT_THAT(i.names(), ElementsAre("intercommunicator_collective"));
  EXPECT_EQ(i.index.instance(2, 0).call.bytes, 4u);  // the mean
}

TEST(CollectiveIndex, OnOneselfOrNothingIsNoCollective) {
  EXPECT_FALSE(is_collective(Call{.operation = Operation::barrier, .comm = kCommSelf}));
  EXPECT_FALSE(is_collective(Call{.operation = Operation::barrier, .comm = kCommNull}));
  EXPECT_FALSE(is_collective(Call{.operation = Operation::send}));
  EXPECT_TRUE(is_collective(Call{.operation = Operation::comm_split}));
  EXPECT_TRUE(is_collective(Call{.operation = Operation::ibcast}));
}

}  // namespace
}  // namespace slackline
