#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/time_shares.h"
#include "analysis/efficiency/time_windows.h"
#include "analysis/paths/critical_path.h"
#include "analysis/paths/imbalance.h"
#include "analysis/paths/path_functions.h"
#include "analysis/phases/monitor.h"
#include "analysis/summary/limits.h"
#include "analysis/summary/root_causes.h"
#include "analysis/waits/wait_summary.h"
#include "calls/run_span.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

/// A wait that stands for others: the longest one for the rank that causes most waiting.
struct ExampleWait {
  WaitState state;
  std::int64_t begin_ns = 0;  ///< from the start of the run
};

/// All that is known of a measured run: each analysis once, over shared passes.
struct Diagnosis {
  TimeShares shares;
  /// For the first of shares.calls, at most eight of them.
  std::vector<CallStalls> stalls;
  Efficiency efficiency;
  PollGaps poll_gaps;
  TimeWindows waiting;  ///< of all ranks, over the analysed interval
  WaitSummary waits;    ///< with in_code where the recording has call paths
  CriticalPath path;
  /// Where the path runs in the analysed interval; empty without call paths.
  std::vector<PathFunction> path_functions;
  ImbalanceMetrics imbalance;
  Monitor monitor;
  RootCauses causes;
  std::vector<LimitingCause> limits;  ///< what limits the run, and the other causes
  /// For the largest of the delay costs; nothing where nobody waited.
  std::optional<ExampleWait> example;
  Findings findings;

  /// The time of the long calls of `stalls`, without waiting, where they are exceptions.
  std::int64_t long_calls_ns() const;
};

/// Throws Error for an untimed trace. Linear in calls.
Diagnosis diagnose(const Trace& trace, const CallPaths& paths,
                   const std::optional<TimeInterval>& analysed = std::nullopt);

/// How much a diagnosis finds.
enum class DiagnosisDetail : std::uint8_t {
  all,
  limits  ///< only what limits the run, when that changes, and how far to trust it: nothing of the
          ///< critical path, of imbalance by collective, of single calls and of causes of waits
};

/// What a diagnosis may be given beside the run.
struct DiagnosisOptions {
  DiagnosisDetail detail = DiagnosisDetail::all;
  /// In the trace's own time; without it RunSpan::common.
  std::optional<TimeInterval> analysed{};
  const Samples* samples = nullptr;  ///< of the trace; null: none
  /// Told what limits the run, with the run for other scenarios. Called once.
  std::function<void(ScenarioRuns&, std::span<const LimitingCause>)> limited{};
};
/// The same where who belongs to whom, and who waited, is known already. In two threads.
Diagnosis diagnose(const Trace& trace, const CallPaths& paths, const CallMatching& matching,
                   const CausalOrder& order, const WaitStates& waits,
                   const DiagnosisOptions& options = {});

/// Those findings of kinds that `known` does not have: what two analyses count is reported once.
Findings new_findings(const Findings& all, const Findings& known);

using MeasuredJson = JsonOf<struct MeasuredJsonTag>;
const JsonType& declared_type(const MeasuredJsonTag*);
/// What a diagnosis has to say in sections and, under the keys `diagnosis` and `measured`, for
/// scripts.
Described<MeasuredJson> describe(const Diagnosis& diagnosis, const Trace& trace,
                                 const CallPaths& paths);

/// Adds to the sections that describe `d` what its sentences (judgement.h, app/report/answers.h)
/// take their figures from and no analysis shows by itself: who and what causes wait time, in sum;
/// the calls that take most time; where losses lie in time; the critical path in the analysed
/// interval.
void add_evidence(const Diagnosis& d, const Trace& trace, const CallPaths& paths,
                  std::vector<Section>& sections);

}  // namespace slackline
