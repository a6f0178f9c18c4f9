#pragma once

#include <optional>
#include <span>

#include "analysis/paths/path_functions.h"
#include "analysis/waits/waits_in_code.h"
#include "app/report/answers.h"

namespace slackline {

/// What is known of a run by its code.
struct RunInCode {
  std::span<const WaitInCode> waits;        ///< largest first
  double waiting = 0;                       ///< share of the ranks' time
  std::span<const PathFunction> functions;  ///< of the critical path, longest first
};
/// Where in the code: the largest wait state and its cause, and what the critical path runs
/// through. Nothing without call paths.
std::optional<Answer> code_answer(const RunInCode& run, const CallTree& tree);

}  // namespace slackline
