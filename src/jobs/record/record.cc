#include "jobs/record/record.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/text_parsing.h"
#include "formats/native/writer.h"
#include "formats/raw/findings.h"
#include "formats/raw/reader.h"
#include "jobs/record/jobs.h"
#include "jobs/record/launcher.h"
#include "jobs/record/libraries.h"
#include "jobs/record/recording_obstacles.h"
#include "jobs/record/written_trace.h"
#include "parallel/process_group.h"

namespace slackline {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDefaultFolder = "slackline-trace";

fs::path next_free_folder() {
  std::error_code ignored;
  if (!fs::exists(kDefaultFolder, ignored)) return kDefaultFolder;
  for (int i = 2;; ++i) {
    fs::path candidate = fmt::format("{}.{}", kDefaultFolder, i);
    if (!fs::exists(candidate, ignored)) return candidate;
  }
}

RecordPlaces places_of(const fs::path& output, bool analysed) {
  const fs::path path = fs::absolute(output.empty() ? next_free_folder() : output);
  fs::path directory = path;
  directory += ".recording";
  if (analysed && names_report(path)) {
    return {fs::path(path).replace_extension(".slk"), directory, path};
  }
  if (path.extension() != ".slk") {
    return {path / "trace.slk", path, analysed ? path / "report.txt" : fs::path()};
  }
  if (!analysed) return {path, directory};
  throw usage_error(fmt::format("cannot write a report to '{}'", output.string()),
                    "that is the name of a trace",
                    "Choose a name that ends in .json, .txt or .html; --write-trace writes the "
                    "trace beside it.");
}

/// Before the job runs: what could not be written after it. A trace is read back, so that it must
/// be a file.
void check_files(const fs::path& output, const RecordPlaces& places) {
  const auto refused = [&] {
    return usage_error(fmt::format("cannot record into '{}'", output.string()),
                       "a recording is a folder or files", "Name a folder, or a file.slk.");
  };
  if (output == "-") throw refused();
  for (const fs::path& file : {places.trace, places.report}) {
    if (!file.empty() && OutputTarget(file).is_stream()) throw refused();
  }
}

std::string shown_in_error(const RecordPlaces& places) {
  return (places.trace.filename() == "trace.slk" ? places.directory : places.trace).string();
}

/// Makes the folder, and sees that the ranks will be able to write there: what they cannot write,
/// they can only complain of.
void prepare(const RecordPlaces& places) {
  std::error_code error;
  fs::create_directories(places.directory, error);
  if (error || access(places.directory.c_str(), W_OK | X_OK) != 0) {
    throw Error(fmt::format("cannot write to '{}'", places.directory.string()),
                error ? error.message() : errno_text(), "Choose another folder with -o.");
  }
  if (!recorded_jobs(places.directory).empty()) {
    throw Error(fmt::format("cannot record into '{}'", places.directory.string()),
                "it contains an unfinished recording",
                fmt::format("Run 'slackline {}' or remove it.",
                            shell_command({"record", "--finish", places.directory.string()})));
  }
  remove_raw_files(places.directory);  // what a recording without any record has left
  fs::create_directories(places.directory, error);
}

std::uint64_t bytes_below(const fs::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(directory, ignored)) {
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  }
  return bytes;
}

/// A job that is being converted; the trace is read, but its name depends on the other jobs.
struct ReadJob {
  fs::path folder;
  std::optional<RawPart> read{};
  std::string problem{};  // why there is none
  double seconds = 0;
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Why one of the processes could not do it; empty: all have. The same in all.
std::string problem_of(ProcessGroup& group, const std::function<void()>& work) {
  Outcome mine;
  try {
    work();
  } catch (const Error& error) {
    mine = {Outcome::Kind::failed, 1, error.what()};
  } catch (const PeerFailed&) {
    mine.kind = Outcome::Kind::peer_failed;
  }
  const Outcome all = agree_on_outcome(group, mine);
  return all.kind == Outcome::Kind::failed ? all.message : std::string();
}

ReadJob read_job(const fs::path& folder, ProcessGroup& group) {
  const Stopwatch watch;
  ReadJob job{folder};
  job.problem = problem_of(group, [&] { job.read = read_raw(folder, group); });
  if (!job.problem.empty()) job.read.reset();
  job.seconds = watch.seconds();
  return job;
}

RecordedTrace write_job(const ReadJob& job, const fs::path& to, ProcessGroup& group) {
  const Stopwatch watch;
  const Trace& trace = job.read->trace;
  RecordedTrace recorded;
  recorded.trace = to;
  recorded.spawned = is_spawned(job.folder);
  recorded.ranks = trace.ranks();
  for (const std::uint64_t calls : gather_all(group, std::vector{trace.call_count()})) {
    recorded.calls += calls;
  }
  recorded.raw_bytes = bytes_below(job.folder / "raw");
  recorded.recording_ns = trace.info().recording_ns;
  recorded.cpu_ns = trace.info().cpu_ns;
  recorded.findings = trace.findings();
  recorded.lost_calls = trace.findings().count(raw::kLostCalls);
  recorded.separate = trace.findings().count(raw::kSeparateJobs) > 0;
  write_native_together(trace, job.read->samples, job.read->own, to, group);
  check_written(*job.read, to);
  make_durable(to);
  std::error_code ignored;
  recorded.trace_bytes = fs::file_size(to, ignored);
  recorded.conversion_seconds = job.seconds + watch.seconds();
  return recorded;
}

/// Whatever goes wrong from here on, the jobs have run: their files are kept and the reason is
/// told.
void convert_jobs(const RecordPlaces& places, bool keep_raw, ProcessGroup& group,
                  RecordResult& result) {
  std::vector<ReadJob> jobs;
  std::vector<JobName> named;
  for (const fs::path& folder : recorded_jobs(places.directory)) {
    jobs.push_back(read_job(folder, group));
    const auto& read = jobs.back().read;
    named.push_back(
        {program_name(read ? read->trace.info().program : std::string()), is_spawned(folder)});
  }
  const std::vector<fs::path> names = job_traces(places.trace, named);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    ReadJob& job = jobs[i];
    if (job.read) {
      std::optional<RecordedTrace> recorded;
      job.problem = problem_of(group, [&] { recorded = write_job(job, names[i], group); });
      if (job.problem.empty()) result.traces.push_back(*std::move(recorded));
    }
    if (!job.problem.empty()) result.unconverted.push_back({job.folder / "raw", job.problem});
    job.read.reset();
  }
  const bool keep = (keep_raw && !jobs.empty()) || !result.unconverted.empty();
  true_in_all(group, true);  // all have looked at the files
  if (!keep && group.is_first()) remove_raw_files(places.directory);
}

/// Where the jobs' reports go: named like their traces, the only one as it was asked for.
std::vector<fs::path> report_names(const RecordPlaces& places, const std::vector<JobName>& jobs) {
  std::vector<fs::path> names = job_traces(places.trace, jobs);
  for (fs::path& name : names) {
    if (name == places.trace) name = places.report;
    name.replace_extension(places.report.extension());
  }
  return names;
}

/// Takes the reports that the jobs have left. False if one has left none.
bool take_reports(const RecordPlaces& places, RecordResult& result) {
  const std::vector<fs::path> jobs = recorded_jobs(places.directory);
  std::vector<JobName> named;
  for (const fs::path& folder : jobs) {
    named.push_back({program_name(recorded_program(folder)), is_spawned(folder)});
  }
  std::vector<fs::path> names = report_names(places, named);
  bool all = !jobs.empty();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    result.analysed.push_back(
        take_job_report(jobs[i], places.report.filename().string(), names[i]));
    all = all && result.analysed.back().problem.empty();
  }
  return all;
}

void finish_jobs(const RecordPlaces& places, const RecordOptions& options, RecordResult& result) {
  result.directory = places.directory;
  result.failures = recording_failures(places.directory);
  const bool reported = options.analysis.wanted() && take_reports(places, result);
  if (options.write_trace) {
    SingleProcess alone;
    convert_jobs(places, options.keep_raw, alone, result);
  } else if ((reported && !options.keep_raw) || result.analysed.empty()) {
    remove_raw_files(places.directory);
  }
}

/// What an earlier recording has left is replaced only when asked for, and only by another one.
std::vector<fs::path> to_be_replaced(const RecordPlaces& places, bool force) {
  std::vector<fs::path> existing = existing_traces(places.trace);
  if (existing.empty() || force) return existing;
  throw Error(fmt::format("cannot record into '{}'", shown_in_error(places)),
              fmt::format("it already contains the trace {}", existing.front().filename().string()),
              "Choose another folder with -o, move the trace, or overwrite it with --force.");
}

void refuse_existing_report(const RecordPlaces& places, bool force) {
  std::error_code ignored;
  if (force || !fs::exists(places.report, ignored)) return;
  throw Error(fmt::format("cannot write the report '{}'", places.report.string()),
              "there is a file of that name",
              "Choose another name with -o, or overwrite it with --force.");
}

void remove_replaced(const std::vector<fs::path>& earlier, const RecordResult& result) {
  if (result.traces.empty()) return;
  for (const fs::path& file : earlier) {
    const bool written = std::ranges::any_of(
        result.traces, [&](const RecordedTrace& recorded) { return recorded.trace == file; });
    std::error_code ignored;
    const fs::file_status what = fs::symlink_status(file, ignored);
    const bool removable = fs::is_regular_file(what) || fs::is_symlink(what);
    if (!written && removable) fs::remove(file, ignored);
  }
}

/// Programs built with -fsanitize=address demand that the sanitizer's library is loaded before all
/// others; it does not have to be.
std::string sanitizer_options() {
  const char* const given = std::getenv("ASAN_OPTIONS");
  const std::string ours = "verify_asan_link_order=0";
  return given == nullptr || *given == '\0' ? ours : ours + ":" + given;
}

Environment environment(const RuntimeLibraries& libraries, const fs::path& directory,
                        const CallPathChoice& call_paths, bool yield) {
  Environment values{{"LD_PRELOAD", preload_value(libraries, yield)},
                     {"ASAN_OPTIONS", sanitizer_options()},
                     {"SLACKLINE_DIR", fs::absolute(directory).string()}};
  // What the recorder does by itself needs no saying.
  const CallPathChoice usual;
  if (call_paths.mode != usual.mode) {
    values.emplace_back("SLACKLINE_CALL_PATHS", call_paths.mode);
  }
  if (call_paths.sample_hz > 0) {
    values.emplace_back("SLACKLINE_SAMPLE", std::to_string(call_paths.sample_hz));
  }
  if (call_paths.counters != usual.counters) {
    values.emplace_back("SLACKLINE_COUNTERS", call_paths.counters);
  }
  if (call_paths.depth != usual.depth) {
    values.emplace_back("SLACKLINE_CALL_PATH_DEPTH", std::to_string(call_paths.depth));
  }
  if (!call_paths.size_limit.empty()) {
    values.emplace_back("SLACKLINE_SIZE_LIMIT",
                        std::to_string(parse_bytes(call_paths.size_limit, "--size-limit")));
  }
  return values;
}

}  // namespace

int parse_sample_rate(const std::string& text, const std::string& call_paths) {
  constexpr int kMost = 10'000;
  constexpr int kUsual = 200;
  if (text.empty()) return call_paths == "full" ? kUsual : 0;
  if (text == "off") return 0;
  std::string_view unit = text;
  const int hz = take_number<int>(unit).value_or(0);
  if ((unit.empty() || unit == "Hz") && hz >= 1 && hz <= kMost) return hz;
  throw usage_error(fmt::format("cannot sample at '{}'", text),
                    "a rate is a number of samples per second from 1 to 10000, or off",
                    "Use --sample=200Hz.");
}

RecordResult record(const RecordOptions& options) {
  if (options.command.empty()) {
    throw usage_error("cannot record", "no command given",
                      "Example: slackline record -- mpirun -n 4 ./app");
  }
  const RuntimeLibraries libraries = find_runtime_libraries();
  const Launcher launcher = find_launcher(options.command, options.mpi);
  const RecordPlaces places = places_of(options.output, options.analysis.wanted());
  check_files(options.output, places);
  Environment variables =
      environment(libraries, places.directory, options.call_paths, options.yield);
  std::vector<fs::path> earlier;
  if (options.write_trace) earlier = to_be_replaced(places, options.force);
  if (options.analysis.wanted()) {
    refuse_existing_report(places, options.force);
    std::ranges::copy(job_analysis_environment(options.analysis, places.report.filename().string()),
                      std::back_inserter(variables));
  }
  prepare(places);
  const LaunchPlan plan = plan_launch(options.command, launcher, variables);
  RecordResult result;
  try {
    ChildContext job = options.job;
    job.environment = merged(job.environment, plan.environment);
    result.exit_status = run_process(plan.command, job).exit_status;
    // A script may go on for long after its job.
    if (launcher.kind != LauncherKind::none) note_job_end(places.directory);
  } catch (const Error&) {
    remove_raw_files(places.directory);
    throw;
  }
  finish_jobs(places, options, result);
  if (result.failures.reasons.empty()) {
    result.failures.withheld = withheld_environment(options.command, launcher, variables);
    if (result.failures.withheld.empty()) {
      result.failures.withheld = recording_obstacle(options.command);
    }
  }
  remove_replaced(earlier, result);
  return result;
}

RecordResult finish_recording(const FinishOptions& options, ProcessGroup& group) {
  const fs::path absolute = fs::absolute(options.directory);
  if (recorded_jobs(absolute).empty()) {
    throw Error(fmt::format("cannot finish the recording in '{}'", options.directory.string()),
                "it contains no raw files", "Name the folder that the job recorded into.");
  }
  RecordPlaces places = places_of(options.output.empty() ? absolute : options.output, false);
  check_files(options.output, places);
  places.directory = absolute;
  const std::vector<fs::path> earlier = to_be_replaced(places, options.force);
  std::error_code failed;
  fs::create_directories(places.trace.parent_path(), failed);
  if (failed) {
    throw Error(fmt::format("cannot write to '{}'", places.trace.parent_path().string()),
                failed.message(), "Choose another folder with -o.");
  }
  RecordResult result;
  result.directory = places.directory;
  result.failures = recording_failures(places.directory);
  convert_jobs(places, options.keep_raw, group, result);
  if (group.is_first()) remove_replaced(earlier, result);
  return result;
}

Environment preload_environment(const PreloadOptions& options) {
  return environment(find_runtime_libraries(), options.output, options.call_paths, options.yield);
}

std::string preload_script(const PreloadOptions& options, ShellKind shell) {
  std::string script;
  for (const auto& [name, value] : preload_environment(options)) {
    script += shell == ShellKind::csh ? fmt::format("setenv {} {};\n", name, csh_word(value))
                                      : fmt::format("export {}={};\n", name, shell_word(value));
  }
  return script;
}

void exec_preloaded(const PreloadOptions& options, const std::vector<std::string>& command) {
  become_process(command, preload_environment(options));
}

}  // namespace slackline
