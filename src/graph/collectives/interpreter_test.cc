// The interpreter must see the defects it is there to find.

#include "graph/collectives/testing/interpreter.h"

#include <gtest/gtest.h>

namespace slackline::test {
namespace {

using Kind = CollectiveStep::Kind;

CollectiveStep send(std::int32_t peer, std::uint64_t bytes = 8) {
  return {.kind = Kind::send, .peer = peer, .bytes = bytes};
}
CollectiveStep recv(std::int32_t peer, std::uint64_t bytes = 8) {
  return {.kind = Kind::recv, .peer = peer, .bytes = bytes};
}
CollectiveStep isend(std::int32_t peer) {
  return {.kind = Kind::isend, .peer = peer, .bytes = 8};
}
CollectiveStep irecv(std::int32_t peer) {
  return {.kind = Kind::irecv, .peer = peer, .bytes = 8};
}
constexpr CollectiveStep kWaitAll{.kind = Kind::wait_all};

TEST(Interpreter, BothSendFirstDeadlocksOnlyWhenSendsWait) {
  const Programs both_send_first{{send(1), recv(1)}, {send(0), recv(0)}};
  EXPECT_EQ(perform(both_send_first, Sends::eager).defect, "");
  EXPECT_NE(perform(both_send_first, Sends::synchronous).defect.find("deadlock"),
            std::string::npos);
}

TEST(Interpreter, ExchangeWithNonblockingCallsIsFreeOfDeadlock) {
  const Programs exchange{{isend(1), irecv(1), kWaitAll}, {isend(0), irecv(0), kWaitAll}};
  const Performance p = perform(exchange, Sends::synchronous);
  EXPECT_EQ(p.defect, "");
  EXPECT_EQ(p.knows, (std::vector<RankSet>{0b11, 0b11}));
  EXPECT_EQ(p.rounds, 1);
  EXPECT_EQ(p.total_bytes(), 16U);
}

TEST(Interpreter, FindsWrongSizesAndMessagesLeftOver) {
  EXPECT_NE(perform({{send(1, 8)}, {recv(0, 9)}}, Sends::eager).defect, "");
  EXPECT_NE(perform({{send(1), send(1)}, {recv(0)}}, Sends::eager).defect, "");
  EXPECT_NE(perform({{isend(1)}, {recv(0)}}, Sends::eager).defect, "");
  EXPECT_NE(perform({{send(0)}}, Sends::eager).defect, "");
  EXPECT_NE(perform({{{.kind = Kind::wait, .peer = 0, .bytes = 0}}}, Sends::eager).defect, "");
}

TEST(Interpreter, ReceivedDataCanBePassedOnOnlyAfterTheWait) {
  const Programs too_early{{send(1)}, {irecv(0), send(2), kWaitAll}, {recv(1)}};
  EXPECT_EQ(perform(too_early, Sends::eager).knows[2], RankSet{0b110});
  const Programs in_time{{send(1)}, {irecv(0), kWaitAll, send(2)}, {recv(1)}};
  EXPECT_EQ(perform(in_time, Sends::eager).knows[2], RankSet{0b111});
}

TEST(Interpreter, WaitTakesOneRequestByItsPosition) {
  // Rank 0 waits for the second of its receives and passes that on before the first one is there.
  const Programs p{
      {irecv(2), irecv(1), {.kind = Kind::wait, .peer = 1, .bytes = 0}, send(2), kWaitAll},
      {send(0)},
      {recv(0), send(0)}};
  const Performance done = perform(p, Sends::synchronous);
  EXPECT_EQ(done.defect, "");
  EXPECT_EQ(done.knows[2], RankSet{0b111});
}

TEST(Interpreter, ASenderSendsOneMessageATime) {
  const Programs star{{isend(1), isend(2), isend(3), kWaitAll}, {recv(0)}, {recv(0)}, {recv(0)}};
  EXPECT_EQ(perform(star, Sends::eager).rounds, 3);
}

}  // namespace
}  // namespace slackline::test
