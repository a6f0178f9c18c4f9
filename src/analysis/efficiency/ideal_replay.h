#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// What a collective waits for on the ideal network.
enum class CollectiveCausality : std::uint8_t {
  dimemas,  ///< as Dimemas: all members for all, also in broadcasts; only reductions for the root
  data,     ///< what the data needs: a broadcast's members wait for the root alone, and so on
};

/// The name that parse_collective_causality() reads.
std::string_view to_string(CollectiveCausality causality);
/// Throws usage Error for an unknown name.
CollectiveCausality parse_collective_causality(std::string_view name);

struct IdealOptions {
  CollectiveCausality causality = CollectiveCausality::dimemas;
  /// Blocking sends of at least this many bytes wait for the receive to be posted.
  std::uint64_t rendezvous_bytes = 32 * 1024;
};

/// The run on a network of no latency and infinite bandwidth: time in MPI is only what causality
/// demands, computation is as measured. Times in ns from the trace's zero.
struct IdealRun {
  std::int64_t start_ns = 0;    ///< of the first rank
  std::int64_t runtime_ns = 0;  ///< from there to the last rank's end
  std::vector<std::int64_t> rank_end_ns;
  std::vector<std::int64_t> computation_ns;  ///< per rank: not removed, a late start included
  std::vector<std::vector<std::int64_t>> begin_ns;  ///< per rank, per call
  std::vector<std::vector<std::int64_t>> end_ns;
  std::uint64_t released = 0;  ///< calls that were let go on to break a deadlock
};

/// The rules are Dimemas' to the nanosecond (with causality `dimemas`): blocking sends of at least
/// rendezvous_bytes and synchronous ones wait for the posting of the receive, others for nothing;
/// receives and waits for the posting of the send; collectives for the last arrival; calls that do
/// not communicate keep their time. O(calls).
IdealRun ideal_run(const Trace& trace, const CallMatching& matching, const IdealOptions& options);

/// The run as an ideal network would have let it be: the same calls at the ideal run's times. All
/// messages and collectives obey causality in it.
Trace with_ideal_times(Trace measured, const IdealRun& ideal);

}  // namespace slackline
