#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/requests/calibrate.h"
#include "base/error.h"
#include "base/output_target.h"
#include "base/shell_command.h"
#include "cli/commands.h"
#include "cli/job_options.h"
#include "cli/output.h"
#include "jobs/calibrate/benchmark.h"
#include "report/report.h"

namespace slackline {
namespace {

struct CalibrateCommand {
  BenchmarkOptions benchmark;
  CalibrateRequest request{.samples = {}, .machine = "machine.toml", .smpi_options = {}};
  OutputOptions output;
};

/// "machine.toml" to "machine.samples".
std::string beside(const std::string& machine, std::string_view extension) {
  return std::filesystem::path(machine).replace_extension(extension).string();
}

int run_calibrate(const CalibrateCommand& command) {
  CalibrateRequest request = command.request;
  if (OutputTarget(request.machine).is_stream()) {
    throw usage_error(fmt::format("cannot write to '{}'", request.machine),
                      "a calibration has several files, with names like that of the machine file",
                      "Name a file, such as machine.toml.");
  }
  request.smpi_options = beside(request.machine, ".smpi");
  if (request.samples.empty()) {
    BenchmarkOptions benchmark = command.benchmark;
    request.samples = beside(request.machine, ".samples");
    benchmark.samples = request.samples;
    run_benchmark(benchmark);
  } else if (!command.benchmark.command.empty()) {
    throw usage_error("cannot use --samples with a command", "the one needs no other",
                      "Leave one of them out.");
  }
  const int status = write_report(execute(request), command.output);
  if (!command.output.quiet) {
    write_stderr(
        fmt::format("slackline: {} and {} are written; next: slackline predict --machine {}\n",
                    request.machine, request.smpi_options, shell_word(request.machine)));
  }
  return status;
}

}  // namespace

Run setup_calibrate(OptionList& options) {
  auto command = std::make_shared<CalibrateCommand>();
  BenchmarkOptions& benchmark = command->benchmark;
  options.add("-o,--output FILE", command->request.machine, "Machine file to write");
  options.add("--seconds", benchmark.seconds, "Duration of the measurement in seconds",
              {.positive = true});
  options.add("--seed N", benchmark.seed, "Seed of the random order of measurements");
  declare_mpi(options, benchmark.mpi);
  options.add("--samples FILE", command->request.samples,
              "Start no benchmark; fit the samples of an earlier calibration");
  options.add("--report FILE", command->output.file, "Report file (default: standard output)");
  declare_report_options(options, command->output);
  options.add("command", benchmark.command,
              "After '--': the launcher with its options, for two ranks, without a program");
  return [command] { return run_calibrate(*command); };
}

}  // namespace slackline
