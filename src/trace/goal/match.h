#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "trace/goal/program.h"

namespace slackline {

/// Which send each receive of a GOAL program gets, and the other way round. Operations are numbered
/// over all ranks. 4 bytes an operation.
class GoalMatches {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  /// Matches in the order of the file: the n-th receive from a source and tag gets the n-th send
  /// from there with that tag. Receives with wildcards come after all others and take, of what is
  /// left, what is earliest in its sender's block; who comes first in a run depends on time, and
  /// the findings say how many there are. Throws Error when something has no partner: how many,
  /// and the first few.
  GoalMatches(const GoalProgram& program, std::string_view name, unsigned threads = 0);

  std::uint32_t first(std::uint32_t rank) const { return first_[rank]; }
  std::uint32_t operation_count() const { return first_.back(); }
  std::uint32_t rank_of(std::uint32_t operation) const;
  /// The operation that sends to or receives from `operation`; kNone for a calc.
  std::uint32_t partner(std::uint32_t operation) const { return partner_[operation]; }
  const Findings& findings() const { return findings_; }

 private:
  std::vector<std::uint32_t> first_;  // of each rank, and one past the end
  std::vector<std::uint32_t> partner_;
  Findings findings_;
};

}  // namespace slackline
