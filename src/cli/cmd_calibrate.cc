#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/requests/calibrate.h"
#include "base/error.h"
#include "cli/calibrate/benchmark.h"
#include "cli/commands.h"
#include "cli/output.h"
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
  write_report(execute(request), options.output);
  if (!options.output.quiet) {
    write_stderr(
        fmt::format("slackline: {} and {} are written; next: slackline predict --machine {}\n",
                    request.machine, request.smpi_options, request.machine));
  }
  return 0;
}

}  // namespace

Run setup_calibrate(CommandParser& parser) {
  auto options = std::make_shared<CalibrateCommandOptions>();
  parser.add_option("-o,--output", options->request.machine, "The machine's file to write")
      ->type_name("FILE")
      ->capture_default_str();
  parser.add_option("--seconds", options->benchmark.seconds, "How long to measure")
      ->positive()
      ->capture_default_str();
  parser.add_option("--seed", options->benchmark.seed, "Of the random order of measurements")
      ->type_name("N")
      ->capture_default_str();
  parser
      .add_option("--mpi", options->benchmark.mpi, "The launcher's MPI, if it cannot be found out")
      ->one_of({"openmpi", "mpich"});
  parser
      .add_option("--samples", options->request.samples,
                  "Start nothing; fit the samples of an earlier calibration again")
      ->type_name("FILE");
  parser
      .add_option("--report", options->output.file,
                  "Write the report to this file instead of standard output")
      ->type_name("FILE");
  parser
      .add_option("--format", options->output.format,
                  "Form of the report; default: the file's extension, else text")
      ->one_of({"text", "json", "csv", "html"});
  parser
      .add_option("--colour,--color", options->output.colour, "Colours in text (also: NO_COLOR=1)")
      ->one_of({"auto", "always", "never"})
      ->capture_default_str();
  parser.add_flag("-q,--quiet", options->output.quiet, "Say nothing but the result");
  parser.add_option("command", options->benchmark.command,
                    "After '--': the launcher with its options, for two ranks; no program");
  examples(parser, {"slackline calibrate --seconds 5 -- mpirun -n 2",
                    "slackline calibrate -o shm.toml --seconds 5 --report shm.html -- mpirun -n 2",
                    "slackline calibrate --samples machine.samples --format json"});
  return [options] { return run_calibrate(*options); };
}

}  // namespace slackline
