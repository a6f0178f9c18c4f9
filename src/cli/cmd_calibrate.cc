#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/options/shared_options.h"
#include "app/requests/calibrate.h"
#include "base/error.h"
#include "base/output_target.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/job_options.h"
#include "cli/output.h"
#include "jobs/calibrate/benchmark.h"
#include "report/report.h"

namespace slackline {
namespace {

struct CalibrateCommand {
  BenchmarkOptions benchmark;
  CalibrateRequest request{.machine = "machine.toml"};
  OutputOptions output;
};

/// "machine.toml" to "machine.samples" or "machine-latency.csv".
std::string beside(const std::string& machine, std::string_view ending) {
  return std::filesystem::path(machine).replace_extension().string() + std::string(ending);
}

std::string written_files(const CalibrateRequest& request, bool pairs) {
  if (!pairs) {
    return fmt::format("{}, {} and {} are", request.machine, request.smpi_options,
                       request.platform);
  }
  return fmt::format("{}, {}, {}, {} and {} are", request.machine, request.smpi_options,
                     request.platform, request.latency_matrix, request.gap_matrix);
}

/// Matrices of an earlier calibration with more ranks would be taken for those of this machine
/// file.
void note_earlier_matrices(const CalibrateRequest& request, const Report& report) {
  if (report.result.contains("pairs")) return;
  for (const std::string& file : {request.latency_matrix, request.gap_matrix}) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    write_stderr(fmt::format("slackline: {} is of an earlier calibration\n", file));
  }
}

int run_calibrate(const CalibrateCommand& command) {
  CalibrateRequest request = command.request;
  if (OutputTarget(request.machine).is_stream()) {
    throw usage_error(fmt::format("cannot write to '{}'", request.machine),
                      "a calibration has several files, with names like that of the machine file",
                      "Name a file, such as machine.toml.");
  }
  request.smpi_options = beside(request.machine, ".smpi");
  request.platform = beside(request.machine, "-platform.toml");
  request.latency_matrix = beside(request.machine, "-latency.csv");
  request.gap_matrix = beside(request.machine, "-gap.csv");
  if (request.samples.empty()) {
    BenchmarkOptions benchmark = command.benchmark;
    request.samples = beside(request.machine, ".samples");
    benchmark.samples = request.samples;
    run_benchmark(benchmark);
  } else if (!command.benchmark.command.empty()) {
    throw usage_error("cannot use --samples with a command", "the one needs no other",
                      "Leave one of them out.");
  }
  const Report report = execute(request);
  note_earlier_matrices(request, report);
  const bool pairs = report.result.contains("pairs");
  const int status = write_report(report, command.output);
  if (!command.output.quiet) {
    write_stderr(fmt::format(
        "slackline: {} written; next: slackline predict --machine {}{}\n",
        written_files(request, pairs), shell_word(request.machine),
        pairs ? fmt::format(" --latency-matrix {} --gap-matrix {}",
                            shell_word(request.latency_matrix), shell_word(request.gap_matrix))
              : ""));
  }
  return status;
}

}  // namespace

CommandAction setup_calibrate(OptionList& options) {
  auto command = std::make_shared<CalibrateCommand>();
  BenchmarkOptions& benchmark = command->benchmark;
  options.add("-o,--output FILE", command->request.machine, "Machine file to write");
  options.add("--seconds", benchmark.seconds, "Duration of the measurement in seconds",
              {.positive = true});
  options.add("--seed N", benchmark.seed, "Seed of the random order of measurements");
  declare_mpi(options, benchmark.mpi);
  options.add("--samples FILE", command->request.samples,
              "Start no benchmark; fit the samples of an earlier calibration");
  declare_buffers(options, command->request.buffers,
                  "Messages that the files for simulate are of; the machine file has all of them");
  options.add("--report FILE", command->output.file, "Report file (default: standard output)");
  declare_report_options(options, command->output);
  options.add("command", benchmark.command,
              "After '--': the launcher with its options, for two ranks, or more for L and G of "
              "each pair, without a program");
  return [command] { return run_calibrate(*command); };
}

}  // namespace slackline
