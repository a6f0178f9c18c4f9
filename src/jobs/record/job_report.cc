#include "jobs/record/job_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/units.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr double kLeastSeconds = 2;

/// Names, and the sections of `slackline report` that they stand for.
constexpr std::array kAnalyses{
    std::pair<std::string_view, std::string_view>{"critical-path", "path"},
    std::pair<std::string_view, std::string_view>{"waits", "waits"},
    std::pair<std::string_view, std::string_view>{"efficiency", "efficiency"},
    std::pair<std::string_view, std::string_view>{"lambda", "model"}};

std::string sections_of(const std::string& analyses) {
  std::vector<std::string_view> sections;
  std::istringstream in(analyses);
  for (std::string name; std::getline(in, name, ',');) {
    const auto* const found =
        std::ranges::find(kAnalyses, name, &std::pair<std::string_view, std::string_view>::first);
    if (found == kAnalyses.end()) {
      throw usage_error(fmt::format("unknown analysis '{}'", name), "no such name",
                        fmt::format("Choose from {}.", job_analyses()));
    }
    sections.push_back(found->second);
  }
  return fmt::format("{}", fmt::join(sections, ","));
}

/// Those that several processes share, and what says what they have left out; none: empty.
std::string shared_sections(const std::string& sections) {
  std::string shared;
  std::istringstream in(sections);
  for (std::string name; std::getline(in, name, ',');) {
    if (name != "model") shared += ',' + name;
  }
  return shared.empty() ? shared : "questions" + shared;
}

/// "SHARE SECONDS BYTES".
std::string limits_of(const JobAnalysisChoice& choice) {
  double share = 0;
  double seconds = kLeastSeconds;
  if (choice.time.ends_with('%')) {
    constexpr double kMillion = 1e6;
    share = static_cast<double>(parse_degradation_ppm(choice.time, "--analysis-time")) / kMillion;
  } else {
    seconds = ns_of_fs(parse_time_fs(choice.time, "--analysis-time")) / kNanosPerSecond;
  }
  const std::uint64_t bytes =
      choice.memory.empty() ? 0 : parse_bytes(choice.memory, "--analysis-memory");
  return fmt::format("{} {} {}", share, seconds, bytes);
}

/// What rank 0 has written of the analysis.
struct Notes {
  std::string end;
  std::map<std::string, double> values;
  JobAnalysisCosts costs;
};

Notes read_notes(const fs::path& file) {
  Notes notes;
  std::ifstream in(file);
  for (std::string name; in >> name;) {
    if (name == "end") {
      in >> notes.end;
    } else if (name == "rank") {
      double rank = 0;
      double elapsed_ns = 0;
      double cpu_ns = 0;
      in >> rank >> elapsed_ns >> cpu_ns;
      ++notes.costs.ranks;
      notes.costs.elapsed_ns = std::max(notes.costs.elapsed_ns, elapsed_ns);
      notes.costs.most_rank_cpu_ns = std::max(notes.costs.most_rank_cpu_ns, cpu_ns);
    } else {
      in >> notes.values[name];
    }
  }
  constexpr double kBytesOfKib = 1024;
  notes.costs.run_ns = notes.values["run_ns"];
  notes.costs.processes = static_cast<std::int64_t>(notes.values["processes"]);
  notes.costs.cpu_ns = notes.values["cpu_ns"];
  notes.costs.memory_bytes = notes.values["memory_kib"] * kBytesOfKib;
  notes.costs.exchanged_bytes = notes.values["exchanged_bytes"];
  return notes;
}

/// The last line that the analysis has printed, without the program's name.
std::string last_message(const fs::path& log) {
  std::ifstream in(log);
  std::string last;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) last = line;
  }
  constexpr std::string_view kProgram = "slackline: ";
  if (last.starts_with(kProgram)) last.erase(0, kProgram.size());
  while (last.ends_with('.')) last.pop_back();
  return last;
}

constexpr std::string_view kEndUnwritten =
    "how it ended could not be written into the recording's folder";

std::string problem_of(Notes& notes, const fs::path& raw) {
  if (notes.end.empty()) {
    std::error_code ignored;
    return fs::exists(raw / "analysis.costs", ignored) ? std::string(kEndUnwritten)
                                                       : "the job did not complete MPI_Finalize";
  }
  if (notes.end == "not_started") return "the process for it could not be started";
  if (notes.end == "time_limit") {
    return fmt::format("it reached its time limit of {}",
                       format_time_ns(notes.values["time_limit_ns"]));
  }
  const auto status = static_cast<int>(notes.values["status"]);
  if (status > 0 && WIFSIGNALED(status)) {
    return fmt::format("its process was ended by signal {}", WTERMSIG(status));
  }
  const std::string message = last_message(raw / "analysis.log");
  if (message.find("out of memory") != std::string::npos) {
    return fmt::format("it reached its memory limit of {}",
                       format_bytes(notes.values["memory_limit_bytes"]));
  }
  return message.empty() ? "its process left no report" : message;
}

/// A report in JSON has the summary in itself.
void take_summary(const fs::path& from, AnalysedJob& job) {
  std::error_code error;
  if (!fs::exists(from, error)) return;
  if (job.report.extension() != ".json") {
    job.summary = fs::path(job.report).replace_extension(".summary.json");
    write_file(job.summary, MappedFile(from).text());
  }
  fs::remove(from, error);
}

}  // namespace

const std::string& job_analyses() {
  static const std::string all = [] {
    std::vector<std::string_view> names;
    for (const auto& [name, section] : kAnalyses) names.push_back(name);
    return fmt::format("{}", fmt::join(names, ","));
  }();
  return all;
}

bool names_report(const fs::path& output) {
  constexpr std::array kExtensions{".json", ".txt", ".html"};
  return std::ranges::find(kExtensions, output.extension().string()) != kExtensions.end();
}

Environment job_analysis_environment(const JobAnalysisChoice& choice,
                                     const std::string& report_name) {
  if (!choice.wanted()) return {};
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error("cannot analyse in the job", error.message(), "Record without --analyse.");
  const std::string sections = sections_of(choice.analyses);
  return {{"SLACKLINE_ANALYSE", sections},
          {"SLACKLINE_ANALYSE_MEASURED", shared_sections(sections)},
          {"SLACKLINE_ANALYSE_PROGRAM", self.string()},
          {"SLACKLINE_ANALYSE_REPORT", report_name},
          {"SLACKLINE_ANALYSE_LIMITS", limits_of(choice)}};
}

AnalysedJob take_job_report(const fs::path& folder, const std::string& report_name,
                            const fs::path& to) {
  AnalysedJob job{folder / "raw"};
  Notes notes = read_notes(job.raw / "analysis.costs");
  job.costs = notes.costs;
  std::error_code error;
  if (notes.end != "ended" || !fs::exists(folder / report_name, error)) {
    job.problem = problem_of(notes, job.raw);
    job.unwritten = job.problem == kEndUnwritten || job.problem.starts_with("cannot write ");
    return job;
  }
  try {
    const fs::path from = folder / report_name;
    if (!fs::equivalent(from, to, error)) {
      write_file(to, MappedFile(from).text());
      fs::remove(from, error);
    }
    make_durable(to);
    job.report = to;
    take_summary(folder / "summary.json", job);
  } catch (const Error& failed) {
    job.problem = fmt::format("the report in {} could not be moved: {}",
                              (folder / report_name).string(), failed.what());
    job.unwritten = true;
  }
  return job;
}

std::string command_for_report(const JobAnalysisChoice& choice, const fs::path& recording) {
  return fmt::format("slackline report {} --section {}", shell_word(recording.string()),
                     sections_of(choice.analyses));
}

}  // namespace slackline
