#pragma once

#include <string>

namespace slackline {

struct Report;

/// The parameters of a machine from the samples that the benchmark took between two ranks.
struct CalibrateRequest {
  std::string samples{};       ///< the benchmark's file
  std::string machine{};       ///< file to write, as `--machine` reads it; empty: none
  std::string smpi_options{};  ///< file to write, as SimGrid and `--options` read it; empty: none
};

/// Throws Error.
Report execute(const CalibrateRequest& request);

}  // namespace slackline
