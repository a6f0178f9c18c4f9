#include "online/message_matching.h"

#include <gtest/gtest.h>

#include "trace/online_wire.h"

namespace slackline::online {
namespace {

constexpr std::uint32_t kComm = 0;

SentMessage message(std::int32_t source, std::int32_t tag, std::uint64_t data) {
  return {.source = source, .tag = tag, .bytes = 8, .data = data};
}
PostedReceive receive(std::int32_t source, std::int32_t tag, std::uint32_t request = 0) {
  return {.source = source, .tag = tag, .rank = 0, .request = request};
}

TEST(MessageMatching, GivesBothSidesOfAPairOneNumber) {
  MessageMatching matching;
  const auto sent = matching.post_send(0, kComm, message(1, 5, 100));
  EXPECT_FALSE(sent.receive);
  const auto received = matching.post_receive(kComm, receive(1, 5));
  ASSERT_TRUE(received.message);
  EXPECT_EQ(received.message->data, 100u);
  EXPECT_EQ(received.number, sent.number);
  const auto posted = matching.post_receive(kComm, receive(1, 5, 3));
  EXPECT_FALSE(posted.message);
  EXPECT_NE(posted.number, sent.number);
  const auto late = matching.post_send(0, kComm, message(1, 5, 101));
  ASSERT_TRUE(late.receive);
  EXPECT_EQ(late.receive->request, 3u);
  EXPECT_EQ(late.number, posted.number);
}

// MPI's rule of non-overtaking messages, and the first receive that accepts a message takes it.
TEST(MessageMatching, TakesTheOldestThatFits) {
  MessageMatching matching;
  matching.post_send(0, kComm, message(2, 5, 100));
  matching.post_send(0, kComm, message(1, 6, 101));
  matching.post_send(0, kComm, message(1, 5, 102));
  matching.post_send(0, kComm, message(1, 5, 103));
  EXPECT_EQ(matching.post_receive(kComm, receive(1, 5)).message->data, 102u);
  EXPECT_EQ(matching.post_receive(kComm, receive(kPeerAny, 6)).message->data, 101u);
  EXPECT_EQ(matching.find(kComm, receive(1, kTagAny))->data, 103u);
  EXPECT_EQ(matching.post_receive(kComm, receive(kPeerAny, kTagAny)).message->data, 100u);
  EXPECT_EQ(matching.post_receive(kComm, receive(1, kTagAny)).message->data, 103u);
  matching.post_receive(kComm, receive(1, 9, 1));
  matching.post_receive(kComm, receive(kPeerAny, kTagAny, 2));
  matching.post_receive(kComm, receive(1, 5, 3));
  EXPECT_EQ(matching.post_send(0, kComm, message(1, 5, 104)).receive->request, 2u);
  EXPECT_EQ(matching.post_send(0, kComm, message(1, 5, 105)).receive->request, 3u);
}

TEST(MessageMatching, KeepsCommunicatorsAndDestinationsApart) {
  MessageMatching matching;
  matching.post_send(0, kComm + 1, message(1, 5, 100));
  matching.post_send(2, kComm, message(1, 5, 101));
  EXPECT_FALSE(matching.find(kComm, receive(1, 5)));
  EXPECT_FALSE(matching.post_receive(kComm, receive(1, 5)).message);
}

TEST(MessageMatching, GivesNoWildcardATagOfItsOwn) {
  MessageMatching matching;
  matching.post_send(0, kComm, message(1, SLK_ONLINE_OWN_TAGS, 100));
  EXPECT_FALSE(matching.find(kComm, receive(kPeerAny, kTagAny)));
  EXPECT_EQ(matching.find(kComm, receive(kPeerAny, SLK_ONLINE_OWN_TAGS))->data, 100u);
  matching.post_send(0, kComm, message(1, SLK_ONLINE_OWN_TAGS - 1, 101));
  EXPECT_EQ(matching.find(kComm, receive(kPeerAny, kTagAny))->data, 101u);
}

TEST(MessageMatching, CancelsOnlyWhatIsNotMatched) {
  MessageMatching matching;
  const auto posted = matching.post_receive(kComm, receive(1, 5, 4));
  EXPECT_EQ(matching.cancel_receive(kComm, receive(1, 5, 9)), 0);
  EXPECT_EQ(matching.cancel_receive(kComm, receive(1, 5, 4)), posted.number);
  EXPECT_EQ(matching.cancel_receive(kComm, receive(1, 5, 4)), 0);
  const auto sent = matching.post_send(0, kComm, message(1, 5, 100));
  EXPECT_FALSE(sent.receive);
  EXPECT_EQ(matching.cancel_send(0, kComm, 101), 0);
  EXPECT_EQ(matching.cancel_send(0, kComm, 100), sent.number);
  EXPECT_FALSE(matching.find(kComm, receive(1, 5)));
  const auto other = matching.post_send(0, kComm, message(1, 5, 102));
  EXPECT_TRUE(matching.post_receive(kComm, receive(1, 5)).message);
  EXPECT_EQ(matching.cancel_send(0, kComm, 102), 0);
  EXPECT_GT(matching.new_number(), other.number);
}

TEST(MessageMatching, KnowsWhatWasAskedForUntilItIsMatched) {
  MessageMatching matching;
  const auto posted = matching.post_receive(0, {.source = 3, .tag = 7, .rank = 1, .request = 2});
  const auto sent = matching.post_send(2, 0, {.source = 1, .tag = 9, .bytes = 8, .data = 64});
  const auto asked = [&](std::int32_t destination, std::int64_t number) {
    return matching.as_asked_for({kPeerAny, destination, number, 0});
  };
  EXPECT_EQ(asked(1, posted.number), (MessageChannel{3, 1, 7, 0}));
  EXPECT_EQ(asked(2, sent.number), (MessageChannel{1, 2, 9, 0}));
  matching.post_send(1, 0, {.source = 3, .tag = 7, .bytes = 8, .data = 128});
  EXPECT_EQ(asked(1, posted.number), (MessageChannel{kPeerAny, 1, posted.number, 0}));
}

}  // namespace
}  // namespace slackline::online
