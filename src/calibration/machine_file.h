#pragma once

#include <filesystem>
#include <string>

#include "calibration/loggps_fit.h"
#include "calibration/smpi_tables.h"
#include "timing/cost/model_file.h"

namespace slackline {

/// A measured machine as TOML with comments: [machine] says where and when, [loggps] holds L, o, G
/// and S as `--params` reads them, [intervals] every parameter with its interval, [[piece]] the
/// piecewise functions, [smpi] SimGrid's options.
std::string machine_text(const CalibrationSamples& samples, const LogGPSFit& fit,
                         const SmpiTables& smpi);

/// SimGrid's options a line each, as its configuration files have them.
std::string smpi_options_text(const SmpiTables& smpi);

struct MeasuredMachine {
  ModelSettings settings;  ///< all of L, o, G and S
  std::string origin;      ///< "measured 2026-01-02T03:04:05Z between n1 and n2, Open MPI 4.1.4"
};

/// Reads what machine_text() wrote, by hand edited or not. Throws Error for other files.
MeasuredMachine read_machine_file(const std::filesystem::path& path);

}  // namespace slackline
