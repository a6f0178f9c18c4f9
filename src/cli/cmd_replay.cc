#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/requests/replay.h"
#include "app/requests/whatif.h"
#include "base/error.h"
#include "base/shell_command.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/shared_options.h"
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
  int repeat = 1;
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
  return write_report(report_replay(request, prepared, replays), options.output);
}

int run_replay(const ReplayCommandOptions& options) {
  output_format(options.output);
  ReplayRequest request = options.request;
  request.options.free_wildcards = options.wildcards == "free";
  request.options.common_start = options.start == "common";
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
  ReplayJob job(options.job);
  const PreparedReplay prepared = prepare_replay(request, job.folder().program());
  job.expect_ranks(prepared.ranks());
  std::vector<RecordedReplay> replays;
  for (int i = 0; i < options.repeat; ++i) {
    const std::filesystem::path recorded = job.run();
    replays.push_back(recorded_replay(prepared, recorded, job.folder().report()));
  }
  if (!options.trace_out.empty()) {
    save_replay(replays[median_replay(replays)], options.trace_out);
  }
  return write_report(report_replay(request, prepared, replays), options.output);
}

}  // namespace

Run setup_replay(CommandParser& parser) {
  auto options = std::make_shared<ReplayCommandOptions>();
  ReplayRequest& request = options->request;
  parser.add_option("trace", request.trace, "Trace to replay")->type_name("TRACE");
  add_memory(parser, request.reading);
  parser.add_option("--scenario", request.scenario, "TOML file with edits to apply first")
      ->type_name("SCENARIO");
  parser
      .add_option("--set", request.edits,
                  "Edit (as in 'slackline whatif'), applied after the scenario; may be repeated")
      ->type_name("EDIT")
      ->allow_extra_args(false);
  parser
      .add_option("-o,--output", options->trace_out,
                  "Write the trace of the replay (the median one) to this file (.slk)")
      ->type_name("FILE");
  parser
      .add_option("--export", options->skeleton,
                  "Write the edited program to this file as an anonymised trace; start no job")
      ->type_name("FILE");
  parser.add_flag("--print-command", options->print_command,
                  "Start no job; write the program, and print the commands that run and evaluate "
                  "it, for a batch script");
  parser
      .add_option("--folder", options->folder,
                  "Folder that --print-command makes, on a file system that all hosts share")
      ->type_name("DIR")
      ->capture_default_str();
  parser
      .add_option("--replayed", options->replayed,
                  "Start no job; evaluate the one that the printed command has run in this folder")
      ->type_name("DIR");
  parser.add_option("--repeat", options->repeat, "Number of replays; the median is reported")
      ->positive()
      ->type_name("N")
      ->capture_default_str();
  parser
      .add_option("--wildcards", options->wildcards,
                  "Receives posted with wildcards: matched as recorded, or open")
      ->one_of({"recorded", "free"})
      ->capture_default_str();
  parser
      .add_option("--computation", request.computation,
                  "Computation to replay: wall or CPU time between calls; auto: CPU "
                  "time where the ranks shared processors")
      ->one_of({"auto", "wall", "cpu"})
      ->capture_default_str();
  parser
      .add_option("--start", options->start,
                  "Start of the ranks: as far apart as recorded, or in common")
      ->one_of({"recorded", "common"})
      ->capture_default_str();
  parser.add_flag("--skip-unsupported", request.skip_unsupported,
                  "Replay one-sided communication, MPI-IO and the like as computation");
  parser
      .add_option("--tolerance", request.tolerance,
                  "Name operations that differ by more than this fraction of the run time")
      ->not_negative()
      ->type_name("FRACTION")
      ->capture_default_str();
  parser.add_option("--mpi", options->job.mpi, "MPI library of the launcher, if not detected")
      ->one_of({"openmpi", "mpich"});
  parser.add_flag("--yield", options->job.yield,
                  "Let waiting processes yield the CPU (for more ranks than cores)");
  parser.add_option("--report", options->output.file, "Report file (default: standard output)")
      ->type_name("FILE");
  add_report_options(parser, options->output);
  parser.add_option("command", options->job.command,
                    "After '--': the launcher with its options, without a program");
  examples(parser, {"slackline replay app.slk -- mpirun -n 4",
                    "slackline replay app.slk --set 'balance' -o balanced.slk -- mpirun -n 4",
                    "slackline replay app.slk --export app.skeleton",
                    "slackline replay app.slk --print-command -- mpirun -n 4",
                    "slackline replay app.slk --repeat 3 --format json -- mpirun -n 4"});
  return [options] { return run_replay(*options); };
}

}  // namespace slackline
