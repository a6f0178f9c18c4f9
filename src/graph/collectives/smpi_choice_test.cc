#include "graph/collectives/choice.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace slackline {
namespace {

using enum Operation;

constexpr std::string_view kSelectors[] = {"default", "ompi", "mpich", "mvapich2", "impi"};

struct Decision {
  Operation operation;
  std::int32_t ranks, ranks_a_node;
  std::uint64_t bytes;
  std::string_view smpi_name;
};

// Boundaries of rows of SimGrid's impi tables, sampled by hand; a size that equals a row's limit
// belongs to the next row.
constexpr Decision kIntel[] = {
    {allreduce, 2, 1, 5, "ompi_ring_segmented"},
    {allreduce, 2, 1, 6, "rdb"},
    {allreduce, 2, 1, 84, "rdb"},
    {allreduce, 2, 1, 85, "ompi_ring_segmented"},
    {allreduce, 12, 1, 16000, "rab1"},
    {allreduce, 12, 1, 600000, "redbcast"},
    {allreduce, 17, 1, 10, "mvapich2_two_level"},
    {allreduce, 16, 4, 586, "rdb"},
    {allreduce, 16, 4, 587, "rab1"},
    {alltoall, 2, 1, 0, "pair"},
    {alltoallv, 100, 4, 1000, "ompi_basic_linear"},
    {gather, 64, 1, 47187, "ompi_binomial"},
    {scatter, 100, 1, 245131, "ompi_binomial"},
    {reduce_scatter, 16, 2, 0, "default"},
};

TEST(SmpiDecision, IntelsTablesAreReadByNodesRanksAndBytes) {
  for (const Decision& d : kIntel) {
    std::vector<std::int32_t> nodes;
    for (std::int32_t r = 0; r < d.ranks; ++r) nodes.push_back(r / d.ranks_a_node);
    CollectiveCall call{.operation = d.operation, .size = d.ranks, .bytes = d.bytes};
    call.nodes = nodes;
    const SmpiDecision found = smpi_decision("impi", call);
    ASSERT_NE(found.algorithm, nullptr);
    EXPECT_EQ(found.algorithm, find_smpi_algorithm(d.operation, d.smpi_name))
        << d.smpi_name << ", but got " << found.algorithm->name;
    EXPECT_TRUE(found.needs_setup);
  }
}

TEST(SmpiDecision, EverySelectorKnowsAnAlgorithmOfThatOperation) {
  for (const std::string_view selector : kSelectors) {
    for (const CollectiveAlgorithm& a : collective_algorithms()) {
      for (const std::int32_t ranks_a_node : {1, 2, 3, 4, 8, 16}) {
        for (const std::int32_t ranks : {2, 3, 12, 48, 96, 999}) {
          std::vector<std::int32_t> nodes;
          for (std::int32_t r = 0; r < ranks; ++r) nodes.push_back(r / ranks_a_node);
          for (std::uint64_t bytes = 0; bytes < std::uint64_t{8} << 20U; bytes = 5 * bytes + 1) {
            CollectiveCall call{.operation = a.operation, .size = ranks, .bytes = bytes};
            call.nodes = nodes;
            const SmpiDecision found = smpi_decision(selector, call);
            ASSERT_NE(found.algorithm, nullptr)
                << selector << " of " << a.name << ", " << ranks << " ranks, " << ranks_a_node
                << " a node, " << bytes << " bytes, operation " << static_cast<int>(a.operation);
            // With equal counts that is the same.
            const bool block = a.operation == Operation::reduce_scatter_block;
            ASSERT_EQ(found.algorithm->operation, block ? Operation::reduce_scatter : a.operation)
                << selector;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace slackline
