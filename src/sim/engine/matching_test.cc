#include "sim/engine/matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/trace.h"

namespace slackline::sim {
namespace {

constexpr Channel kChannel{.source = 0, .destination = 1, .tag = 7, .comm = 0};

TEST(Matching, TakesSendsAndReceivesInTheirOrder) {
  Matching matching;
  const TransferId first = matching.post_send(kChannel, 0, 100);
  const TransferId second = matching.post_send(kChannel, 0, 200);
  EXPECT_EQ(matching.peek(kChannel), first);
  EXPECT_EQ(matching.post_receive(kChannel), first);
  EXPECT_EQ(matching[first].bytes, 100u);
  EXPECT_EQ(matching.post_receive(kChannel), second);
  EXPECT_EQ(matching.peek(kChannel), kNone);
  const TransferId early = matching.post_receive(kChannel);
  EXPECT_TRUE(matching.expects(kChannel));
  EXPECT_FALSE(matching[early].send_posted);
  EXPECT_EQ(matching.post_send(kChannel, 0, 300), early);
  EXPECT_EQ(matching[early].bytes, 300u);
  EXPECT_FALSE(matching.expects(kChannel));
}

TEST(Matching, KeepsChannelsApart) {
  Matching matching;
  matching.post_send(kChannel, 0, 1);
  for (const Channel& other :
       {Channel{2, 1, 7, 0}, Channel{0, 2, 7, 0}, Channel{0, 1, 8, 0}, Channel{0, 1, 7, 1}}) {
    EXPECT_EQ(matching.peek(other), kNone);
    const TransferId receive = matching.post_receive(other);
    EXPECT_FALSE(matching[receive].send_posted);
  }
  int unmatched = 0;
  matching.for_each_unmatched([&](const Transfer&) { ++unmatched; });
  EXPECT_EQ(unmatched, 5);
}

TEST(Matching, KnowsTheSenderOfAMessageFromAnySource) {
  Matching matching;
  const Channel any{
      .source = kPeerAny, .destination = 1, .tag = collective_tag(Operation::reduce, 0)};
  const TransferId transfer = matching.post_receive(any);
  EXPECT_EQ(matching.post_send(any, 3, 8), transfer);
  EXPECT_EQ(matching[transfer].sender, 3);
}

TEST(Matching, CollectivesHaveTagsOfTheirOwn) {
  const auto tag = [](Operation operation, std::uint32_t sequence) {
    return Channel{.source = 0, .destination = 1, .tag = collective_tag(operation, sequence)};
  };
  EXPECT_FALSE(in_collective(kChannel));
  EXPECT_EQ(operation_of(kChannel), Operation::send);
  for (const Operation operation : {Operation::reduce, Operation::alltoall, Operation::barrier}) {
    for (const std::uint32_t sequence : {0u, 1u, 4'000'000'000u}) {
      EXPECT_TRUE(in_collective(tag(operation, sequence)));
      EXPECT_EQ(operation_of(tag(operation, sequence)), operation);
    }
    EXPECT_NE(tag(operation, 0).tag, tag(operation, 1).tag);
  }
  // Broadcasts match across calls, as in SimGrid.
  EXPECT_EQ(tag(Operation::bcast, 0).tag, tag(Operation::bcast, 1).tag);
  EXPECT_NE(tag(Operation::bcast, 0).tag, tag(Operation::reduce, 0).tag);
}

TEST(Matching, ProbesSeeOtherTagsOfTheTwoRanksAndNoDataOfCollectives) {
  const auto can_probe = [](const Channel& sent, std::uint64_t bytes) {
    Matching matching;
    matching.post_send(sent, sent.source, bytes);
    return matching.can_probe(kChannel);
  };
  EXPECT_FALSE(Matching().can_probe(kChannel));
  EXPECT_TRUE(can_probe(kChannel, 8));
  EXPECT_TRUE(can_probe({0, 1, 8, 0}, 8));
  EXPECT_FALSE(can_probe({2, 1, 7, 0}, 8));
  EXPECT_FALSE(can_probe({0, 1, 8, 1}, 8));
  EXPECT_FALSE(can_probe({0, 1, collective_tag(Operation::bcast, 0), 0}, 8));
  EXPECT_TRUE(can_probe({0, 1, collective_tag(Operation::bcast, 0), 0}, 1));
  EXPECT_FALSE(can_probe({0, 1, collective_tag(Operation::gather, 0), 0}, 1));
  Matching receives;
  receives.post_receive({0, 1, 8, 0});
  EXPECT_FALSE(receives.can_probe(kChannel));
}

}  // namespace
}  // namespace slackline::sim
