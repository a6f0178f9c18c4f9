#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "graph/collectives/schedule.h"

namespace slackline {
namespace {

using Key = std::pair<Operation, std::string_view>;

TEST(Table, NamesAreUniqueWithinAnOperation) {
  std::set<Key> names;
  std::set<Key> smpi_names;
  for (const CollectiveAlgorithm& a : collective_algorithms()) {
    EXPECT_TRUE(names.insert({a.operation, a.name}).second) << a.name;
    if (!a.smpi_name.empty()) {
      EXPECT_TRUE(smpi_names.insert({a.operation, a.smpi_name}).second) << a.smpi_name;
    }
    EXPECT_FALSE(a.description.empty()) << a.name;
  }
}

TEST(Table, HasEveryBlockingCollective) {
  std::set<Operation> covered;
  for (const CollectiveAlgorithm& a : collective_algorithms()) covered.insert(a.operation);
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    const auto operation = static_cast<Operation>(i);
    EXPECT_EQ(covered.contains(operation), operation_class(operation) == OperationClass::collective)
        << identifier(operation);
  }
}

TEST(Table, FindsByNameAndBySimGridName) {
  const auto name = [](Operation operation, std::string_view word) {
    const CollectiveAlgorithm* found = find_algorithm(operation, word);
    return found == nullptr ? std::string_view("(none)") : found->name;
  };
  EXPECT_EQ(name(Operation::barrier, "dissemination"), "dissemination");
  EXPECT_EQ(name(Operation::barrier, "ompi_bruck"), "dissemination");
  EXPECT_EQ(name(Operation::bcast, "scatter-allgather"), "scatter_allgather");
  EXPECT_EQ(name(Operation::bcast, "Scatter_LR_allgather"), "scatter_ring_allgather");
  EXPECT_EQ(name(Operation::reduce, "flat_tree"), "linear");
  EXPECT_EQ(name(Operation::bcast, "rabenseifner"), "(none)");
  EXPECT_EQ(name(Operation::scan, ""), "(none)");
  // Where SimGrid's word means another algorithm, ours wins, and SimGrid's is found by its own.
  EXPECT_EQ(name(Operation::allgather, "ring"), "ring");
  EXPECT_EQ(find_smpi_algorithm(Operation::allgather, "ring")->name, "spread");
  EXPECT_EQ(find_smpi_algorithm(Operation::alltoallv, "ring")->name, "pairwise");
}

// Where an algorithm does not apply, it says which one performs the call; and that one does.
TEST(Table, StandInsAreNamed) {
  std::set<std::string> seen;
  for (const CollectiveAlgorithm& asked : collective_algorithms()) {
    if (asked.uses_nodes) continue;
    for (std::int32_t size = 2; size <= 9; ++size) {
      std::string_view performed;
      CollectiveCall call{
          .operation = asked.operation, .size = size, .bytes = 8, .element_bytes = 8};
      call.stand_in = &performed;
      std::vector<CollectiveStep> steps;
      asked.expand(call, 0, {}, steps);
      if (performed.empty()) continue;
      seen.insert(std::string(asked.name));
      call.stand_in = nullptr;
      const CollectiveAlgorithm* other = find_algorithm(asked.operation, performed);
      ASSERT_NE(other, nullptr) << performed;
      std::vector<CollectiveStep> expected;
      other->expand(call, 0, {}, expected);
      EXPECT_EQ(steps, expected) << asked.name << " as " << performed << " of " << size;
    }
    if (asked.description.find("unless P") != std::string_view::npos) {
      EXPECT_TRUE(seen.contains(std::string(asked.name))) << asked.name;
    }
  }
  EXPECT_TRUE(seen.contains("ring"));
}

}  // namespace
}  // namespace slackline
