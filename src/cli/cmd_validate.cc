#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/requests/calibrate.h"
#include "app/requests/validate.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "jobs/validate/latency_list.h"
#include "jobs/validate/measurement.h"
#include "report/report.h"

namespace slackline {
namespace {

struct ValidateCommandOptions {
  MeasurementOptions measurement;
  ValidateRequest request;
  std::string folder = "slackline-validation";
  std::string latencies = "0,10us..100us";
  std::string eager_limit = "64KiB";
  OutputOptions output;
};

int run_validate(const ValidateCommandOptions& options) {
  MeasurementOptions wanted = options.measurement;
  wanted.folder = std::filesystem::absolute(options.folder);
  wanted.latencies_ns = parse_latencies(options.latencies);
  wanted.eager_limit = parse_bytes(options.eager_limit, "--eager-limit");
  wanted.machine = options.request.model.machine;
  const Measurement measurement = measure(wanted);
  ValidateRequest request = options.request;
  request.model.machine = measurement.machine.string();
  if (!measurement.samples.empty()) {
    execute(CalibrateRequest{.samples = measurement.samples.string(),
                             .machine = request.model.machine});
  }
  for (const PlannedRun& run : measurement.runs) {
    request.runs.push_back({run.added_ns, run.trace.string()});
  }
  return write_report(execute(request), options.output);
}

}  // namespace

Run setup_validate(CommandParser& parser) {
  auto options = std::make_shared<ValidateCommandOptions>();
  parser
      .add_option("-o,--output", options->folder,
                  "Folder for measurements; existing ones are reused")
      ->type_name("DIR")
      ->capture_default_str();
  parser
      .add_option("--latencies", options->latencies,
                  "Added latencies; A..B is ten evenly spaced ones")
      ->type_name("LIST")
      ->capture_default_str();
  parser.add_option("--repeat", options->measurement.repetitions, "Runs with each latency")
      ->positive()
      ->capture_default_str();
  parser
      .add_option("--machine", options->request.model.machine,
                  "Parameters without added latency; default: they are measured first")
      ->type_name("FILE");
  parser
      .add_option("--seconds", options->measurement.calibration_seconds,
                  "How long to measure the parameters")
      ->positive()
      ->capture_default_str();
  parser
      .add_option("--eager-limit", options->eager_limit,
                  "Largest message without a rendezvous (UCX_RNDV_THRESH)")
      ->type_name("SIZE")
      ->capture_default_str();
  add_degradations(parser, options->request.degradations);
  add_collectives(parser, options->request.model.collectives, "");
  add_computation(parser, options->request.model.computation, "");
  parser.add_option("--seed", options->measurement.seed, "Seed of the random order of runs")
      ->type_name("N")
      ->capture_default_str();
  parser
      .add_option("--mpi", options->measurement.mpi, "MPI library of the launcher, if not detected")
      ->one_of({"openmpi", "mpich"});
  parser
      .add_option("--report", options->output.file,
                  "Write the report to this file instead of standard output")
      ->type_name("FILE");
  parser
      .add_option("--format", options->output.format,
                  "Output format; default: the file's extension, else text")
      ->one_of({"text", "json", "csv", "html"});
  parser
      .add_option("--colour,--color", options->output.colour, "Colours in text (also: NO_COLOR=1)")
      ->one_of({"auto", "always", "never"})
      ->capture_default_str();
  parser.add_flag("-q,--quiet", options->output.quiet, "Suppress messages");
  parser.add_option("command", options->measurement.command,
                    "After '--': command that starts the job");
  examples(parser,
           {"slackline validate --latencies 0,20us --repeat 2 --seconds 1 -- mpirun -n 2 ./app",
            "slackline validate --report v.html --latencies 50us --repeat 2 --seconds 1 -- mpirun "
            "-n 2 ./app"});
  return [options] { return run_validate(*options); };
}

}  // namespace slackline
