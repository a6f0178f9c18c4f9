#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibration/loggps_fit.h"
#include "calibration/pairs_at_once.h"
#include "timing/cost/model_file.h"

namespace slackline {

/// A measured machine as TOML with comments: [machine] says where and when, [loggps] holds L, o, G
/// and S as `--params` reads them, [intervals] every parameter with its interval, [[piece]] the
/// piecewise functions, [smpi] SimGrid's options.
std::string machine_text(const CalibrationSamples& samples, const LogGPSFit& fit,
                         const SmpiTables& smpi,
                         const std::optional<PairsAtOnce>& pairs = std::nullopt);

/// SimGrid's options a line each, as its configuration files have them.
std::string smpi_options_text(const SmpiTables& smpi);
/// Hosts at the places of ranks 0 and 1, and of those of all pairs that were measured at once on a
/// backbone with what these have together, as a platform in TOML for those options.
std::string platform_text(const SmpiTables& smpi,
                          const std::optional<PairsAtOnce>& pairs = std::nullopt);

/// Time of a message as a linear function of its size, from `from_bytes` to the next piece.
struct MeasuredPiece {
  std::uint64_t from_bytes = 0;
  double offset_ns = 0;
  double slope_ns_per_byte = 0;
};

struct MeasuredMachine {
  ModelSettings settings;                   ///< all of L, o, G and S
  std::optional<ParameterBounds> bounds{};  ///< none: the file has no intervals of L, o and G
  std::vector<MeasuredPiece> one_way{};     ///< PRTT(1,0,s)/2 of these buffers; empty: not in it
  std::vector<MeasuredPiece> stream{};      ///< per message of a stream
  std::vector<double> noise_ns{};           ///< percentiles of a message; empty: not in the file
  std::string origin;  ///< "measured 2026-01-02T03:04:05Z between n1 and n2, Open MPI 4.1.4"
};

/// Reads what machine_text() wrote, by hand edited or not. Throws Error for other files, and when
/// the file has no messages from such buffers; a file without pieces has them of none.
MeasuredMachine read_machine_file(const std::filesystem::path& path,
                                  Buffers buffers = Buffers::written);

}  // namespace slackline
