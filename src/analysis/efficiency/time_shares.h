#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/ideal_replay.h"
#include "analysis/efficiency/time_windows.h"
#include "analysis/paths/call_activities.h"
#include "analysis/runs/time_breakdown.h"
#include "analysis/waits/wait_states.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// Where the ranks' measured time goes in the analysed interval, RunSpan::common unless another was
/// asked for.
struct TimeShares {
  /// MPI calls of one operation in one call path, of the ranks' main threads.
  struct OfCalls {
    Operation operation = Operation::none;
    PathId path = 0;
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;  ///< as the calls say
    std::int64_t time_ns = 0;
    std::int64_t waiting_ns = 0;
    std::int64_t unknown_ns = 0;  ///< of inside_ns(), in calls of which waiting is not known

    std::int64_t inside_ns() const { return time_ns - waiting_ns; }
  };

  std::int64_t begin_ns = 0;   ///< of the analysed interval, from the start of the run
  std::int64_t length_ns = 0;  ///< of the analysed interval
  std::int64_t run_ns = 0;     ///< of the run, with MPI_Init and MPI_Finalize
  AnalysedExtent extent = AnalysedExtent::common;
  RunSpan::Ends ends{};
  TimeInterval program;       ///< what a model predicts of it, from the start of the run
  std::int64_t ideal_ns = 0;  ///< of the analysed interval on the ideal network
  std::vector<RankTime> ranks_ns;
  std::size_t present = 0;  ///< ranks that have calls; the others' times are 0 and count nowhere
  RankTime sum_ns;
  /// CPU time of the job, and time blocked outside of MPI, over ranks * length_ns: how much of a
  /// processor the mean rank had in that interval at most (MPI_Init and MPI_Finalize took some)
  /// when it wanted one. Where it was recorded; at most 1.
  std::optional<double> processor_share;
  /// By rank: in which part of its computation, and of the time in which it wanted to compute, it
  /// had a processor. Empty where no rank's recording has times without one.
  std::vector<double> on_processor;
  std::vector<OfCalls> calls;  ///< most time inside of MPI without waiting first
  /// The part of sum_ns.mpi in calls for which no waiting is defined
  /// (waiting_is_known()).
  std::int64_t unknown_ns = 0;
  /// In MPI_Init and MPI_Finalize outside of the analysed interval, mean of the ranks.
  std::int64_t environment_ns = 0;

  /// What is left of sum_ns.mpi: moving data, and MPI's own work.
  std::int64_t own_ns() const { return sum_ns.mpi - unknown_ns; }

  /// As a share of the ranks' time; 0 for an empty run.
  double share(std::int64_t ns) const {
    const double all = static_cast<double>(length_ns) * static_cast<double>(present);
    return all > 0 ? static_cast<double>(ns) / all : 0;
  }
};

/// A rank with less of a processor than this share of its time is called oversubscribed.
inline constexpr double kWholeProcessor = 0.8;
/// A smaller part of the rank time shows as 0.0 %.
inline constexpr double kShownPart = 0.0005;

/// `waits`: those in `analysed` (waits_in_interval()), which is in the trace's own time. Calls that
/// reach over an end of it count with the part inside.
/// Empty for an untimed trace and one without calls. O(calls).
TimeShares time_shares(const Trace& trace, const CallMatching& matching,
                       const CallActivities& names, const WaitStates& waits, const IdealRun& ideal,
                       const TimeInterval& analysed);

/// What POP's multiplicative factors of that interval are made of: its parallel efficiency is
/// share(sum_ns.compute). (The whole run's are in Efficiency.)
EfficiencyInputs efficiency_inputs(const TimeShares& shares);

/// Calls that take much longer than others of their size without waiting for a rank: no network
/// explains them, and they make a mean that no call has.
struct CallStalls {
  double median_ns = 0;     ///< over all calls, without waiting
  std::uint64_t calls = 0;  ///< that take over ten times the median of calls of their size
  std::int64_t sum_ns = 0;  ///< their time without waiting
  TimeWindows by_time;      ///< all calls' time without waiting, over the analysed interval
};

/// For each of `of`. O(calls + waits log waits); 8 bytes for each of these calls.
std::vector<CallStalls> call_stalls(const Trace& trace, const CallActivities& names,
                                    const WaitStates& waits, const TimeInterval& analysed,
                                    std::span<const TimeShares::OfCalls> of);

}  // namespace slackline
