#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/options/shared_options.h"
#include "app/requests/model_requests.h"
#include "app/requests/replay.h"
#include "base/error.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/job_options.h"
#include "cli/output.h"
#include "cli/program_replays.h"
#include "jobs/replay/replay_job.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

struct ReplayCommandOptions {
  ReplayRequest request;
  ReplayJobOptions job;
  std::string trace_out;
  std::string skeleton;
  bool print_command = false;
  std::string folder = "slackline-replay";
  std::string replayed;
  std::string wildcards = "recorded";
  std::string start = "recorded";
  std::optional<std::string> files;
  std::string memory_bandwidth;
  int repeat = 1;
  int retries = 2;
  OutputOptions output;
};

std::string own_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? "slackline" : program.string();
}

/// The words of a replay with the same options, that reads what the job left in `folder`.
std::vector<std::string> evaluation(const ReplayCommandOptions& options, const fs::path& folder) {
  const ReplayRequest& r = options.request;
  std::vector<std::string> words{own_program(), "replay", fs::absolute(r.trace).string()};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  if (!r.scenario.empty()) add("--scenario", fs::absolute(r.scenario).string());
  for (const std::string& edit : r.edits) add("--set", edit);
  add("--wildcards", options.wildcards);
  add("--computation", r.computation);
  add("--start", options.start);
  add("--files", options.files.value_or(""));
  add("--memory-bandwidth", options.memory_bandwidth);
  if (r.skip_unsupported) words.emplace_back("--skip-unsupported");
  add("--tolerance", fmt::format("{}", r.tolerance));
  add("-o", options.trace_out);
  add("--report", options.output.file);
  add("--format", options.output.format);
  add("--replayed", folder.string());
  return words;
}

/// Writes the program, and prints what runs and evaluates it, a line each.
int print_commands(const ReplayCommandOptions& options, const ReplayRequest& request) {
  ReplayJobOptions kept = options.job;
  kept.files = options.files;
  kept.folder = options.folder;
  ReplayJob job(kept);
  try {
    job.expect_ranks(prepare_replay(request, job.folder().program()).ranks());
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(job.folder().path, ignored);
    throw;
  }
  std::vector<std::string> record{own_program(), "record"};
  const std::vector<std::string> arguments = job.record_arguments();
  record.insert(record.end(), arguments.begin(), arguments.end());
  OutputSink out({});
  out.write(shell_command(record) + "\n");
  out.write(shell_command(evaluation(options, job.folder().path)) + "\n");
  out.finish();
  return 0;
}

bool are_equal(const fs::path& a, const fs::path& b) {
  std::ifstream one(a, std::ios::binary);
  std::ifstream other(b, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return std::equal(Bytes(one), Bytes(), Bytes(other), Bytes());
}

/// A file that goes with this object.
struct ScratchFile {
  explicit ScratchFile(fs::path where) : path(std::move(where)), guard(path) {}
  ~ScratchFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  fs::path path;
  TemporaryGuard guard;
};

/// Evaluates a job that the printed command has run. The program is written again beside the one
/// that was re-enacted, which must be the same.
int evaluate_replayed(const ReplayCommandOptions& options, const ReplayRequest& request) {
  const ReplayFolder folder{options.replayed};
  std::error_code ignored;
  if (!fs::exists(folder.trace(), ignored)) {
    throw Error(fmt::format("cannot evaluate '{}'", options.replayed),
                "it has no recording of the job",
                "Run the command that 'slackline replay --print-command' printed.");
  }
  const ScratchFile again(folder.path / "program-again");
  const PreparedReplay prepared = prepare_replay(request, again.path);
  if (!are_equal(folder.program(), again.path)) {
    throw usage_error(fmt::format("cannot evaluate '{}'", options.replayed),
                      "another trace, or other edits or options, were replayed",
                      "Use the second line of what --print-command printed.");
  }
  std::vector<RecordedReplay> replays;
  replays.push_back(recorded_replay(prepared, folder.trace(), folder.report()));
  if (!options.trace_out.empty()) save_replay(replays.front(), options.trace_out);
  const ComparedRuns runs = leave_out_disturbed(replays);
  return write_report(report_replay(request, prepared, replays, runs), options.output);
}

int run_replay(const ReplayCommandOptions& options) {
  output_format(options.output);
  ReplayRequest request = options.request;
  request.options.free_wildcards = options.wildcards == "free";
  request.options.common_start = options.start == "common";
  request.options.files = options.files.has_value();
  if (!options.memory_bandwidth.empty())
    request.options.memory_rate = memory_rate(options.memory_bandwidth);
  if (request.trace.empty()) {
    throw usage_error("nothing to replay", "no trace given",
                      "Example: slackline replay app.slk -- mpirun -n 4.");
  }
  if (!options.skeleton.empty()) {
    if (!options.job.command.empty()) {
      throw usage_error("cannot use --export with a launcher", "it starts no job",
                        "Omit one of them.");
    }
    export_skeleton(request, options.skeleton);
    return 0;
  }
  if (!options.replayed.empty()) return evaluate_replayed(options, request);
  if (options.print_command && options.repeat > 1) {
    throw usage_error("cannot use --print-command with --repeat", "it prints one job",
                      "Omit one of them.");
  }
  if (options.print_command) return print_commands(options, request);
  ReplayJobOptions job = options.job;
  job.files = options.files;
  ProgramReplays program(request, job);
  for (int i = 0; i < options.repeat; ++i) program.run(options.retries);
  std::vector<RecordedReplay>& replays = program.recorded();
  const ComparedRuns runs = leave_out_disturbed(replays);
  if (!options.trace_out.empty()) {
    save_replay(replays[median_replay(replays)], options.trace_out);
  }
  return write_report(report_replay(request, program.prepared(), replays, runs), options.output);
}

}  // namespace

CommandAction setup_replay(OptionList& options) {
  auto wanted = std::make_shared<ReplayCommandOptions>();
  ReplayRequest& request = wanted->request;
  options.add("trace TRACE", request.trace, "Trace to replay");
  declare_memory(options, request.reading);
  options.add("--scenario SCENARIO", request.scenario, "TOML file with edits to apply first");
  options.add("--set EDIT", request.edits,
              "Edit (as in 'slackline whatif'), applied after the scenario; may be repeated");
  options.add("-o,--output FILE", wanted->trace_out,
              "Write the trace of the replay (the median one) to this file (.slk)");
  options.add("--export FILE", wanted->skeleton,
              "Write the edited program to this file as an anonymised trace; start no job");
  options.add("--print-command", wanted->print_command,
              "Start no job; write the program, and print the commands that run and evaluate it, "
              "for a batch script");
  options.add("--folder DIR", wanted->folder,
              "Folder that --print-command makes, on a file system that all hosts share");
  options.add("--replayed DIR", wanted->replayed,
              "Start no job; evaluate the one that the printed command has run in this folder");
  options.add("--repeat N", wanted->repeat, "Number of replays; the median is reported",
              {.positive = true});
  declare_retries(options, wanted->retries);
  options.add("--wildcards", wanted->wildcards,
              "Receives posted with wildcards: matched as recorded, or open",
              {.choices = {"recorded", "free"}});
  options.add("--computation", request.computation,
              "Computation to replay: wall or CPU time between calls; auto: CPU time where the "
              "ranks shared processors",
              {.choices = {"auto", "wall", "cpu"}});
  options.add("--start", wanted->start,
              "Start of the ranks: as far apart as recorded, or in common",
              {.choices = {"recorded", "common"}});
  options.add("--files DIR", wanted->files,
              "Read and write what the calls of MPI-IO did, in files of each process in this "
              "folder, which are gone in the end");
  options.add("--memory-bandwidth RATE", wanted->memory_bandwidth,
              "Computation moves so many bytes a second in memory, of each rank, e.g. 4GB/s",
              {.example = "4GB/s"});
  options.add("--skip-unsupported", request.skip_unsupported,
              "Replay as computation what would be refused: partitioned messages, windows that "
              "cannot be told apart and the like");
  options.add("--tolerance FRACTION", request.tolerance,
              "Name operations that differ by more than this fraction of the run time",
              {.not_negative = true});
  declare_mpi(options, wanted->job.mpi);
  options.add("--yield", wanted->job.yield,
              "Let waiting processes yield the CPU (for more ranks than cores)");
  options.add("--report FILE", wanted->output.file, "Report file (default: standard output)");
  declare_report_options(options, wanted->output);
  options.add("command", wanted->job.command,
              "After '--': the launcher with its options, without a program");
  return [wanted] { return run_replay(*wanted); };
}

}  // namespace slackline
