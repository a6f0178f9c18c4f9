#include "app/load/summaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "analysis/summary/diagnosis.h"
#include "app/load/input.h"
#include "base/error.h"
#include "base/file.h"
#include "formats/raw/reader.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr FindingKind kUnreadableSummary{"unreadable_summary", Severity::data_loss,
                                         "Summaries, traces and folders in a folder that cannot be "
                                         "read; nothing is known of their runs."};

/// Throws Error where the folder cannot be read.
bool is_recording(const fs::path& folder) {
  std::error_code unreadable;
  const bool finished = fs::exists(folder / "trace.slk", unreadable);
  if (!unreadable) fs::directory_iterator(folder, unreadable);
  if (unreadable) {
    throw Error(fmt::format("cannot read '{}'", folder.string()), unreadable.message(),
                "Check the path and permissions.");
  }
  return finished || looks_like_raw(folder);
}

/// Is that a folder that may have runs, and not one run itself? Throws Error where it cannot be
/// read.
bool has_runs_in_it(const fs::path& path) {
  return fs::is_directory(path) && !is_recording(path);
}

/// What stands for a commit where that is not known: the name that the run was given, below the
/// folder that was added, as files of several folders may have one name.
std::string run_name(const fs::path& path, const fs::path& folder) {
  const fs::path file = path.filename() == "trace.slk" ? path.parent_path() : path;
  const fs::path named = file.has_filename() ? file : file.parent_path();
  std::string stem = named.stem().string();
  constexpr std::string_view kSummary = ".summary";
  if (stem.ends_with(kSummary)) stem.resize(stem.size() - kSummary.size());
  return folder.empty()
             ? stem
             : (named.parent_path().lexically_relative(folder) / stem).lexically_normal().string();
}

}  // namespace

JobSummary summary_of(const LoadedRun& run, JobIdentity identity) {
  const Trace& trace = run.trace();
  require_calls(run.opened, trace.call_count(), "no summary of");
  const CallPaths paths(trace);
  const CausalOrder order(trace, run.matching());
  const WaitStates waits = wait_states(trace, run.matching(), order, wait_options(run));
  const Diagnosis diagnosis = diagnose(trace, paths, run.matching(), order, waits,
                                       {.analysed = {}, .samples = &run.opened.samples});
  return job_summary(trace, diagnosis, &run.opened.samples, std::move(identity));
}

bool names_summary(const std::string& path) {
  return fs::path(path).extension() == ".json" && fs::is_regular_file(path);
}

SummaryList::SummaryList(RunRequest request, const std::vector<std::string>& paths)
    : SummaryList(std::move(request)) {
  for (const std::string& path : paths) add(path);
}

void SummaryList::add(const std::string& path) {
  const bool is_folder = has_runs_in_it(path);
  folder_ = is_folder ? path : std::string();
  if (add_runs_at(path, is_folder)) return;
  if (is_folder) {
    throw Error(fmt::format("nothing to compare in '{}'", path),
                unreadable_.empty() ? "it has no summaries, reports in JSON or recordings"
                                    : "something in it cannot be read: " + unreadable_,
                "Write summaries: slackline report TRACE --summary FILE.json.");
  }
  throw Error(fmt::format("cannot read a summary from '{}'", path),
              "it is neither a summary nor a report with one",
              "Write one: slackline report TRACE --summary FILE.json.");
}

std::vector<JobSummary> SummaryList::summaries() const {
  return list_of(entries_, [](const HistoryEntry& entry) { return entry.summary; });
}

bool SummaryList::add_runs_at(const std::string& path, bool is_folder) {
  if (is_folder) return add_folder(path);
  if (names_summary(path)) return add_json(path);
  add_trace(path);
  return true;
}

bool SummaryList::add_folder(const std::string& path) {
  const std::size_t before = found_;
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    names.push_back(entry.path().string());
  }
  std::ranges::sort(names);
  for (const std::string& name : names) add_file_of_folder(name);
  return found_ > before;
}

void SummaryList::add_file_of_folder(const std::string& path) {
  std::error_code broken;  // of a link to nothing or to itself
  const std::string extension = fs::path(path).extension().string();
  const bool is_folder = fs::is_directory(fs::symlink_status(path, broken));
  const bool has_run = extension == ".slk" || extension == ".json";
  if (is_folder || (has_run && fs::is_regular_file(path, broken))) add_if_readable(path);
}

/// What is wrong with one file must not keep those of others from being read; what is wrong with
/// the options concerns all.
void SummaryList::add_if_readable(const std::string& path) {
  try {
    add_runs_at(path, has_runs_in_it(path));
  } catch (const Error& error) {
    if (error.is_usage()) throw;
    if (unreadable_.empty()) unreadable_ = error.what();
    findings_.add(kUnreadableSummary, error.what());
  }
}

bool SummaryList::add_json(const std::string& path) {
  const MappedFile file(path);
  Json json;
  try {
    json = parse_json(file.text());
  } catch (const std::exception& error) {
    const std::string reason = error.what();
    const std::size_t number = reason.starts_with('[') ? reason.find("] ") + 2 : 0;
    throw Error(fmt::format("cannot read the JSON in '{}'", path), reason.substr(number),
                "Write it again, or remove it.");
  }
  std::optional<JobSummary> summary = summary_from_json(json, path);
  if (!summary) return false;
  add_summary(path, std::move(*summary));
  return true;
}

void SummaryList::add_trace(const std::string& path) {
  RunRequest one = request_;
  one.trace = path;
  const LoadedRun run = load_run(one);
  findings_.merge(run.findings);
  findings_.merge(run.trace().findings());
  add_summary(path, summary_of(run, {}));
}

void SummaryList::add_summary(const std::string& path, JobSummary summary) {
  ++found_;
  std::string name = run_name(path, folder_);
  const std::size_t place = distinct_.add(content_of_runs(summary), name, path, findings_);
  if (place == entries_.size()) {
    entries_.push_back({std::move(name), std::move(summary)});
    return;
  }
  // A trace does not know what its summary does.
  JobIdentity& identity = entries_[place].summary.identity;
  if (identity.commit.empty()) identity = summary.identity;
}

}  // namespace slackline
