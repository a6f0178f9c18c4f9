#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/paths/call_activities.h"
#include "analysis/waits/delay_costs.h"
#include "analysis/waits/wait_states.h"
#include "base/arithmetic.h"
#include "calls/run_part.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// A wait with what a report says of its call. Calls are numbered in the whole run.
struct DescribedWait {
  std::int64_t wait_ns = 0;
  std::int32_t rank = 0;
  CallIndex call = 0;
  Operation operation = Operation::none;
  std::int64_t enter_ns = 0;
  std::int64_t exit_ns = 0;
  std::int32_t cause_rank = -1;  ///< as WaitState::cause_rank
  CallIndex cause_call = kNoCall;
};

/// All waits of one pattern.
struct PatternSum {
  WaitPattern pattern = WaitPattern::late_sender;
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::int64_t between_polls_ns = 0;
  std::int64_t least_ns = 0;
  Int128 squares = 0;     ///< of the lengths; ns^2
  DescribedWait worst{};  ///< the longest; of equal ones that of the lowest rank, then the first
  std::uint64_t wrong_order_count = 0;
  std::int64_t wrong_order_same_ns = 0;
  std::int64_t wrong_order_different_ns = 0;
  FixedPointSum direct_ns{};  ///< as of WaitOrigin, like those below
  FixedPointSum indirect_ns{};
  FixedPointSum propagating_ns{};

  WaitPattern key() const { return pattern; }
  void add(const PatternSum& other);
};

/// How many waits of a pattern have a length.
struct LengthCount {
  WaitPattern pattern;
  std::int64_t ns;
  std::uint64_t count;

  std::pair<WaitPattern, std::int64_t> key() const { return {pattern, ns}; }
  void add(const LengthCount& other) { count += other.count; }
};

/// What one rank waits in one place.
struct PlaceSum {
  struct Key {
    WaitPattern pattern;
    Operation operation;
    PathId path;
    std::int32_t rank;
    auto operator<=>(const Key&) const = default;
  };
  Key of;
  std::uint64_t count;
  std::int64_t sum_ns;
  std::int64_t effective_ns;  ///< of effective states

  const Key& key() const { return of; }
  void add(const PlaceSum& other) {
    count += other.count;
    sum_ns += other.sum_ns;
    effective_ns += other.effective_ns;
  }
};

/// One rank's time.
struct RankWaitSum {
  std::int32_t rank;
  std::int64_t waiting_ns;  ///< of effective states
  std::int64_t mpi_ns;      ///< in the analysed interval, of the main thread

  std::int32_t key() const { return rank; }
  void add(const RankWaitSum& other) {
    waiting_ns += other.waiting_ns;
    mpi_ns += other.mpi_ns;
  }
};

/// Totals as in DelayCosts; ns.
struct ExplainedSum {
  FixedPointSum unexplained_ns;
  std::int64_t waiting_ns;

  int key() const { return 0; }
  void add(const ExplainedSum& other) {
    unexplained_ns += other.unexplained_ns;
    waiting_ns += other.waiting_ns;
  }
};

/// Wait times of a part of a run. Adding up the sums of all parts gives those of the run exactly,
/// in any order: all are integers.
class WaitSums {
 public:
  WaitSums() = default;
  /// `trace`: a part of the run. `waits`: those that count, in `interval`; `delay_costs`: theirs;
  /// `first_calls`: by rank, the number in the run of its first call here; empty: 0. O(calls +
  /// waits log waits).
  WaitSums(const Trace& trace, const CallActivities& names, const WaitStates& waits,
           const DelayCosts& delay_costs, const TimeInterval& interval, const RunPart& part,
           std::span<const CallIndex> first_calls);

  auto tables() { return std::tie(patterns, lengths, places, ranks, delays, explained); }
  void add_up();

  // Ascending by key.
  std::vector<PatternSum> patterns{};
  /// Exact for up to a million waits of a pattern; of more, each is rounded to 13 binary digits.
  std::vector<LengthCount> lengths{};
  std::vector<PlaceSum> places{};
  std::vector<RankWaitSum> ranks{};
  std::vector<DelayCost> delays{};
  std::vector<ExplainedSum> explained{};

 private:
  void add_places(const Trace& trace, const CallActivities& names, const WaitStates& waits);
  void round_lengths();
};

}  // namespace slackline
