#pragma once

#include <string>
#include <vector>

#include "analysis/regression/job_summary.h"

namespace slackline {

class OptionList;

/// The summary of a job that a request writes beside its answer.
struct SummaryOptions {
  std::string file{};                 ///< empty: none
  std::string commit{};               ///< empty: what a pipeline's environment says
  std::string job{};                  ///< empty: what a batch system's environment says
  std::vector<std::string> labels{};  ///< as "name=value"
};
/// --summary, --commit, --job and --label.
void declare(OptionList& options, SummaryOptions& summary);

/// What the options say, else the environment of this process: the commit of GitLab's or GitHub's
/// pipelines, the number of a job of Slurm, PBS, LSF, Flux, GitLab or GitHub, and
/// SLACKLINE_LABELS, "name=value,name=value", before --label. Throws usage Error for a label
/// without a name.
JobIdentity identity_of(const SummaryOptions& summary);

/// Writes the summary, if a file was asked for: as a table of one run where its name says so
/// (app/summary_files.h), else as JSON (within_limit()). Throws Error.
void write_summary(const SummaryOptions& options, const JobSummary& summary);

}  // namespace slackline
