#include <memory>

#include "app/requests/simulate.h"
#include "app/requests/simulate_online.h"
#include "base/error.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"
#include "jobs/online/online_library.h"

namespace slackline {
namespace {

constexpr int kMostShown = 1'000'000;
constexpr int kMostRanks = 4096;

/// Options of a program that runs while it is simulated.
struct OnlineOptions {
  std::int32_t ranks = 0;
  std::string mpi{};
  std::string compute = "measured";
  std::string processors = "one";
  std::vector<std::string> command{};
};

using SimulateCommand = ReportCommand<SimulateRequest>;

/// A program after '--' is run; its report goes where -o says, as its own output has the terminal.
int run_online(const SimulateCommand& command, const OnlineOptions& online) {
  const SimulateRequest& request = command.request;
  if (request.trace.empty()) {
    throw usage_error("cannot simulate a program", "-n is given, but no program",
                      "Example: slackline simulate --platform p.xml -n 16 -- ./app");
  }
  if (!request.sweep.empty() || !request.tolerance.empty()) {
    throw usage_error("cannot simulate a program more than once",
                      "--sweep or --tolerance is given with it",
                      "Keep the program's trace with --trace run.slk, and simulate that.");
  }
  // The first word after '--' is what would else be the trace.
  std::vector<std::string> words{request.trace};
  words.insert(words.end(), online.command.begin(), online.command.end());
  const SimulatedOnline done =
      execute(SimulateOnlineRequest{.command = words,
                                    .preload = online_preload(words.front(), online.mpi),
                                    .ranks = online.ranks,
                                    .machine = request.machine,
                                    .compute = online.compute,
                                    .processors = online.processors,
                                    .links = request.links,
                                    .slowed = request.slowed,
                                    .memory = request.reading.memory,
                                    .trace = request.timed});
  const int written = write_report(done.report, command.output);
  return done.exit_status != 0 ? done.exit_status : written;
}

/** Options of the program to run in simulated time (`-- COMMAND`). */
void add_online_options(CommandParser& parser, OnlineOptions& online) {
  parser.add_option("-n,--ranks", online.ranks, "Number of ranks of the program after '--'")
      ->type_name("N")
      ->in_range(1, kMostRanks);
  parser
      .add_option("--compute", online.compute,
                  "Computation of the program after '--': its CPU time, or none")
      ->one_of({"measured", "none"})
      ->capture_default_str();
  parser
      .add_option("--processors", online.processors,
                  "Processors of this machine that its processes use, which take turns")
      ->one_of({"one", "all"})
      ->capture_default_str();
  parser.add_option("--mpi", online.mpi, "MPI library of that program, if not detected")
      ->one_of({"openmpi", "mpich"});
  parser.add_option("command", online.command,
                    "After '--': MPI program to run in simulated time, without a launcher");
}

}  // namespace

Run setup_simulate(CommandParser& parser) {
  auto command = std::make_shared<SimulateCommand>();
  SimulateRequest& request = command->request;
  add_trace(parser, request.trace, request.reading);
  add_platform_options(parser, request.machine, PlatformGroup::own);
  parser.get_option("--platform")->required();
  parser
      .add_option("--model", request.machine.model,
                  "Network model: smpi, lv08, cm02, raw, loggps (no contention) or constant")
      ->type_name("MODEL");
  parser
      .add_option("--collectives", request.machine.collectives,
                  "Selector of collective algorithms: default, ompi, mpich, mvapich2 or impi")
      ->type_name("SELECTOR");
  add_computation(parser, request.computation, "");
  parser.add_option("--links", request.links, "Number of most contended links to show; 0: none")
      ->type_name("N")
      ->in_range(0, kMostShown)
      ->capture_default_str();
  parser
      .add_option("--slowed", request.slowed,
                  "Number of messages most delayed by contention to show; 0: none")
      ->type_name("N")
      ->in_range(0, kMostShown)
      ->capture_default_str();
  parser
      .add_option("--actions", request.actions,
                  "Write the end time of each action: lines of seconds, rank and action")
      ->type_name("FILE");
  parser
      .add_option("--timed,--trace", request.timed,
                  "Write the simulated run as a timed trace; format by extension")
      ->type_name("FILE");
  parser
      .add_option(
          "--sweep", request.sweep,
          "Simulate all combinations, e.g. bandwidth=0.5,1,2,latency=1,10,collectives=ompi,mpich")
      ->type_name("AXES");
  parser
      .add_option("--tolerance", request.tolerance,
                  "Tolerance to reduced link performance: latency or bandwidth, of a link group "
                  "bandwidth@backbone")
      ->type_name("WHAT")
      ->excludes(parser.get_option("--sweep"));
  add_degradations(parser, request.degradations);
  auto online = std::make_shared<OnlineOptions>();
  add_online_options(parser, *online);
  add_output_options(parser, command->output);
  examples(parser,
           {"slackline simulate app.slk --platform cluster.xml",
            "slackline simulate trace.ti --platform p.xml --hostfile hosts --options smpi.txt",
            "slackline simulate app.slk --platform p.toml --map block --collectives ompi",
            "slackline simulate app.slk --platform p.xml --sweep bandwidth=0.5,1,2,latency=1,10",
            "slackline simulate app.slk --platform p.xml --tolerance bandwidth@backbone",
            "slackline simulate --platform cluster.xml -n 16 --trace run.slk -- ./app"});
  return [command, online] {
    if (online->ranks > 0) {
      output_format(command->output);
      return run_online(*command, *online);
    }
    if (!online->command.empty()) {
      throw usage_error("cannot simulate the program", "the number of ranks is not given",
                        "Example: slackline simulate --platform p.xml -n 16 -- ./app");
    }
    command->request.pictures = output_format(command->output) == OutputFormat::html;
    return write_report(execute(command->request), command->output);
  };
}

}  // namespace slackline
