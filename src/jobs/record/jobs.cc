#include "jobs/record/jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "formats/raw/reader.h"
#include "trace/wire.h"

namespace slackline {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRawSuffix = ".slkraw";
constexpr std::string_view kSampleSuffix = ".slksamples";
constexpr std::string_view kFailure = ".error-";          // rank-R.error-ERRNO
constexpr std::string_view kSpawned = "spawned-";         // spawned-NUMBER
constexpr std::string_view kHiddenInit = ".hidden-init";  // process-PID.hidden-init

constexpr std::string_view kAnalysisLog = "analysis.log";
constexpr std::string_view kAnalysisCosts = "analysis.costs";

std::vector<fs::path> entries_of(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    entries.push_back(entry.path());
  }
  std::ranges::sort(entries);
  return entries;
}

/// `directory` and the folders in it.
std::vector<fs::path> job_folders(const fs::path& directory) {
  std::vector<fs::path> folders{directory};
  std::error_code ignored;
  for (const fs::path& entry : entries_of(directory)) {
    if (fs::is_directory(entry / "raw", ignored)) folders.push_back(entry);
  }
  return folders;
}

/// The header of one of the job's ranks; without its magic where none is intact.
slk_raw_header header_in(const fs::path& folder) {
  for (const fs::path& file : entries_of(folder / "raw")) {
    slk_raw_header header{};
    std::ifstream in(file, std::ios::binary);
    if (in.read(reinterpret_cast<char*>(&header), sizeof header) &&
        header.magic == SLK_WIRE_MAGIC) {
      return header;
    }
  }
  return {};
}

/// When the job passed MPI_Init, by the clock of the host of one of its ranks; 0 unknown.
std::uint64_t start_of(const fs::path& folder) {
  return header_in(folder).realtime_ns;
}

bool is_recorders(const fs::path& file) {
  const std::string name = file.filename().string();
  const auto has = [&name](std::string_view part) { return name.find(part) != name.npos; };
  return file.extension() == kRawSuffix || file.extension() == kSampleSuffix ||
         file.extension() == kHiddenInit || name == kAnalysisLog || name == kAnalysisCosts ||
         name == kJobEndName || has(kMergedSuffix) || has(kFailure);
}

/// A folder, and no link to one.
void remove_empty(const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_directory(fs::symlink_status(folder, ignored))) fs::remove(folder, ignored);
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// "3-simpleFoam" or "spawned-1": the name of a job's trace, without what stands before and behind.
bool is_job_name(std::string_view name) {
  if (name.starts_with(kSpawned)) {
    name.remove_prefix(kSpawned.size());
    return !name.empty() && std::ranges::all_of(name, is_digit);
  }
  const std::size_t dash = name.find('-');
  return dash != std::string_view::npos && dash > 0 && dash + 1 < name.size() &&
         std::ranges::all_of(name.substr(0, dash), is_digit);
}

std::string prefix_of(const fs::path& trace) {
  return trace.filename() == "trace.slk" ? std::string() : trace.stem().string() + "-";
}

}  // namespace

std::vector<fs::path> recorded_jobs(const fs::path& directory) {
  std::vector<std::pair<std::uint64_t, fs::path>> jobs;
  for (const fs::path& folder : job_folders(directory)) {
    if (looks_like_raw(folder)) jobs.emplace_back(start_of(folder), folder);
  }
  std::ranges::stable_sort(jobs, {}, &std::pair<std::uint64_t, fs::path>::first);
  std::vector<fs::path> folders;
  for (auto& [start, folder] : jobs) folders.push_back(std::move(folder));
  return folders;
}

void note_job_end(const fs::path& directory) {
  const auto jobs = recorded_jobs(directory);
  if (jobs.size() != 1) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::ofstream(jobs.front() / "raw" / kJobEndName)
      << std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() << '\n';
}

RecordingFailures recording_failures(const fs::path& directory) {
  std::map<int, std::vector<std::string>> ranks;  // by errno
  bool hidden_init = false;
  for (const fs::path& folder : job_folders(directory)) {
    for (const fs::path& file : entries_of(folder / "raw")) {
      const std::string name = file.filename().string();
      hidden_init = hidden_init || file.extension() == kHiddenInit;
      const std::size_t at = name.find(kFailure);
      if (at == std::string::npos || !name.starts_with("rank-")) continue;
      const int error = std::atoi(name.c_str() + at + kFailure.size());
      ranks[error].push_back(name.substr(5, at - 5));
    }
  }
  std::vector<std::string> reasons;
  for (const auto& [error, who] : ranks) {
    reasons.push_back(fmt::format("{} {} could not write the recording: {}",
                                  who.size() == 1 ? "rank" : "ranks", fmt::join(who, ", "),
                                  std::strerror(error)));
  }
  if (hidden_init) {
    reasons.emplace_back("a program defines MPI_Init itself, so that the recorder is not called");
  }
  return {fmt::format("{}", fmt::join(reasons, "; ")), !ranks.empty(), {}};
}

void remove_raw_files(const fs::path& directory) {
  std::error_code ignored;
  std::vector<fs::path> folders = job_folders(directory);
  std::ranges::reverse(folders);  // `directory` itself comes last
  for (const fs::path& folder : folders) {
    for (const fs::path& file : entries_of(folder / "raw")) {
      if (is_recorders(file)) fs::remove(file, ignored);
    }
    remove_empty(folder / "raw");
    remove_empty(folder);
  }
}

std::string recorded_program(const fs::path& folder) {
  const slk_raw_header header = header_in(folder);
  return {header.program, strnlen(header.program, sizeof header.program)};
}

std::string program_name(std::string_view command_line) {
  const std::string_view word = command_line.substr(0, command_line.find(' '));
  std::string name = fs::path(word).filename().string();
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
                       c == '+' || c == '-';
    if (!plain) c = '_';
  }
  return name.empty() ? "job" : name;
}

bool is_spawned(const fs::path& folder) {
  return folder.filename().string().starts_with(kSpawned);
}

std::vector<fs::path> job_traces(const fs::path& trace, const std::vector<JobName>& jobs) {
  const auto started = static_cast<std::size_t>(std::ranges::count(jobs, false, &JobName::spawned));
  const std::size_t width = std::to_string(started).size();
  std::vector<fs::path> traces;
  std::size_t next = 0;
  std::size_t next_spawned = 0;
  for (const JobName& job : jobs) {
    std::string name = trace.filename().string();
    // The only one may be spawned, where the job that spawned it was not recorded.
    if (job.spawned && jobs.size() > 1) {
      name = fmt::format("{}{}{}.slk", prefix_of(trace), kSpawned, ++next_spawned);
    } else if (!job.spawned && started > 1) {
      name = fmt::format("{}{:0{}}-{}.slk", prefix_of(trace), ++next, width, job.program);
    }
    traces.push_back(trace.parent_path() / name);
  }
  return traces;
}

std::vector<fs::path> existing_traces(const fs::path& trace) {
  std::vector<fs::path> existing;
  const std::string prefix = prefix_of(trace);
  for (const fs::path& file : entries_of(trace.parent_path())) {
    const std::string stem = file.stem().string();
    const bool of_job = file.extension() == ".slk" && stem.starts_with(prefix) &&
                        is_job_name(std::string_view(stem).substr(prefix.size()));
    if (of_job || file.filename() == trace.filename()) existing.push_back(file);
  }
  return existing;
}

}  // namespace slackline
