#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/cube/difference.h"
#include "analysis/summary/diagnosis.h"
#include "report/json.h"
#include "report/rows.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// What a trace does not know of its run.
struct JobIdentity {
  std::string job{};     ///< "slurm:1234"
  std::string commit{};  ///< of the program
  std::vector<std::pair<std::string, std::string>> labels{};
};

/// What comparisons need to know of a run, or of several runs of one program as repeats: at most
/// kMostSummaryBytes of JSON. Lists of values have one for each run.
struct JobSummary {
  /// Part of the ranks' time, lost to one cause.
  struct Cause {
    std::string limit;  ///< name of a Limit
    double share = 0;   ///< of the rank time; the mean of the runs
    /// The interval of 95 % of that mean (Student's t); of several runs.
    std::optional<std::pair<double, double>> interval{};
    std::vector<std::int32_t> ranks{};  ///< that cause it, of the first run that has it
    std::string function{};             ///< empty: not known
  };
  struct Wait {
    std::string pattern;          ///< name of a WaitPattern
    std::vector<double> share{};  ///< of the rank time
  };
  /// Computation of a function without what it calls.
  struct Function {
    std::string name;
    std::vector<double> mean_ns{};  ///< over ranks
    std::vector<double> slowest_ns{};
    std::vector<std::int32_t> slowest_rank{};
  };

  std::string program{};
  std::string started{};  ///< ISO 8601, of the first run
  JobIdentity identity{};
  std::vector<std::string> hosts{};  ///< "node[001-064]"; not all where that would be long
  std::size_t host_count = 0;
  std::int32_t ranks = 0;
  std::array<std::vector<double>, kRunMetrics.size()> metrics{};  ///< kRunMetrics
  std::vector<double> waiting{};                                  ///< share of the rank time
  std::vector<Wait> waits{};
  std::vector<Cause> causes{};        ///< largest first
  std::vector<Function> functions{};  ///< most computation first

  std::size_t runs() const { return metrics.front().size(); }
};

inline constexpr std::string_view kSummarySchema = "slackline-summary/1";
inline constexpr std::size_t kMostSummaryBytes = 2048;

/// The summary of one measured run in its analysed interval. `samples`: of the trace, or null.
/// O(calls).
JobSummary job_summary(const Trace& trace, const Diagnosis& diagnosis, const Samples* samples,
                       JobIdentity identity);

/// Runs of one program on equally many ranks as repeats, in the order given; at least one. Has the
/// functions, wait patterns and causes that all of them name: a run names only its largest ones, so
/// that nothing is known of the others. Throws Error for other programs or numbers of ranks.
JobSummary merged(const std::vector<JobSummary>& summaries);

/// What tells programs and their settings apart: the command line with the paths removed from its
/// words, as every job of a pipeline may have folders of its own; at most 80 bytes. Empty: unknown.
std::string compared_command(const JobSummary& summary);
/// Throws Error for runs of different executables: by the name, the first word of
/// compared_command(). One that is unknown is not compared.
void require_same_program(const JobSummary& a, const JobSummary& b);

/// Equal for summaries of the same runs, however much they were shortened and whatever they were
/// labelled: date, program, size and measured values. Without a date the labels count, too: runs
/// that are simulated may well take equally long. As text.
std::string content_of_runs(const JobSummary& summary);

/// The rank that is there most often; of several the first. At least one.
std::int32_t most_frequent_rank(const std::vector<std::int32_t>& ranks);

/// The element of `list` whose `member` is `name`; null if there is none.
template <class Element>
const Element* find_named(const std::vector<Element>& list, std::string Element::*member,
                          const std::string& name) {
  const auto found = std::ranges::find(list, name, member);
  return found == list.end() ? nullptr : &*found;
}

/// The same with so few functions, causes, waits and hosts that its JSON has at most
/// kMostSummaryBytes. Throws Error where it has too many runs or labels for that.
JobSummary within_limit(JobSummary summary);

/// Values with six digits.
extern const Rows<JobSummary> kJobSummary;
using JobSummaryJson = JsonBy<kJobSummary>;

/// `json`: a summary, or a report with one. Nothing where it is something else. Throws Error for a
/// summary that is damaged or of another version; `name` is its file.
std::optional<JobSummary> summary_from_json(const Json& json, const std::string& name);

/// "node[001-003]", "login": names that differ in a number, in ascending order.
std::vector<std::string> host_ranges(std::vector<std::string> hosts);

/// The summary as a run to compare: its waiting and its computation by function, as sums over
/// ranks.
RunGroup group_of(const JobSummary& summary, std::string name);

}  // namespace slackline
