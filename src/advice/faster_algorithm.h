#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/model/model_choice.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// An algorithm of a collective that a model finds faster.
struct FasterAlgorithm {
  std::string_view name{};
  double saved = 0;         ///< of the time by the algorithm that the model has
  std::uint64_t bytes = 0;  ///< of the call that was compared, as it says
};

/// The fastest algorithm under a model for one typical call of a blocking collective, the one in
/// the middle of the run, which all its members enter at the same time; nothing where none is
/// faster. A graph of that one call for each algorithm; those of more than 2^18 vertices are left
/// out.
std::optional<FasterAlgorithm> faster_algorithm(const Trace& trace, const CallMatching& matching,
                                                Operation operation, const ModelChoice& choice);

}  // namespace slackline
