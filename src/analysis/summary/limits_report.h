#pragma once

#include <string>
#include <vector>

#include "analysis/summary/limits.h"
#include "report/object.h"
#include "report/report.h"

namespace slackline {

using DiagnosisJson = JsonOf<struct DiagnosisJsonTag>;
const JsonType& declared_type(const DiagnosisJsonTag*);
/// As `result.diagnosis`: the first cause, with the others as its alternatives; nothing without
/// any.
std::optional<DiagnosisJson> diagnosis_to_json(const std::vector<LimitingCause>& causes,
                                               const CallTree& tree);
/// "Limited by load imbalance: ..."
std::string sentence(const LimitingCause& cause, const CallTree& tree);
/// All causes with their shares of the rank time.
Table limits_table(const std::vector<LimitingCause>& causes, const CallTree& tree);

}  // namespace slackline
