#pragma once

#include <cstdint>
#include <vector>

#include "trace/goal/program.h"

namespace slackline {

/// One rank's block in an order in which each operation comes after what it requires.
class GoalBlockOrder {
 public:
  /// `rank`: its dependencies sorted by dependent.
  explicit GoalBlockOrder(const GoalRank& rank);

  /// False: the block's dependencies run in a circle.
  bool exists() const { return exists_; }
  bool is_that_of_the_block() const { return order_.empty(); }
  std::uint32_t operation(std::uint32_t k) const { return order_.empty() ? k : order_[k]; }
  /// Index of its first dependency. `next`: the answer if the block's own order is taken.
  std::uint32_t first_dependency(std::uint32_t operation, std::uint32_t next) const {
    return order_.empty() ? next : first_[operation];
  }

 private:
  bool search(const GoalRank& rank, std::uint32_t root, std::vector<char>& state);

  std::vector<std::uint32_t> order_;  // empty: as in the block
  std::vector<std::uint32_t> first_;
  bool exists_ = true;
};

}  // namespace slackline
