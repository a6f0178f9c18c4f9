#include "cli/record/record.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/record/libraries.h"
#include "cli/record/process.h"
#include "formats/native/writer.h"
#include "formats/raw/reader.h"

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

RecordPlaces places_of(const fs::path& output) {
  const fs::path path = fs::absolute(output.empty() ? next_free_folder() : output);
  if (path.extension() != ".slk") return {path / "trace.slk", path};
  fs::path directory = path;
  directory += ".recording";
  return {path, directory};
}

/// Makes the folder, and sees that the ranks will be able to write there: what they cannot write,
/// they can only complain of.
void prepare(const RecordPlaces& places) {
  const fs::path raw = places.directory / "raw";
  std::error_code error;
  fs::create_directories(raw, error);
  if (error || access(raw.c_str(), W_OK | X_OK) != 0) {
    throw Error(fmt::format("cannot write to '{}'", raw.string()),
                error ? error.message() : errno_text(), "Choose another place with -o.");
  }
  if (looks_like_raw(raw)) {
    throw Error(
        fmt::format("cannot record into '{}'", places.directory.string()),
        "it holds a recording that was never finished",
        fmt::format("Run 'slackline record --finish {}' or remove it.", places.directory.string()));
  }
}

std::uint64_t bytes_below(const fs::path& directory) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(directory, ignored)) {
    if (entry.is_regular_file(ignored)) bytes += entry.file_size(ignored);
  }
  return bytes;
}

/// Removes the recorder's files, and the folders if nothing else is in them.
void remove_raw(const RecordPlaces& places) {
  std::error_code ignored;
  const fs::path raw = places.directory / "raw";
  for (const auto& entry : fs::directory_iterator(raw, ignored)) {
    if (entry.path().extension() == ".slkraw") fs::remove(entry.path(), ignored);
  }
  fs::remove(raw, ignored);
  fs::remove(places.directory, ignored);
}

RecordedTrace convert(const RecordPlaces& places) {
  const Trace trace = read_raw(places.directory);
  RecordedTrace recorded;
  recorded.trace = places.trace;
  recorded.ranks = trace.ranks();
  recorded.calls = trace.call_count();
  recorded.raw_bytes = bytes_below(places.directory / "raw");
  recorded.recording_ns = trace.info().recording_ns;
  recorded.cpu_ns = trace.info().cpu_ns;
  recorded.findings = trace.findings();
  write_native(trace, places.trace);
  std::error_code ignored;
  recorded.trace_bytes = fs::file_size(places.trace, ignored);
  return recorded;
}

/// Whatever goes wrong from here on, the job has run: its files are kept and the reason is told.
void convert_or_keep(const RecordPlaces& places, bool keep_raw, RecordResult& result) {
  const fs::path raw = places.directory / "raw";
  try {
    result.recorded = convert(places);
  } catch (const Error& error) {
    result.conversion_problem = error.what();
    result.raw = raw;
    return;
  }
  if (keep_raw) {
    result.raw = raw;
  } else {
    remove_raw(places);
  }
}

Environment environment(const RuntimeLibraries& libraries, const fs::path& directory, bool yield) {
  return {{"LD_PRELOAD", preload_value(libraries, yield)},
          {"SLACKLINE_DIR", fs::absolute(directory).string()}};
}

void check_recorder(const RuntimeLibraries& libraries, const Launcher& launcher) {
  const bool open_mpi = launcher.kind == LauncherKind::open_mpi;
  if (!open_mpi && launcher.kind != LauncherKind::mpich) return;
  const std::string_view mpi = open_mpi ? "openmpi" : "mpich";
  if (has_recorder(libraries, mpi)) return;
  throw Error(fmt::format("cannot record {} programs", open_mpi ? "Open MPI" : "MPICH"),
              "this Slackline was built where that MPI was not installed",
              "Install its development package and build again.");
}

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace

RecordResult record(const RecordOptions& options) {
  if (options.command.empty()) {
    throw usage_error("nothing to record", "there is no command",
                      "Say: slackline record -- mpirun -n 4 ./app");
  }
  const RuntimeLibraries libraries = find_runtime_libraries();
  const Launcher launcher = find_launcher(options.command, options.mpi);
  check_recorder(libraries, launcher);
  const RecordPlaces places = places_of(options.output);
  prepare(places);
  const LaunchPlan plan = plan_launch(options.command, launcher,
                                      environment(libraries, places.directory, options.yield));
  RecordResult result;
  try {
    result.exit_status = run_process(plan.command, plan.environment).exit_status;
  } catch (const Error&) {
    remove_raw(places);
    throw;
  }
  if (looks_like_raw(places.directory)) {
    convert_or_keep(places, options.keep_raw, result);
  } else {
    remove_raw(places);
  }
  return result;
}

RecordResult finish_recording(const fs::path& directory, bool keep_raw) {
  const fs::path absolute = fs::absolute(directory);
  if (!looks_like_raw(absolute)) {
    throw Error(fmt::format("cannot finish the recording in '{}'", directory.string()),
                "there are no raw files", "Give the folder that the job recorded into.");
  }
  RecordResult result;
  convert_or_keep({absolute / "trace.slk", absolute}, keep_raw, result);
  return result;
}

Environment preload_environment(const PreloadOptions& options) {
  return environment(find_runtime_libraries(), options.output, options.yield);
}

std::string preload_script(const PreloadOptions& options) {
  std::string script;
  for (const auto& [name, value] : preload_environment(options)) {
    script += fmt::format("export {}={};\n", name, shell_quoted(value));
  }
  return script;
}

void exec_preloaded(const PreloadOptions& options, const std::vector<std::string>& command) {
  become_process(command, preload_environment(options));
}

}  // namespace slackline
