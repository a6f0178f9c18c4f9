#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/call_paths.h"
#include "calls/iterations.h"
#include "trace/trace.h"

namespace slackline {

/// Times of one rank by iteration, in ns. All but `length` are those that an iteration would take
/// with the loop's usual number of calls of each kind, so that how many rounds an inner loop makes
/// is no change of its speed.
struct IterationTimes {
  std::vector<double> computation;    ///< outside of MPI, less the time without a processor
  std::vector<double> communication;  ///< in MPI without waiting
  std::vector<double> waiting;
  std::vector<double> without_processor;  ///< outside of MPI, as far as the recording says
  std::vector<double> length;             ///< of all of the iteration, as it was
  /// Thread time outside of MPI that is not work (ThreadTime::idle()), per thread, as it was; of
  /// runs with OpenMP regions.
  std::vector<double> idle_threads{};

  auto carried() {
    return std::tie(computation, communication, waiting, without_processor, length, idle_threads);
  }
};

/// `first_call`: the rank's in an IterationLoop; all is empty where the rank does not make the
/// iterations. `waits` are the rank's effective ones. O(calls of the rank).
IterationTimes iteration_times(const Trace& trace, const CallPaths& paths,
                               std::span<const WaitState> waits,
                               const std::vector<std::uint32_t>& first_call, std::int32_t rank);

/// What of the ranks' time changes from one phase to the next.
enum class PhaseMetric : std::uint8_t {
  structure,
  computation,
  communication,
  waiting,
  processors,  ///< time outside of MPI without a processor
  threads      ///< of OpenMP that are idle outside of MPI
};
/// The name of a metric in results: "computation".
std::string_view identifier(PhaseMetric metric);

/// A change of behaviour between two iterations of a loop.
struct IterationChange {
  std::size_t iteration = 0;  ///< the first one after the change
  PhaseMetric metric = PhaseMetric::structure;
  std::int32_t rank = -1;  ///< whose; -1: the mean of all ranks
  double before_ns = 0;    ///< of the metric, per iteration
  double after_ns = 0;
  double confidence = 1;
};

/// A metric that grows or declines steadily over all iterations of a loop.
struct IterationTrend {
  PhaseMetric metric = PhaseMetric::computation;
  std::int32_t rank = -1;  ///< whose; -1: the mean of all ranks
  double first_ns = 0;     ///< of the metric, in the first iteration
  double last_ns = 0;      ///< in the last one, without changes between phases
  double growth = 0;       ///< per iteration, on average, of the first iteration's
};

/// An iteration that takes longer than those around it.
struct OutlierIteration {
  std::size_t iteration = 0;
  double factor = 1;  ///< its length over the usual one around it
};

/// How a loop's iterations differ.
struct LoopChanges {
  std::vector<IterationChange> changes;    ///< ascending
  std::vector<OutlierIteration> outliers;  ///< ascending
  std::vector<IterationTrend> trends;      ///< one a metric at most
  /// Part of the time outside of MPI in which ranks lacked a processor, as far as the recording
  /// says.
  double off_processor_share = 0;
  bool times_in_mpi_count = true;  ///< false where that is too much
};

/// Where computation and communication change, of one rank or of all, and where the sequence of
/// calls does; waiting only counts where nothing else changes, as it follows from the others. Where
/// ranks lack processors, times in MPI are the machine's and do not count. `times` are the loop's.
/// O(ranks * iterations * log iterations).
LoopChanges loop_changes(const IterationLoop& loop, const std::vector<IterationTimes>& times);

}  // namespace slackline
