#include "online/call_check.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/operation.h"

namespace slackline::online {
namespace {

using List = std::vector<std::int64_t>;

constexpr CallLimits kLimits{.ranks = 4, .members = 3, .is_member = true, .shared_bytes = 1 << 20};

slk_online_call call_of(Operation operation) {
  slk_online_call call{};
  call.kind = SLK_ONLINE_CALL;
  call.operation = static_cast<std::uint32_t>(operation);
  call.peer = SLK_PEER_NONE;
  return call;
}

slk_online_call to(Operation operation, std::int32_t peer) {
  slk_online_call call = call_of(operation);
  call.peer = peer;
  return call;
}

bool is_refused(const slk_online_call& call, const List& list, const CallLimits& limits = kLimits) {
  try {
    check_call(2, call, list, limits);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank 2 has written over"), std::string::npos);
    return true;
  }
  return false;
}

TEST(CallCheck, LetsPassWhatTheLibraryHandsOver) {
  EXPECT_FALSE(is_refused(to(Operation::send, 3), {}));
  EXPECT_FALSE(is_refused(to(Operation::recv, SLK_PEER_ANY), {}));
  EXPECT_FALSE(is_refused(to(Operation::sendrecv, SLK_PEER_NULL), {}));
  EXPECT_FALSE(is_refused(call_of(Operation::waitall), {1, SLK_ONLINE_REQUESTS - 1}));
  EXPECT_FALSE(is_refused(call_of(Operation::barrier), {}));
  EXPECT_FALSE(is_refused(call_of(Operation::allgatherv), {8, 0, 16}));
  EXPECT_FALSE(is_refused(call_of(Operation::ialltoallv), {8, 0, 16, 1, 2, 3}));
  EXPECT_FALSE(is_refused(call_of(Operation::comm_create_group), {0, 2}));
  EXPECT_FALSE(is_refused(call_of(Operation::finalize), {}));
}

TEST(CallCheck, RefusesWhatIsNotInTheTablesOfTheSimulator) {
  EXPECT_TRUE(is_refused(to(Operation::send, 4), {}));
  EXPECT_TRUE(is_refused(to(Operation::send, SLK_PEER_ANY), {}));
  EXPECT_TRUE(is_refused(to(Operation::recv, -9), {}));
  EXPECT_TRUE(is_refused(call_of(Operation::wait), {}));
  EXPECT_TRUE(is_refused(call_of(Operation::waitall), {1, SLK_ONLINE_REQUESTS}));
  EXPECT_TRUE(is_refused(call_of(Operation::waitall), {-1}));
  EXPECT_TRUE(is_refused(call_of(Operation::allgatherv), {8, 0}));
  EXPECT_TRUE(is_refused(call_of(Operation::allgatherv), {8, -1, 8}));
  EXPECT_TRUE(is_refused(call_of(Operation::comm_create_group), {2, 4}));
  EXPECT_TRUE(is_refused(call_of(Operation::comm_create_group), {0, 3}));
  EXPECT_TRUE(is_refused(call_of(Operation::neighbor_alltoall), {}));
  EXPECT_TRUE(is_refused(call_of(Operation::psend_init), {}));
  EXPECT_TRUE(is_refused(call_of(static_cast<Operation>(255)), {}));
  CallLimits no_member = kLimits;
  no_member.is_member = false;
  EXPECT_TRUE(is_refused(to(Operation::send, 3), {}, no_member));
}

TEST(CallCheck, RefusesEachFieldThatIsOverwritten) {
  const std::vector<std::function<void(slk_online_call&)>> overwrite{
      [](slk_online_call& call) { call.kind = 0; },
      [](slk_online_call& call) { call.kind = SLK_ONLINE_REFUSED + 1; },
      [](slk_online_call& call) { call.operation = std::numeric_limits<std::uint32_t>::max(); },
      [](slk_online_call& call) { call.data = 1 << 20; },
      [](slk_online_call& call) { call.result = std::numeric_limits<std::uint64_t>::max(); },
      [](slk_online_call& call) { call.place = SLK_ONLINE_REQUESTS; },
      [](slk_online_call& call) { call.source = 4; },
      [](slk_online_call& call) { call.bytes = std::numeric_limits<std::uint64_t>::max(); },
      [](slk_online_call& call) { call.back = std::numeric_limits<std::uint64_t>::max(); },
      [](slk_online_call& call) { call.cpu_ns = std::numeric_limits<std::uint64_t>::max(); }};
  for (std::size_t i = 0; i < overwrite.size(); ++i) {
    slk_online_call call = to(Operation::send, 3);
    overwrite[i](call);
    EXPECT_TRUE(is_refused(call, {})) << i;
  }
}

TEST(CallCheck, RefusesAListThatIsLongerThanItsRoom) {
  const auto area = std::make_unique<slk_online_rank>();
  slk_online_call call = call_of(Operation::waitall);
  call.n_args = SLK_ONLINE_LISTS;
  EXPECT_EQ(list_of(0, call, *area).size(), std::size_t{SLK_ONLINE_LISTS});
  ++call.n_args;
  EXPECT_THROW(list_of(0, call, *area), Error);
}

TEST(CallCheck, SaysThatAnAnswerIsTooLong) {
  std::array<std::int64_t, 3> words{0, 0, 7};
  std::size_t at = 0;
  const std::span<std::int64_t> room(words.data(), 2);
  put_word(room, at, 1);
  put_word(room, at, 2);
  EXPECT_THROW(put_word(room, at, 3), Error);
  EXPECT_EQ(words[2], 7);
}

}  // namespace
}  // namespace slackline::online
