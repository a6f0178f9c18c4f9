#pragma once

#include <cstddef>
#include <vector>

#include "analysis/regression/history.h"
#include "analysis/regression/job_summary.h"
#include "report/object.h"
#include "report/typed_report.h"

namespace slackline {

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

using WorstRunsJson = JsonOf<struct WorstRunsJsonTag>;
const JsonType& declared_type(const WorstRunsJsonTag*);
Described<WorstRunsJson> describe(const WorstRuns& runs);

}  // namespace slackline
