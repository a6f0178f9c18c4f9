#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/requests/simulate.h"
#include "base/error.h"
#include "cli/job_options.h"
#include "cli/report_command.h"
#include "jobs/record/launcher.h"
#include "jobs/record/libraries.h"

namespace slackline {
namespace {

/// Options of a program that runs while it is simulated.
struct OnlineOptions {
  std::string ranks{};
  std::string mpi{};
  std::string compute = "measured";
  std::string processors = "one";
  std::int32_t ranks_per_process = 1;
  std::vector<std::string> sample_functions{};
  std::string fold_above{};
  std::vector<std::string> command{};
};

void require_no_online(const OnlineOptions& online) {
  const OnlineOptions none;
  for (const auto& [given, option] :
       {std::pair{online.fold_above != none.fold_above, "--fold-above"},
        std::pair{online.sample_functions != none.sample_functions, "--sample-function"},
        std::pair{online.compute != none.compute, "--compute"},
        std::pair{online.processors != none.processors, "--processors"},
        std::pair{online.ranks_per_process != none.ranks_per_process, "--ranks-per-process"},
        std::pair{online.mpi != none.mpi, "--mpi"}}) {
    if (!given) continue;
    throw usage_error(fmt::format("cannot use {} for a trace", option),
                      "it is for a program that is run",
                      "Example: slackline simulate --platform p.xml -n 16 -- ./app");
  }
}

using SimulateCommand = ReportCommand<SimulateRequest>;

/// A program after '--' is run; its report goes where -o says, as its own output has the terminal.
int run_online(const SimulateCommand& command, const OnlineOptions& online) {
  const SimulateRequest& request = command.request;
  if (request.trace.empty()) {
    throw usage_error("cannot simulate a program", "-n is given, but no program",
                      "Example: slackline simulate --platform p.xml -n 16 -- ./app");
  }
  if (!request.tolerance.empty()) {
    throw usage_error("cannot search the tolerance of a program", "it would run dozens of times",
                      "Keep the program's trace with --trace run.slk, and simulate that.");
  }
  // The first word after '--' is what would else be the trace.
  std::vector<std::string> words{request.trace};
  words.insert(words.end(), online.command.begin(), online.command.end());
  const SimulatedOnline done = execute(SimulateOnlineRequest{
      .command = words,
      .program = find_program(words.front()),
      .preload = online_preload(words.front(), online.mpi, !online.fold_above.empty()),
      .ranks = parse_rank_counts(online.ranks),
      .machine = request.machine,
      .sweep = request.sweep,
      .compute = online.compute,
      .processors = online.processors,
      .ranks_per_process = online.ranks_per_process,
      .links = request.links,
      .slowed = request.slowed,
      .memory = request.reading.memory,
      .sample_functions = online.sample_functions,
      .fold_above = online.fold_above,
      .trace = request.timed});
  const int written = write_report(done.report, command.output);
  return done.exit_status != 0 ? done.exit_status : written;
}

/// Options of the program to run in simulated time (`-- COMMAND`).
void declare(OptionList& options, OnlineOptions& online) {
  options.add("-n,--ranks N", online.ranks,
              "Number of ranks of the program after '--', or several: 8,16,32");
  options.add("--compute", online.compute,
              "Computation of the program after '--': its CPU time, or none",
              {.choices = {"measured", "none"}});
  options.add("--processors", online.processors,
              "Processors of this machine that its processes use, which take turns",
              {.choices = {"one", "all"}});
  options.add("--ranks-per-process N", online.ranks_per_process,
              "Ranks that share a process as threads which take turns, each with its own global "
              "variables");
  options.add("--sample-function NAME", online.sample_functions,
              "Function that its ranks execute until its time is known and then skip, or auto for "
              "those whose time hardly varies (repeatable)",
              {.example = "auto"});
  options.add("--fold-above SIZE", online.fold_above,
              "Allocations of its ranks from this size on share one copy in memory: contents are "
              "wrong; auto: those that do not fit in memory",
              {.example = "1MiB"});
  declare_mpi(options, online.mpi, "MPI library of that program, if not detected");
  options.add("command", online.command,
              "After '--': MPI program to run in simulated time, without a launcher");
}

}  // namespace

CommandAction setup_simulate(OptionList& options) {
  auto command = std::make_shared<SimulateCommand>();
  auto online = std::make_shared<OnlineOptions>();
  declare(options, command->request);
  declare(options, *online);
  declare(options, command->output);
  return [command, online] {
    if (!online->ranks.empty()) {
      output_format(command->output);
      return run_online(*command, *online);
    }
    if (!online->command.empty()) {
      throw usage_error("cannot simulate the program", "the number of ranks is not given",
                        "Example: slackline simulate --platform p.xml -n 16 -- ./app");
    }
    require_no_online(*online);
    return report_on(*command);
  };
}

}  // namespace slackline
