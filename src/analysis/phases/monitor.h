#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/ideal_replay.h"
#include "analysis/paths/critical_path.h"
#include "analysis/phases/loop_changes.h"
#include "analysis/waits/wait_states.h"
#include "calls/call_paths.h"
#include "calls/run_span.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/trace.h"
#include "trace/trace_extras.h"

namespace slackline {

/// The transfer-efficiency monitor of one rank ("Identifying focus-of-analysis regions in MPI
/// traces using transfer-efficiency monitors", formulas 2 and 3): one value after every pair of a
/// computation and the call that follows it.
///
/// The paper's local monitor is at most 1, as it takes the ideal length for a part of the observed
/// one. But on the ideal network a rank may wait in one pair for what it waited for in another one
/// when observed; such a pair loses nothing to transfer: its local efficiency is 1. The cumulative
/// monitor takes all lengths as they are.
struct TransferMonitor {
  std::vector<std::int64_t> time_ns;  ///< end of the pair, from the start of the run
  std::vector<double> local;          ///< ideal over observed length of the pair, at most 1
  std::uint64_t longer_pairs = 0;     ///< that are longer on the ideal network than observed
  std::vector<double> cumulative;     ///< the same of all pairs up to this one

  auto carried() { return std::tie(time_ns, local, longer_pairs, cumulative); }
};
/// For a rank of `trace`; `ideal` is of the same trace, `start_ns` the start of the run. O(calls of
/// the rank).
TransferMonitor transfer_monitor(const Trace& trace, const IdealRun& ideal, std::int32_t rank,
                                 std::int64_t start_ns);

/// Efficiencies of all ranks in an interval of time.
struct WindowEfficiency {
  double useful = 0;         ///< mean computation over the length: parallel efficiency
  double load_balance = 0;   ///< mean over largest computation
  double serialisation = 0;  ///< largest computation over the ideal length
  double transfer = 0;       ///< ideal over observed length, mean of the ranks
  /// Work over thread time outside of MPI, as HybridFactors::openmp; of runs with OpenMP regions.
  /// Each rank has as many threads as its largest team of the analysed interval.
  std::optional<double> openmp{};
  std::int32_t busiest_rank = -1;  ///< that computes longest
};

/// What limits the efficiency of an interval most; or that it lies before or after the analysed
/// interval.
enum class IntervalKind : std::uint8_t {
  computing,
  imbalance,
  serialisation,
  transfer,
  threads,  ///< of OpenMP are idle
  startup,
  shutdown
};
std::string_view to_string(IntervalKind kind);  ///< for scripts
std::string_view name(IntervalKind kind);       ///< for people

/// A focus-of-analysis region, as the paper calls it: an interval of time with a behaviour of its
/// own.
struct FocusInterval {
  std::int64_t begin_ns = 0;  ///< from the start of the run
  std::int64_t end_ns = 0;
  IntervalKind kind = IntervalKind::computing;
  double confidence = 1;  ///< of its begin: 0.5 is a coin's toss, 1 certain
  WindowEfficiency efficiency;
  std::int64_t waiting_ns = 0;                ///< of all ranks
  std::optional<WaitPattern> main_pattern{};  ///< that most of it is of
  std::int32_t path_rank = -1;                ///< where the critical path is for longest
  double path_share = 0;                      ///< part of the interval that it is there
  std::int32_t late_rank = -1;  ///< that causes most of the waiting; -1: none, or not known
  double late_share = 0;        ///< of the waiting with a cause that begins in the interval
  std::size_t phase = 0;  ///< intervals of one number behave alike; none of start-up and shut-down
  bool representative = false;  ///< the one to look at of its phase
};

struct MonitorOptions {
  std::optional<std::int32_t> rank{};  ///< the monitor's; without it the rank with most calls
  std::size_t windows = 256;           ///< fixed windows over the run, at least 8
  IdealOptions ideal{};
  /// In the trace's own time; without it RunSpan::common.
  std::optional<TimeInterval> analysed{};
};

/// How efficient a run is at each time.
struct EfficiencyCurves {
  std::int32_t rank = 0;  ///< of `transfer`
  std::int64_t length_ns = 0;
  TransferMonitor transfer;
  /// The borders of the fixed windows, one more than there are windows: from the end of the
  /// start-up to the begin of the shut-down.
  std::vector<std::int64_t> border_ns;
  std::vector<WindowEfficiency> windows;  ///< fixed
  WindowEfficiency whole;                 ///< of the analysed interval: the factors of all tables
};

/// The iterations of the run's longest loop. Times are from the start of the run.
struct RunIterations {
  struct Outlier {
    std::size_t iteration = 0;  ///< from 0
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
    double factor = 1;  ///< its length over the usual one
  };
  std::size_t count = 0;
  double period_ns = 0;  ///< median length
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::vector<IterationChange> changes;  ///< from one phase of the loop to the next
  std::vector<Outlier> outliers;
  std::vector<IterationTrend> trends;
  double off_processor_share = 0;  ///< as LoopChanges
  bool times_in_mpi_count = true;
};

/// The curves, the intervals that they fall into, and the iterations.
struct Monitor : EfficiencyCurves {
  std::vector<FocusInterval> intervals;
  std::size_t phases = 0;
  std::optional<RunIterations> iterations{};
  Findings findings;
};

/// Throws Error for an untimed trace or a rank that does not exist. O(calls).
Monitor monitor(const Trace& trace, const CallMatching& matching, const CallPaths& paths,
                const MonitorOptions& options);

/// What a monitor is made from, when it is known already.
struct MonitorInputs {
  const IdealRun& ideal;
  const WaitStates& waits;
  const CriticalPath& path;
  const CallPaths& paths;
  EfficiencyInputs analysed{};  ///< of the analysed interval
};
/// Takes a timed trace; MonitorOptions::ideal has no part in it. O(calls).
Monitor monitor(const Trace& trace, const MonitorInputs& inputs, const MonitorOptions& options);

class MonitoredRun;
/// The same of a run that need not be in memory as a whole; all processes call it together, and get
/// the same. Of `options` only `rank` and `windows` count. Some five passes over the ranks.
Monitor monitor(MonitoredRun& run, const MonitorOptions& options);

/// "Trend: computation (rank 3) grows steadily by 0.40 % per iteration, from 10 ms to 14 ms."
std::string trend_sentence(const IterationTrend& trend);
/// "From iteration 100 on, computation (mean of all ranks) is 802 us per iteration instead of ..."
std::string change_sentence(const IterationChange& change);
/// The tables and series of a monitor; `calls` with the values after every call.
Section monitor_section(const Monitor& monitor, bool calls);
using WindowsJson = JsonOf<struct WindowsJsonTag>;
const JsonType& declared_type(const WindowsJsonTag*);
/// The parts of the result: intervals, windows, iterations; times in ns from the start of the run.
extern const Rows<FocusInterval> kFocusIntervals;
WindowsJson windows_to_json(const Monitor& monitor);
extern const Rows<RunIterations> kIterations;
extern const Rows<Monitor> kMonitorRows;
using MonitorJson = JsonBy<kMonitorRows>;
Described<MonitorJson> describe(const Monitor& monitor);

/// The efficiencies of fixed windows, and the cumulative transfer efficiency of a rank, as curves
/// over a timeline of the trace: each window's value stands from its begin on.
std::vector<TimelineCounter> efficiency_counters(const Trace& trace,
                                                 const EfficiencyCurves& curves);

}  // namespace slackline
