#pragma once

#include <string>
#include <vector>

#include "analysis/summary/limits.h"
#include "report/report.h"

namespace slackline {

/// As `result.diagnosis`: the first cause, with the others as its alternatives; null without any.
Json diagnosis_to_json(const std::vector<LimitingCause>& causes, const CallTree& tree);
/// "Limited by load imbalance: ..."
std::string sentence(const LimitingCause& cause, const CallTree& tree);
/// All causes with their shares of the rank time.
Table limits_table(const std::vector<LimitingCause>& causes, const CallTree& tree);

}  // namespace slackline
