#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// The share of the time of the job's processors that processes outside of it used; 0 where the
/// recording does not know.
double other_processes_share(const TraceInfo& info);

/// What processes outside of a job took from it, as its recording says.
struct Disturbance {
  double other_processes = 0;  ///< share of the time of the job's processors that others used
  /// Share of the ranks' computation without a processor, though each rank had one of its own.
  double no_processor = 0;

  /// So much that the run's times cannot be compared with those of another one.
  bool disturbed() const;
};

/// All zero where the recording does not know. Linear in calls.
Disturbance disturbance_of(const Trace& trace);

/// Runs of one program that are compared, each with its disturbance.
struct ComparedRuns {
  std::size_t runs = 0;
  std::size_t disturbed = 0;
  std::size_t left_out = 0;  ///< of the disturbed ones: those beside undisturbed ones
  Disturbance worst{};

  void add(const Disturbance& run);
  /// The same of several groups of runs.
  void add(const ComparedRuns& group);
};

/// Which of the runs are evaluated: those that were not disturbed, or all where there is no such
/// run. One value for each run.
std::vector<bool> undisturbed(const std::vector<Disturbance>& runs, ComparedRuns& summary);

/// A sentence about runs that were disturbed, empty if none was: that they are left out, or else
/// what follows ("the error is not attributable to the model"). `run` names a single one.
std::string disturbance_sentence(const ComparedRuns& runs, std::string_view consequence,
                                 std::string_view run = "the run");

}  // namespace slackline
