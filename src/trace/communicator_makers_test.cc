#include "trace/communicator_makers.h"

#include <gtest/gtest.h>

#include <set>

namespace slackline {
namespace {

Call call_of(Operation operation, std::span<const std::int64_t> args) {
  return {.operation = operation, .comm = 3, .args = args};
}

TEST(CommunicatorMakers, AreAllThatMakeOne) {
  std::set<Operation> listed;
  for (const CommunicatorMaker& maker : kCommunicatorMakers) {
    EXPECT_EQ(operation_class(maker.operation), OperationClass::comm_create);
    EXPECT_TRUE(listed.insert(maker.operation).second) << identifier(maker.operation);
  }
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    if (operation_class(operation) != OperationClass::comm_create) continue;
    EXPECT_TRUE(listed.contains(operation)) << identifier(operation);
  }
}

TEST(CommunicatorMakers, AreCollectiveOverTheParentOrOverWhatIsMade) {
  const std::int64_t made = 7;
  EXPECT_EQ(collective_comm(call_of(Operation::comm_dup, {&made, 1})), 3u);
  EXPECT_EQ(collective_comm(call_of(Operation::comm_split, {&made, 1})), 3u);
  EXPECT_EQ(collective_comm(call_of(Operation::comm_create_group, {&made, 1})), 7u);
  EXPECT_EQ(collective_comm(call_of(Operation::intercomm_create, {&made, 1})), 7u);
  EXPECT_EQ(collective_comm(call_of(Operation::barrier, {})), 3u);
}

TEST(CommunicatorMakers, WhoGetsNoneTakesPartOnlyWhereTheParentMakesIt) {
  const std::int64_t none = kCommNull;
  EXPECT_EQ(collective_comm(call_of(Operation::comm_split, {&none, 1})), 3u);
  EXPECT_EQ(collective_comm(call_of(Operation::comm_create_group, {&none, 1})), kCommNull);
  EXPECT_EQ(collective_comm(call_of(Operation::comm_create_group, {})), kCommNull);
}

}  // namespace
}  // namespace slackline
