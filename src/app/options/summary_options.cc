#include "app/options/summary_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "app/options/option_list.h"
#include "app/summary_files.h"
#include "base/error.h"
#include "base/file.h"

namespace slackline {
namespace {

std::string environment_value(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string commit_of_pipeline() {
  const std::string gitlab = environment_value("CI_COMMIT_SHA");
  return gitlab.empty() ? environment_value("GITHUB_SHA") : gitlab;
}

std::string job_of_batch_system() {
  constexpr std::array kSystems{
      std::pair("slurm", "SLURM_JOB_ID"), std::pair("pbs", "PBS_JOBID"),
      std::pair("lsf", "LSB_JOBID"),      std::pair("flux", "FLUX_JOB_ID"),
      std::pair("gitlab", "CI_JOB_ID"),   std::pair("github", "GITHUB_RUN_ID")};
  for (const auto& [system, variable] : kSystems) {
    const std::string job = environment_value(variable);
    if (!job.empty()) return fmt::format("{}:{}", system, job);
  }
  return {};
}

/// A later value of a name replaces an earlier one.
void add_label(std::string_view text, JobIdentity& identity) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw usage_error(fmt::format("cannot read the label '{}'", text), "it is no NAME=VALUE",
                      "Example: --label branch=main.");
  }
  const std::string name(text.substr(0, equals));
  const std::string value(text.substr(equals + 1));
  for (auto& [known, old] : identity.labels) {
    if (known == name) {
      old = value;
      return;
    }
  }
  identity.labels.emplace_back(name, value);
}

}  // namespace

void declare(OptionList& options, SummaryOptions& summary) {
  const OptionGroup group(options, "Summary");
  options.add(
      "--summary FILE", summary.file,
      "Also write a summary of the job: JSON of at most 2 KiB, which diff, check and history "
      "compare; OpenMetrics (.prom) or SQLite (.sqlite, .db)");
  options.add("--commit ID", summary.commit,
              "Commit of the program, for the summary (default: CI_COMMIT_SHA, GITHUB_SHA)");
  options.add("--job ID", summary.job,
              "Number of the job, for the summary (default: the batch system's)");
  options.add("--label NAME=VALUE", summary.labels,
              "Label in the summary; may be repeated (also: SLACKLINE_LABELS=NAME=VALUE,...)");
}

JobIdentity identity_of(const SummaryOptions& summary) {
  JobIdentity identity{summary.job, summary.commit, {}};
  if (identity.job.empty()) identity.job = job_of_batch_system();
  if (identity.commit.empty()) identity.commit = commit_of_pipeline();
  std::istringstream labels(environment_value("SLACKLINE_LABELS"));
  for (std::string label; std::getline(labels, label, ',');) add_label(label, identity);
  for (const std::string& label : summary.labels) add_label(label, identity);
  return identity;
}

void write_summary(const SummaryOptions& options, const JobSummary& summary) {
  if (options.file.empty()) return;
  if (names_table_of_runs(options.file)) return write_runs({{"", summary}}, options.file);
  write_output(options.file, json_text(JobSummaryJson(within_limit(summary))) + "\n");
}

}  // namespace slackline
