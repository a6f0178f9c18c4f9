#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/options/model_options.h"

namespace slackline {

struct Report;

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
