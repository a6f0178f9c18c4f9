#pragma once

#include <cstdint>
#include <vector>

#include "base/findings.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// Which calls are one collective: the k-th on a communicator of all its members.
struct CollectiveCalls {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Part {
    std::uint32_t id;      ///< kNone: takes part in nothing
    std::uint32_t member;  ///< index into `members`
  };
  std::vector<CollectiveInstance> instances;
  std::vector<CollectiveMember> members;
  /// Of each rank: its calls that joins_collective() holds for, in program order.
  std::vector<std::vector<Part>> of_rank;
  Findings findings;
};

bool joins_collective(Operation operation);

/// Linear.
CollectiveCalls assemble_collectives(const Trace& trace);

}  // namespace slackline
