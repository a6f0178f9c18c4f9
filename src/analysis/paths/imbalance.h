#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// Waiting over executing: mpi-graph's metric ("Methods for finding the critical path of MPI
/// programs", section 5.2), in ns.
struct Imbalance {
  double before_ns = 0;   ///< until the last member enters
  double after_ns = 0;    ///< after the first one leaves
  double execute_ns = 0;  ///< between the two, when all take part
  double program_ns = 0;  ///< between calls; 0 for single calls

  double ratio() const {
    const double whole = execute_ns + program_ns;
    return whole > 0 ? (before_ns + after_ns) / whole : 0;
  }
};

struct ImbalanceMetrics {
  struct OfOperation {
    Operation operation;
    std::uint64_t calls = 0;
    Imbalance imbalance;  ///< over all calls and ranks
  };
  std::vector<OfOperation> operations;  ///< most waiting first
  std::vector<Imbalance> ranks;
  Imbalance program;  ///< sums over all ranks
  /// Calls that some rank leaves before another enters it (no barrier inside): their times would be
  /// negative, and they are left out.
  std::uint64_t left_out = 0;
};

/// Imbalance of the blocking collectives. O(members).
ImbalanceMetrics imbalance_metrics(const Trace& trace, const CallMatching& matching);

/// The intervals method of the same paper (inverse topological sorting): computation intervals of
/// at least `threshold_ns`, in order of their begin, fall into groups that overlap; the longest of
/// each group is taken for critical. Needs no messages, is exact for bulk-synchronous programs
/// only.
struct IntervalPath {
  struct Interval {
    std::int64_t begin_ns;  ///< trace time
    std::int64_t end_ns;
    std::int32_t rank;
    CallIndex call;  ///< that ends it
  };
  std::vector<Interval> critical;   ///< one a group, in order of time
  std::uint64_t intervals = 0;      ///< that were long enough
  std::int64_t computation_ns = 0;  ///< of the critical ones together
};
/// O(calls log ranks).
IntervalPath interval_path(const Trace& trace, std::int64_t threshold_ns);

}  // namespace slackline
