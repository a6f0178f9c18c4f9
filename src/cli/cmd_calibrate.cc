#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/requests/calibrate.h"
#include "base/error.h"
#include "base/output_target.h"
#include "base/shell_command.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "jobs/calibrate/benchmark.h"
#include "report/report.h"

namespace slackline {
namespace {

struct CalibrateCommandOptions {
  BenchmarkOptions benchmark;
  CalibrateRequest request{.samples = {}, .machine = "machine.toml", .smpi_options = {}};
  OutputOptions output;
};

/// "machine.toml" to "machine.samples".
std::string beside(const std::string& machine, std::string_view extension) {
  return std::filesystem::path(machine).replace_extension(extension).string();
}

int run_calibrate(const CalibrateCommandOptions& options) {
  CalibrateRequest request = options.request;
  if (OutputTarget(request.machine).is_stream()) {
    throw usage_error(fmt::format("cannot write to '{}'", request.machine),
                      "a calibration has several files, with names like that of the machine file",
                      "Name a file, such as machine.toml.");
  }
  request.smpi_options = beside(request.machine, ".smpi");
  if (request.samples.empty()) {
    BenchmarkOptions benchmark = options.benchmark;
    request.samples = beside(request.machine, ".samples");
    benchmark.samples = request.samples;
    run_benchmark(benchmark);
  } else if (!options.benchmark.command.empty()) {
    throw usage_error("cannot use --samples with a command", "the one needs no other",
                      "Leave one of them out.");
  }
  const int status = write_report(execute(request), options.output);
  if (!options.output.quiet) {
    write_stderr(
        fmt::format("slackline: {} and {} are written; next: slackline predict --machine {}\n",
                    request.machine, request.smpi_options, shell_word(request.machine)));
  }
  return status;
}

}  // namespace

Run setup_calibrate(CommandParser& parser) {
  auto options = std::make_shared<CalibrateCommandOptions>();
  parser.add_option("-o,--output", options->request.machine, "Machine file to write")
      ->type_name("FILE")
      ->capture_default_str();
  parser
      .add_option("--seconds", options->benchmark.seconds, "Duration of the measurement in seconds")
      ->positive()
      ->capture_default_str();
  parser.add_option("--seed", options->benchmark.seed, "Seed of the random order of measurements")
      ->type_name("N")
      ->capture_default_str();
  parser
      .add_option("--mpi", options->benchmark.mpi, "The launcher's MPI, if it cannot be detected")
      ->one_of({"openmpi", "mpich"});
  parser
      .add_option("--samples", options->request.samples,
                  "Start no benchmark; fit the samples of an earlier calibration")
      ->type_name("FILE");
  parser.add_option("--report", options->output.file, "Report file (default: standard output)")
      ->type_name("FILE");
  add_report_options(parser, options->output);
  parser.add_option("command", options->benchmark.command,
                    "After '--': the launcher with its options, for two ranks, without a program");
  examples(parser, {"slackline calibrate --seconds 5 -- mpirun -n 2",
                    "slackline calibrate -o shm.toml --seconds 5 --report shm.html -- mpirun -n 2",
                    "slackline calibrate --samples machine.samples --format json"});
  return [options] { return run_calibrate(*options); };
}

}  // namespace slackline
