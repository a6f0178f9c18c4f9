#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/options/option_values.h"
#include "app/options/run_request.h"
#include "app/options/summary_options.h"
#include "parallel/process_group.h"

namespace slackline {

class OptionList;
struct Report;

/// POP's efficiency factors, of several runs with their scalability.
struct EfficiencyRequest {
  /// The first is the reference of the scalability. Empty: the newest recording in the current
  /// folder.
  std::vector<std::string> traces{};
  RunRequest run{
      .reading = {bytes_per_call::kEfficiency}};  ///< which run of each; its `trace` is not used
  std::string causality = "dimemas";  ///< of collectives on the ideal network: dimemas or data
  std::string rendezvous = kRendezvousFrom;  ///< blocking sends of at least that size wait there
  std::string scaling{};                     ///< strong, weak; empty: by the runs
  std::string interval = "common";           ///< as resolve_interval() reads
  std::string extra_p{};                     ///< file to write, or empty
  SummaryOptions summary{};                  ///< of all traces as repeats
};
void declare(OptionList& options, EfficiencyRequest& request);

/// Several processes share the work where the answer is the same to the bit; only the first one
/// gets the report. Throws Error.
Report execute(const EfficiencyRequest& request, ProcessGroup& group = this_process());

/// Where ranks wait for others in an interval, how long, and what causes it. An eager threshold
/// given in `run.model` holds for measured runs, too: messages of at most that size do not wait for
/// their receiver. Without it, a measured send that is still under way when its receive begins has
/// waited.
struct WaitStatesRequest {
  RunRequest run{.reading = {bytes_per_call::kWaitStates}};
  std::string interval = "common";  ///< --interval, as resolve_interval() reads it
};
void declare(OptionList& options, WaitStatesRequest& request);

/// Several processes share the work where the answer is the same to the bit; only the first one
/// gets the report. Throws Error.
Report execute(const WaitStatesRequest& request, ProcessGroup& group = this_process());

/// Efficiencies over time and the phases that they show.
struct MonitorRequest {
  RunRequest run{.reading = {bytes_per_call::kMonitor}};
  std::optional<std::int32_t> rank{};  ///< followed call by call; default: the one with most calls
  std::size_t windows = 256;           ///< of equal width, that the run is cut into
  std::string causality = "dimemas";   ///< of collectives on the ideal network: dimemas or data
  std::string rendezvous = kRendezvousFrom;  ///< blocking sends of at least that size wait there
  std::string interval = "common";           ///< as resolve_interval() reads
};
void declare(OptionList& options, MonitorRequest& request);

/// Several processes share the work where the answer is the same to the bit; only the first one
/// gets the report. Throws Error.
Report execute(const MonitorRequest& request, ProcessGroup& group = this_process());

struct LoadedGraph;

/// The critical path of a run.
struct CriticalPathRequest {
  ModelRequest input{.reading = {bytes_per_call::kCriticalPath}};
  /// measured, predicted (or model) or simulated; empty: measured where the trace has times and no
  /// option of the model is given, else predicted
  std::string on{};
  PlatformOptions platform{};  ///< of the simulated run
  /// For measured and simulated runs: dag, dijkstra, delta-stepping, splits or intervals; all: what
  /// each of them finds and costs.
  std::string algorithm = "dag";
  std::string delta{};      ///< width of delta-stepping's buckets, as "5us"; empty: chosen
  std::string threshold{};  ///< intervals: shorter computations are left out
  bool segments = true;     ///< all segments of the path in the result, not only their sums
};
void declare(OptionList& options, CriticalPathRequest& request);

/// Several processes share the work where the answer is the same to the bit; only the first one
/// gets the report. Throws Error.
Report execute(const CriticalPathRequest& request, ProcessGroup& group = this_process());
/// That of the run which the model predicts, of a graph that is there; what the request says of
/// trace and model is not used.
Report execute(const CriticalPathRequest& request, const LoadedGraph& loaded);

/// Where in the code a run spends its time, on the critical path and at all.
struct HotspotsRequest {
  RunRequest run{.reading = {bytes_per_call::kHotspots}};
  std::string by = "function";      ///< function, line, call-path or module
  std::string interval = "common";  ///< see resolve_interval()
  std::size_t rows = 20;            ///< of the table; the result has all
};
void declare(OptionList& options, HotspotsRequest& request);

/// Throws Error, also for a trace without call paths and regions.
Report execute(const HotspotsRequest& request);

/// How two runs differ, by metric, call path and rank; a third one may stand beside them.
struct DiffRequest {
  std::string a{};                    ///< a trace
  std::string b{};                    ///< another one, or the same with another `on`
  std::string c{};                    ///< empty: none
  std::vector<std::string> more_a{};  ///< further runs of the program of `a`
  std::vector<std::string> more_b{};
  RunRequest run{
      .reading = {
          bytes_per_call::kWaitStates}};  ///< which run of each trace; its `trace` is not used
  std::string on_b{};                     ///< which run of the traces of B, if another than of A
  std::string on_c{};                     ///< which run of C
  std::size_t count = 1000;               ///< differences in the result at most
};
void declare(OptionList& options, DiffRequest& request);

/// Throws Error.
Report execute(const DiffRequest& request);

}  // namespace slackline
