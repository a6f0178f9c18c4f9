#include "calls/open_polls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace slackline {
namespace {

using ::testing::ElementsAre;

Call call_of(Operation operation, std::uint32_t request, std::uint8_t flags = 0) {
  Call call{};
  call.operation = operation;
  call.request = request;
  call.peer = kPeerNone;
  call.flags = flags;
  return call;
}

Call message(Operation operation, std::int32_t peer, std::int32_t tag, std::uint8_t flags = 0) {
  Call call = call_of(operation, kRequestNone, flags);
  call.peer = peer;
  call.tag = tag;
  return call;
}

/// What MPI says, poll by poll.
bool ends(const Call& poll, const Call& call) {
  if (call.thread != poll.thread || call.has(SLK_FLAG_FAILED)) return false;
  const bool completion = operation_class(call.operation) == OperationClass::completion;
  if (is_test(poll.operation) != completion) return false;
  if (completion) {
    if (poll.request == kRequestNone) {
      return call.operation == poll.operation || !is_test(call.operation);
    }
    bool found = false;
    for_each_completed_request(call, [&](std::uint32_t r) { found |= r == poll.request; });
    return found;
  }
  const bool source = poll.has(SLK_FLAG_ANY_SOURCE) || poll.peer < 0 || poll.peer == call.peer;
  const bool tag = poll.has(SLK_FLAG_ANY_TAG) || poll.tag == kTagAny || poll.tag == call.tag;
  return poll.comm == call.comm && source && tag;
}

TEST(OpenPolls, ACallEndsThePollsThatWaitedForWhatItFinds) {
  OpenPolls<int> polls;
  polls.add(call_of(Operation::test, 1, SLK_FLAG_FAILED), 10);
  polls.add(call_of(Operation::test, 2, SLK_FLAG_FAILED), 20);
  polls.add(call_of(Operation::test, 1, SLK_FLAG_FAILED), 11);
  polls.add(message(Operation::iprobe, 3, 5, SLK_FLAG_FAILED), 30);
  polls.add(message(Operation::iprobe, 4, 5, SLK_FLAG_FAILED | SLK_FLAG_ANY_SOURCE), 31);
  EXPECT_THAT(polls.take_ended_by(call_of(Operation::test, 1)), ElementsAre(10, 11));
  EXPECT_THAT(polls.take_ended_by(message(Operation::recv, 3, 5)), ElementsAre(30, 31));
  EXPECT_FALSE(polls.empty());
  EXPECT_THAT(polls.take_ended_by(call_of(Operation::wait, 2)), ElementsAre(20));
  EXPECT_TRUE(polls.empty());
}

TEST(OpenPolls, AreThoseThatEachCallWouldEndOneByOne) {
  std::mt19937 random(1);
  const auto one_of = [&](auto first, auto... more) {
    const std::array<decltype(first), 1 + sizeof...(more)> all{first, more...};
    return all[random() % all.size()];
  };
  OpenPolls<int> polls;
  std::vector<std::pair<Call, int>> open;
  for (int i = 0; i < 20'000; ++i) {
    Call call = one_of(0, 1) == 0
                    ? call_of(one_of(Operation::test, Operation::testany, Operation::testall,
                                     Operation::testsome, Operation::wait, Operation::waitall),
                              random() % 4)
                    : message(one_of(Operation::iprobe, Operation::improbe, Operation::recv),
                              static_cast<std::int32_t>(random() % 4) - 1, one_of(0, 1, kTagAny));
    call.thread = random() % 2;
    call.comm = random() % 2;
    call.flags = static_cast<std::uint8_t>(one_of(0, SLK_FLAG_ANY_SOURCE, SLK_FLAG_ANY_TAG));
    if (is_poll(call.operation) && one_of(0, 0, 1) == 0) call.flags |= SLK_FLAG_FAILED;
    if (polls.fails(call)) {
      polls.add(call, i);
      open.emplace_back(call, i);
      continue;
    }
    std::vector<int> expected;
    std::erase_if(open, [&](const auto& poll) {
      if (!ends(poll.first, call)) return false;
      expected.push_back(poll.second);
      return true;
    });
    ASSERT_EQ(polls.take_ended_by(call), expected) << "call " << i;
    ASSERT_EQ(polls.empty(), open.empty());
  }
}

// If each call looked at all polls, these were 10^10 steps.
TEST(OpenPolls, OfAHundredThousandRequestsNoneIsForgotten) {
  constexpr std::uint32_t kRequests = 100'000;
  OpenPolls<std::uint32_t> polls;
  for (std::uint32_t r = 1; r <= kRequests; ++r) {
    polls.add(call_of(Operation::test, r, SLK_FLAG_FAILED), r);
  }
  for (std::uint32_t r = 1; r <= kRequests; ++r) {
    ASSERT_THAT(polls.take_ended_by(call_of(Operation::test, r)), ElementsAre(r));
  }
  EXPECT_TRUE(polls.empty());
}

}  // namespace
}  // namespace slackline
