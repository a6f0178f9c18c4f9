#pragma once

#include <optional>

#include "app/report/answers.h"

namespace slackline {

/// Where in the code: the largest wait state and its cause, and what the critical path runs
/// through. Nothing without call paths.
std::optional<Answer> code_answer(const Diagnosis& measured, const Trace& trace);

}  // namespace slackline
