#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "base/keyed_rows.h"
#include "calls/call_matching.h"
#include "calls/run_part.h"
#include "trace/trace.h"

namespace slackline {

/// Waiting over executing: mpi-graph's metric ("Methods for finding the critical path of MPI
/// programs", section 5.2), in ns.
struct Imbalance {
  std::int64_t before_ns = 0;   ///< until the last member enters
  std::int64_t after_ns = 0;    ///< after the first one leaves
  std::int64_t execute_ns = 0;  ///< between the two, when all take part
  std::int64_t program_ns = 0;  ///< between calls; 0 for single calls

  std::int64_t waiting_ns() const { return before_ns + after_ns; }
  double ratio() const {
    const std::int64_t whole = execute_ns + program_ns;
    return whole > 0 ? static_cast<double>(waiting_ns()) / static_cast<double>(whole) : 0;
  }
  void add(const Imbalance& other);
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

/// Sums over a part of a run; those of all parts are the run's.
struct ImbalanceSums {
  struct OfOperation {
    Operation operation;
    std::uint64_t calls = 0;
    std::uint64_t left_out = 0;  ///< calls as in ImbalanceMetrics
    Imbalance imbalance;

    Operation key() const { return operation; }
    void add(const OfOperation& other);
  };
  struct OfRank {
    std::int32_t rank;
    Imbalance imbalance;

    std::int32_t key() const { return rank; }
    void add(const OfRank& other) { imbalance.add(other.imbalance); }
  };
  std::vector<OfOperation> operations{};
  std::vector<OfRank> ranks{};

  auto tables() { return std::tie(operations, ranks); }
  void add_up() { add_up_tables(tables()); }
};

/// Imbalance of the blocking collectives. O(members + calls).
ImbalanceSums imbalance_sums(const Trace& trace, const CallMatching& matching, const RunPart& part);
/// `sums`: of a whole run of `ranks` ranks.
ImbalanceMetrics imbalance_metrics(const ImbalanceSums& sums, std::int32_t ranks);
/// The same where the trace is a whole run.
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
