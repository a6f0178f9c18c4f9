#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "graph/collectives/step_writer.h"

namespace slackline::collectives {

/// The blocks that a rank of alltoall, alltoallv or alltoallw exchanges, equal or counted alike.
/// For the latter without counts only CollectiveCall::bytes is known, what a rank sends in all: it
/// is spread evenly.
class ExchangedBlocks {
 public:
  explicit ExchangedBlocks(const StepWriter& w) : bytes_(w.bytes()) {
    if (w.call().operation == Operation::alltoall) return;
    const auto ranks = static_cast<std::size_t>(w.size());
    bytes_ /= ranks;
    if (w.own().size() >= 2 * ranks) counts_ = w.own().first(2 * ranks);
  }
  std::uint64_t to(std::int32_t rank) const { return at(static_cast<std::size_t>(rank)); }
  std::uint64_t from(std::int32_t rank) const {
    return at(counts_.size() / 2 + static_cast<std::size_t>(rank));
  }

 private:
  std::uint64_t at(std::size_t index) const {
    if (counts_.empty()) return bytes_;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(counts_[index], 0));
  }

  std::uint64_t bytes_;
  std::span<const std::int64_t> counts_{};
};

}  // namespace slackline::collectives
