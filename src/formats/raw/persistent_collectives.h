#pragma once

#include <cstdint>
#include <vector>

#include "parallel/process_group.h"
#include "trace/rank_range.h"
#include "trace/trace_builder.h"

namespace slackline::raw {

/// A call that starts a persistent collective.
struct PersistentStart {
  std::uint32_t call;    ///< of its rank
  std::uint64_t number;  ///< of the collective among the persistent ones of its communicator
};

/// Lets starts of persistent collectives match by what they start. MPI lets each rank start those
/// of a communicator in an order of its own, also among its other collectives, while analyses take
/// the k-th collectives of all members for one. Where the orders differ, each persistent collective
/// moves to a communicator of its own with the same members. `starts` are by rank, and by call.
/// Several processes call it together, each with the calls and starts of the ranks `own` only; in
/// all of them the trace gets the same communicators. Linear in the calls where there are any
/// starts.
void separate_persistent_collectives(const std::vector<std::vector<PersistentStart>>& starts,
                                     RankRange own, TraceBuilder& trace, ProcessGroup& group);

}  // namespace slackline::raw
