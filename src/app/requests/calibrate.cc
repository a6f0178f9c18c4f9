#include "app/requests/calibrate.h"

#include <fmt/format.h>

#include "app/requests/schemas.h"
#include "base/file.h"
#include "calibration/calibration_report.h"
#include "calibration/machine_file.h"

namespace slackline {
namespace {

auto calibrate_report(const CalibrateRequest& request, const CalibrationSamples& samples,
                      const LogGPSFit& fit, const SmpiTables& smpi) {
  return typed_report("calibrate", fmt::format("calibrate: {}", request.samples),
                      Object{"samples"_key = request.samples, "machine"_key = request.machine,
                             "smpi_options"_key = request.smpi_options},
                      Object{"path"_key = request.samples, "mpi"_key = samples.mpi,
                             "measured"_key = samples.started, "hosts"_key = samples.hosts},
                      describe(samples, fit, smpi));
}
using CalibrateReports = CommandReports<ReturnedBy<calibrate_report>>;

}  // namespace

Report execute(const CalibrateRequest& request) {
  const CalibrationSamples samples = read_samples(request.samples);
  const LogGPSFit fit = fit_loggps(samples, {});
  const SmpiTables smpi = smpi_tables(fit);
  if (!request.machine.empty()) write_file(request.machine, machine_text(samples, fit, smpi));
  if (!request.smpi_options.empty()) write_file(request.smpi_options, smpi_options_text(smpi));
  return CalibrateReports::untyped(calibrate_report(request, samples, fit, smpi));
}

CommandSchema calibrate_schema() {
  return CalibrateReports::schema();
}

}  // namespace slackline
