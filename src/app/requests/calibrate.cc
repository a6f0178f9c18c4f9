#include "app/requests/calibrate.h"

#include <fmt/format.h>

#include "base/file.h"
#include "calibration/calibration_report.h"
#include "calibration/machine_file.h"

namespace slackline {

Report execute(const CalibrateRequest& request) {
  const CalibrationSamples samples = read_samples(request.samples);
  const LogGPSFit fit = fit_loggps(samples, {});
  const SmpiTables smpi = smpi_tables(fit);
  if (!request.machine.empty()) write_file(request.machine, machine_text(samples, fit, smpi));
  if (!request.smpi_options.empty()) write_file(request.smpi_options, smpi_options_text(smpi));
  Report report = describe(samples, fit);
  report.command = "calibrate";
  report.title = fmt::format("calibrate: {}", request.samples);
  report.options = {{"samples", request.samples},
                    {"machine", request.machine},
                    {"smpi_options", request.smpi_options}};
  report.input = {{"path", request.samples},
                  {"mpi", samples.mpi},
                  {"measured", samples.started},
                  {"hosts", Json::array({samples.hosts[0], samples.hosts[1]})}};
  return report;
}

}  // namespace slackline
