#pragma once

#include <string>

namespace slackline {

struct Report;

/// The parameters of a machine from the samples that the benchmark took between two ranks, and L
/// and G of each pair where there were more.
struct CalibrateRequest {
  std::string samples{};       ///< the benchmark's file
  std::string machine{};       ///< file to write, as `--machine` reads it; empty: none
  std::string smpi_options{};  ///< file to write, as SimGrid and `--options` read it; empty: none
  std::string platform{};      ///< file to write, as `--platform` reads it; empty: none
  // Files to write where more than two ranks were measured, as --latency-matrix and --gap-matrix
  // read them; empty: none.
  std::string latency_matrix{};
  std::string gap_matrix{};
};

/// Whether the samples are of more than two ranks, so that matrices are written, is told by
/// `result.pairs`. Throws Error.
Report execute(const CalibrateRequest& request);

}  // namespace slackline
