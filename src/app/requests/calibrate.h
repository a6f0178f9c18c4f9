#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/options/model_options.h"

namespace slackline {

struct Report;

/// The parameters of a machine from the samples that the benchmark took between two ranks, and L
/// and G of each pair where there were more.
struct CalibrateRequest {
  std::string samples{};  ///< the benchmark's file
  std::string buffers{};  ///< as --buffers reads; empty: written. Of the messages that smpi_options
                          ///< and platform are for
  std::string machine{};  ///< file to write, as `--machine` reads it; empty: none
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

/// Recordings of one program with added latency, compared with what the model predicts from those
/// without.
struct ValidateRequest {
  struct Run {
    std::int64_t added_ns = 0;
    std::string trace{};
  };

  std::vector<Run> runs{};                  ///< at least one without added latency
  ModelOptions model{};                     ///< the network without added latency
  std::vector<std::string> degradations{};  ///< as "1%"; empty: 1 %, 2 %, 5 %
  std::size_t replicates = 1000;            ///< of the bootstrap
  std::uint64_t seed = 1;                   ///< of the bootstrap
};

/// Reads every recording twice. Runs that other processes disturbed are left out beside others of
/// the same latency. Throws Error.
Report execute(const ValidateRequest& request);

}  // namespace slackline
