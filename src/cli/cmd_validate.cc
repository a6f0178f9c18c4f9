#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/options/shared_options.h"
#include "app/requests/calibrate.h"
#include "base/output_place.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/job_options.h"
#include "cli/output.h"
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
    OutputsOfCommand::place();  // what predicts reads it
  }
  for (const PlannedRun& run : measurement.runs) {
    request.runs.push_back({run.added_ns, run.trace.string()});
  }
  return write_report(execute(request), options.output);
}

}  // namespace

CommandAction setup_validate(OptionList& options) {
  auto wanted = std::make_shared<ValidateCommandOptions>();
  MeasurementOptions& measurement = wanted->measurement;
  ValidateRequest& request = wanted->request;
  options.add("-o,--output DIR", wanted->folder,
              "Folder for measurements; existing ones are reused");
  options.add("--latencies LIST", wanted->latencies,
              "Added latencies; A..B is ten evenly spaced ones");
  options.add("--repeat", measurement.repetitions, "Runs with each latency", {.positive = true});
  options.add("--machine FILE", request.model.machine,
              "Parameters without added latency; default: they are measured first");
  options.add("--seconds", measurement.calibration_seconds, "How long to measure the parameters",
              {.positive = true});
  declare_eager_limit(options, wanted->eager_limit);
  declare_degradations(options, request.degradations);
  declare_collectives(options, request.model.collectives);
  declare_computation(options, request.model.computation);
  options.add("--seed N", measurement.seed, "Seed of the random order of runs");
  declare_retries(options, measurement.retries);
  declare_mpi(options, measurement.mpi);
  options.add("--report FILE", wanted->output.file,
              "Write the report to this file instead of standard output");
  options.add("--format", wanted->output.format,
              "Output format; default: the file's extension, else text",
              {.choices = {"text", "json", "csv", "html", "markdown"}});
  options.add("--colour,--color", wanted->output.colour, "Colours in text (also: NO_COLOR=1)",
              {.choices = {"auto", "always", "never"}});
  options.add("-q,--quiet", wanted->output.quiet, "Suppress messages");
  options.add("command", measurement.command, "After '--': command that starts the job");
  return [wanted] { return run_validate(*wanted); };
}

}  // namespace slackline
