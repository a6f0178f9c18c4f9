#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "graph/collectives/step_writer.h"

namespace slackline::collectives {

/// The blocks that a rank of alltoall, alltoallv or alltoallw exchanges, equal or counted alike.
class ExchangedBlocks {
 public:
  explicit ExchangedBlocks(const StepWriter& w)
      : equal_(w.call().operation == Operation::alltoall), bytes_(w.bytes()) {
    const auto ranks = static_cast<std::size_t>(w.size());
    if (equal_ || w.own().size() < 2 * ranks) return;
    counts_ = w.own().first(2 * ranks);
  }
  bool known() const { return equal_ || !counts_.empty(); }
  std::uint64_t to(std::int32_t rank) const { return at(static_cast<std::size_t>(rank)); }
  std::uint64_t from(std::int32_t rank) const {
    return at(counts_.size() / 2 + static_cast<std::size_t>(rank));
  }

 private:
  std::uint64_t at(std::size_t index) const {
    if (equal_) return bytes_;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(counts_[index], 0));
  }

  bool equal_;
  std::uint64_t bytes_;
  std::span<const std::int64_t> counts_{};
};

}  // namespace slackline::collectives
