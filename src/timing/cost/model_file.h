#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "timing/cost/loggps.h"

namespace slackline {

/// Parameters as a user gives them; what is missing keeps its default.
struct ModelSettings {
  std::optional<std::int64_t> latency_fs, overhead_fs, gap_per_byte_fs;
  std::optional<std::uint64_t> eager_threshold_bytes;
};

/// Reads a TOML file:
///   [loggps]
///   L = "3us"
///   o = "500ns"
///   G = "0.018ns/B"   # or a bandwidth: "56Gb/s"
///   S = "256KiB"
/// Unknown keys and values without unit are Errors with line and column.
ModelSettings read_model_file(const std::filesystem::path& path);

}  // namespace slackline
