#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/regression/job_summary.h"
#include "base/findings.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"

namespace slackline {

/// The runs of one commit on one number of ranks.
struct HistoryPoint {
  std::string commit;
  JobSummary runs;  ///< merged()
};

/// A quantity that changed with a commit.
struct HistoryChange {
  std::size_t point = 0;  ///< the first one after the change
  std::string quantity;   ///< of kRunMetrics, or "slowest" of `function`
  std::string function{};
  double before = 0;  ///< medians
  double after = 0;
  double p = 1;  ///< of the test that found it, not corrected
};

/// What the changes of one commit have in common: the function whose slowest rank changed most.
struct ChangedFunction {
  std::string name;
  std::int32_t rank = -1;     ///< the slowest one of most runs after (of a speed-up, before)
  double change_ns = 0;       ///< of its slowest rank
  double mean_change_ns = 0;  ///< of the mean over ranks
};

/// A commit with which something changed.
struct ChangedCommit {
  std::size_t point = 0;
  std::vector<HistoryChange> changes;
  std::vector<ChangedFunction> functions;  ///< that changed most first; one at most
};

/// All commits of one program on one number of ranks, oldest first.
struct RankHistory {
  std::int32_t ranks = 0;
  std::string program{};  ///< compared_command(); empty: not known
  std::vector<HistoryPoint> points;
  std::vector<ChangedCommit> changed;  ///< ascending
};

struct History {
  std::vector<RankHistory> by_ranks;  ///< ascending, then by program
  std::size_t tested = 0;             ///< series
  Findings findings;
};

/// One run or several as they were found.
struct HistoryEntry {
  std::string name;  ///< of its file: stands for the commit where that is not known
  JobSummary summary;
};

/// The probability of any change over all series, where none of them changes.
inline constexpr double kHistoryErrorRate = 0.05;

/// By program, number of ranks and commit: in the order of `commits` where these are given (others
/// are left out, with a Finding), else of the dates of their first runs. Either may be shortened to
/// seven or more hexadecimal digits. The run time, POP's factors and the slowest rank of
/// each function that all points have are searched for changes (change_points.h), as medians over
/// the runs of a commit.
History history(const std::vector<HistoryEntry>& entries, const std::vector<std::string>& commits);

extern const Rows<History> kHistoryRows;
using HistoryJson = JsonBy<kHistoryRows>;
Described<HistoryJson> describe(const History& history);

/// A badge as repositories show it: label and value beside each other. SVG without fonts or files
/// of its own. `share`: of 1, which chooses the colour; negative: none.
std::string badge_svg(std::string_view label, std::string_view value, double share);
/// The last parallel efficiency on the most ranks. Throws Error for several programs on these.
std::string efficiency_badge(const History& history);

/// Rank time of runs: the number of ranks times the run time.
struct RankTimeLoss {
  double total_ns = 0;
  double lost_ns = 0;  ///< what is no computation: times 1 - the parallel efficiency
};
/// The sum over the runs of a summary, in their analysed intervals.
RankTimeLoss rank_time(const JobSummary& summary);

/// A run, or repeats of one, and what it takes.
struct RunCost {
  HistoryEntry run;
  RankTimeLoss time;
};

/// The runs of a list that lose most rank time.
struct WorstRuns {
  std::vector<RunCost> worst;  ///< most lost first; of equal ones by name
  std::size_t considered = 0;  ///< length of the list
  RankTimeLoss all{};          ///< of the whole list
};
/// At most `most` of them. O(n log n).
WorstRuns worst_runs(const std::vector<HistoryEntry>& entries, std::size_t most);

extern const Rows<WorstRuns> kWorstRuns;
using WorstRunsJson = JsonBy<kWorstRuns>;
Described<WorstRunsJson> describe(const WorstRuns& runs);

/// Runs as gauges in the text format of OpenMetrics 1.0 without timestamps, which is valid in the
/// one of Prometheus, too, as node_exporter's textfile collector reads it; of repeats the medians
/// (doc/formats/summary.md). O(runs).
std::string openmetrics(const std::vector<HistoryEntry>& entries);

}  // namespace slackline
