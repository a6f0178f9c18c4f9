#pragma once

#include <cstdint>
#include <functional>

#include "analysis/summary/scenario_runs.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// Calls that a program could do without.
struct OmittedCalls {
  CallChanges changes{};
  std::uint64_t count = 0;   ///< messages, or calls that send none
  std::uint64_t of_all = 0;  ///< of the same kind
  /// The operation of most of them.
  Operation operation = Operation::none;
};

/// Messages of 0 bytes that single calls send, and the calls that receive them. O(messages).
OmittedCalls empty_messages(const Trace& trace, const CallMatching& matching);
/// All calls of one operation. O(calls).
OmittedCalls calls_of(const Trace& trace, Operation operation);
/// Calls that do what a later one does as well, which could do it for both:
///   - sends to the rank, tag and communicator of a later one, with only calls between that wait
///   for
///     nothing, and what receives them;
///   - transfers of one kind to the target and window of a later one, with only flushes between,
///   and
///     these; not what is fetched before a flush;
///   - collectives right before the same one on the same communicator, with less computation
///   between
///     than they take.
/// O(calls + messages).
OmittedCalls merged_calls(const Trace& trace, const CallMatching& matching);

}  // namespace slackline
