#include "app/requests/calibrate.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "app/requests/schemas.h"
#include "base/file.h"
#include "calibration/calibration_report.h"
#include "calibration/machine_file.h"
#include "calibration/pair_parameters.h"
#include "calibration/pairs_at_once.h"

namespace slackline {
namespace {

auto calibrate_report(const CalibrateRequest& request, const CalibrationSamples& samples,
                      const LogGPSFit& fit, const SmpiTables& smpi, Buffers buffers,
                      const std::vector<PairParameters>& pairs,
                      const std::optional<PairsAtOnce>& at_once) {
  Described<CalibrationJson> described = describe(samples, fit, smpi, buffers);
  const auto by_pair = add_pair_parameters(described.sections, described.findings, pairs);
  const auto together = add_pairs_at_once(described.sections, described.findings, at_once);
  return typed_report(
      "calibrate", fmt::format("calibrate: {}", request.samples),
      Object{"samples"_key = request.samples,
             "buffers"_key = kBuffersNames[static_cast<std::size_t>(buffers)],
             "machine"_key = request.machine, "smpi_options"_key = request.smpi_options,
             "platform"_key = request.platform},
      Object{"path"_key = request.samples, "mpi"_key = samples.mpi,
             "measured"_key = samples.started, "hosts"_key = samples.hosts},
      std::move(described).with("pairs"_key.when(by_pair), "pairs_at_once"_key.when(together)));
}
using CalibrateReports = CommandReports<ReturnedBy<calibrate_report>>;

}  // namespace

Report execute(const CalibrateRequest& request) {
  const CalibrationSamples samples = read_samples(request.samples);
  const LogGPSFit fit = fit_loggps(samples, {});
  const Buffers buffers = parse_buffers(request.buffers);
  const SmpiTables smpi = smpi_tables(fit, buffers);
  const std::optional<PairsAtOnce> at_once = pairs_at_once(samples, fit);
  if (!request.machine.empty())
    write_output(request.machine, machine_text(samples, fit, smpi, at_once));
  if (!request.smpi_options.empty()) write_output(request.smpi_options, smpi_options_text(smpi));
  if (!request.platform.empty()) write_output(request.platform, platform_text(smpi, at_once));
  const std::vector<PairParameters> pairs = pair_parameters(samples, fit);
  if (!pairs.empty() && !request.latency_matrix.empty()) {
    write_output(request.latency_matrix, latency_matrix_text(samples, pairs));
  }
  if (!pairs.empty() && !request.gap_matrix.empty()) {
    write_output(request.gap_matrix, gap_matrix_text(samples, pairs));
  }
  return CalibrateReports::untyped(
      calibrate_report(request, samples, fit, smpi, buffers, pairs, at_once));
}

CommandSchema calibrate_schema() {
  return CalibrateReports::schema();
}

}  // namespace slackline
