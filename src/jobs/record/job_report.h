#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "jobs/record/launcher.h"

namespace slackline {

/// What `record --analyse` asks a job to find out about itself before MPI_Finalize.
struct JobAnalysisChoice {
  std::string analyses{};    ///< names of job_analyses(), separated by commas; empty: none
  std::string time = "10%";  ///< of the run, but at least 2 s; or a time: "30s"
  std::string memory{};      ///< "4GiB"; empty: half of what the host has left
  bool wanted() const { return !analyses.empty(); }
};

/// All that can be asked for: "critical-path,waits,efficiency,lambda".
const std::string& job_analyses();

/// Is that the name of a report's file, and not of a folder or a trace?
bool names_report(const std::filesystem::path& output);

/// What must be in the environment of the ranks so that they leave a report of that name in the
/// job's folder (runtime/record/job_analysis.h). Throws usage Error for a wrong choice.
Environment job_analysis_environment(const JobAnalysisChoice& choice,
                                     const std::string& report_name);

/// What the ranks and the processes of the analysis have used.
struct JobAnalysisCosts {
  std::int64_t ranks = 0;  ///< 0: not known
  double run_ns = 0;       ///< from MPI_Init to MPI_Finalize
  double elapsed_ns = 0;   ///< from there to the end of the analysis
  std::int64_t processes = 0;
  double cpu_ns = 0;            ///< of all its processes
  double memory_bytes = 0;      ///< of the one that used most
  double most_rank_cpu_ns = 0;  ///< of the rank that used most
  double exchanged_bytes = 0;   ///< by all ranks together
};

/// What has become of the analysis of a job.
struct AnalysedJob {
  std::filesystem::path raw{};     ///< the recordings; they are left for the caller to remove
  std::filesystem::path report{};  ///< empty where there is none
  /// Beside a report that is not JSON, which has it in itself.
  std::filesystem::path summary{};
  std::string problem{};   ///< why
  bool unwritten = false;  ///< because it could not be written, as to a full disk
  JobAnalysisCosts costs{};
};

/// Gives the report in `folder`, where a job has recorded, its final name.
AnalysedJob take_job_report(const std::filesystem::path& folder, const std::string& report_name,
                            const std::filesystem::path& to);

/// A command that makes up for a report that a job has not left.
std::string command_for_report(const JobAnalysisChoice& choice,
                               const std::filesystem::path& recording);

}  // namespace slackline
