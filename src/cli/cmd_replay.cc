#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/requests/replay.h"
#include "app/requests/whatif.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/replay/replay_job.h"

namespace slackline {
namespace {

struct ReplayCommandOptions {
  ReplayRequest request;
  ReplayJobOptions job;
  std::string trace_out;
  std::string skeleton;
  std::string wildcards = "recorded";
  std::string start = "recorded";
  int repeat = 1;
  OutputOptions output;
};

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
  ReplayJob job(options.job);
  const PreparedReplay prepared = prepare_replay(request, job.program());
  job.expect_ranks(prepared.ranks());
  std::vector<RecordedReplay> replays;
  for (int i = 0; i < options.repeat; ++i) {
    const std::filesystem::path recorded = job.run();
    replays.push_back(recorded_replay(prepared, recorded, job.report()));
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
  parser.add_option("--scenario", request.scenario, "TOML file with edits to apply first")
      ->type_name("SCENARIO");
  parser
      .add_option("--set", request.edits,
                  "Edit as of 'slackline whatif', applied after the scenario; may be repeated")
      ->type_name("EDIT")
      ->allow_extra_args(false);
  parser
      .add_option("-o,--output", options->trace_out,
                  "Write the trace of the replay (the median one) to this file (.slk)")
      ->type_name("FILE");
  parser
      .add_option("--export", options->skeleton,
                  "Start no job; write the program as a trace without any names to this file")
      ->type_name("FILE");
  parser.add_option("--repeat", options->repeat, "Number of replays; the median is reported")
      ->positive()
      ->type_name("N")
      ->capture_default_str();
  parser
      .add_option("--wildcards", options->wildcards,
                  "Receives posted with wildcards: from the recorded source, or free again")
      ->one_of({"recorded", "free"})
      ->capture_default_str();
  parser
      .add_option("--computation", request.computation,
                  "What is replayed of computation: all time between calls, or CPU time; auto: CPU "
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
                    "slackline replay app.slk --repeat 3 --format json -- mpirun -n 4"});
  return [options] { return run_replay(*options); };
}

}  // namespace slackline
