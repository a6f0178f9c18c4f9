#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/ideal_replay.h"
#include "analysis/efficiency/rank_clock.h"
#include "analysis/openmp/thread_clock.h"
#include "analysis/paths/critical_path.h"
#include "analysis/waits/wait_states.h"
#include "base/packed.h"
#include "calls/call_paths.h"
#include "calls/run_span.h"
#include "trace/rank_range.h"
#include "trace/trace.h"

namespace slackline {

/// A rank of a run, with what only all ranks together show of it. Not for several threads at once.
class MonitoredRank {
 public:
  /// Keeps references. `trace` and `ideal` have to know this rank only; `waits` are its effective
  /// ones in the analysed interval.
  MonitoredRank(const Trace& trace, const CallPaths& paths, const IdealRun& ideal,
                std::vector<WaitState> waits, std::int32_t rank)
      : trace_(trace), paths_(paths), ideal_(ideal), waits_(std::move(waits)), rank_(rank) {}

  std::int32_t rank() const { return rank_; }
  const Trace& trace() const { return trace_; }
  const RankCalls& calls() const { return trace_.calls(rank_); }
  const CallPaths& paths() const { return paths_; }
  const IdealRun& ideal() const { return ideal_; }
  std::span<const WaitState> waits() const { return waits_; }
  /// Made when it is first asked for.
  const RankClock& clock() const {
    if (!clock_) clock_.emplace(calls(), ideal_, rank_);
    return *clock_;
  }
  /// The same of its threads, with the size of its largest team in that interval.
  const ThreadClock& threads(const TimeInterval& analysed) const {
    if (!threads_) threads_.emplace(calls(), analysed);
    return *threads_;
  }

 private:
  const Trace& trace_;
  const CallPaths& paths_;
  const IdealRun& ideal_;
  const std::vector<WaitState> waits_;
  const std::int32_t rank_;
  mutable std::optional<RankClock> clock_;
  mutable std::optional<ThreadClock> threads_;
};

/// From here on the critical path is on that rank, to the next turn or the end of the run.
struct PathTurn {
  std::int64_t begin_ns = 0;  ///< from the start of the run
  std::int32_t rank = 0;
};
/// Appends the segments that follow. O(segments).
void append_turns(std::vector<PathTurn>& turns, std::span<const ActivitySegment> segments);

/// What is known of a run as a whole.
struct MonitoredFacts {
  RunSpan span;
  std::vector<std::uint64_t> calls{};  ///< by rank
  TimeInterval analysed;               ///< in the trace's own time
  EfficiencyInputs inputs{};           ///< of the analysed interval
  bool has_regions = false;            ///< of OpenMP
  std::uint64_t released = 0;          ///< IdealRun::released
  std::vector<PathTurn> path{};        ///< all of it
};

/// A run whose ranks are looked at rank by rank, as often as there are questions. Several processes
/// may have some of the ranks each: then all ask the same questions in the same order.
class MonitoredRun {
 public:
  explicit MonitoredRun(MonitoredFacts facts) : facts_(std::move(facts)) {}
  MonitoredRun(const MonitoredRun&) = delete;
  MonitoredRun& operator=(const MonitoredRun&) = delete;
  virtual ~MonitoredRun() = default;

  const MonitoredFacts& facts() const { return facts_; }

  /// find(MonitoredRank) of each rank that has calls, by rank, in all processes. `Found` is one
  /// that can be packed.
  template <class Found, class Find>
  std::vector<Found> of_each_rank(const Find& find) {
    std::vector<Found> found(facts_.calls.size());
    visit([&](const MonitoredRank& rank) {
      found[static_cast<std::size_t>(rank.rank())] = find(rank);
    });
    if (!is_shared()) return found;
    std::vector<std::byte> mine;
    for (std::size_t r = 0; r < found.size(); ++r) {
      if (own_ranks().contains(r)) pack(mine, found[r]);
    }
    const std::vector<std::byte> all = joined(std::move(mine));
    std::span<const std::byte> rest(all);
    for (Found& of : found) unpack(rest, of);
    return found;
  }

 private:
  /// Calls visit(rank) for the process's own ranks that have calls, in threads.
  virtual void visit(const std::function<void(const MonitoredRank&)>& visit) = 0;
  virtual bool is_shared() const { return false; }
  virtual RankRange own_ranks() const { return {}; }
  /// What all processes give, those of lower ranks first.
  virtual std::vector<std::byte> joined(std::vector<std::byte> mine) { return mine; }

  const MonitoredFacts facts_;
};

}  // namespace slackline
