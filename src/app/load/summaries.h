#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/regression/history.h"
#include "app/load/distinct_runs.h"
#include "app/load/loaded_run.h"
#include "app/options/run_request.h"
#include "base/findings.h"

namespace slackline {

/// The summary of a run that was read as a trace. Throws Error where it has no calls.
JobSummary summary_of(const LoadedRun& run, JobIdentity identity);

/// Is that a file with a summary, or a report with one (and not a trace)?
bool names_summary(const std::string& path);

/// Summaries of runs, each one once, with what was found on the way.
class SummaryList {
 public:
  /// `request`: how traces are read.
  explicit SummaryList(RunRequest request) : request_(std::move(request)) {}
  /// With what is at each of `paths`: add().
  SummaryList(RunRequest request, const std::vector<std::string>& paths);

  /// Adds what is at `path`: a summary, a report in JSON with one, a trace, which is analysed, or a
  /// folder of these (files in .json and .slk, recordings, and folders in it; links to folders are
  /// not followed), in the order of their names. What is damaged or cannot be read in a folder is a
  /// Finding. Throws Error where there is nothing.
  void add(const std::string& path);

  const std::vector<HistoryEntry>& entries() const { return entries_; }
  std::vector<JobSummary> summaries() const;
  /// Which runs there are, each by the name of its entry.
  const DistinctRuns& distinct() const { return distinct_; }
  const Findings& findings() const { return findings_; }

 private:
  // Whether there were runs. Throw Error where what is there is damaged.
  bool add_runs_at(const std::string& path, bool is_folder);
  bool add_folder(const std::string& path);
  bool add_json(const std::string& path);
  void add_file_of_folder(const std::string& path);
  void add_if_readable(const std::string& path);
  void add_trace(const std::string& path);
  void add_summary(const std::string& path, JobSummary summary);

  RunRequest request_;
  std::string folder_{};  ///< that is being added, or empty
  std::vector<HistoryEntry> entries_{};
  DistinctRuns distinct_{};  ///< by content_of_runs(), in the order of entries_
  Findings findings_{};
  std::size_t found_ = 0;     ///< runs, with those that were known already
  std::string unreadable_{};  ///< what is wrong with the first such file, or empty
};

}  // namespace slackline
