#pragma once

#include "calibration/robust.h"
#include "report/object.h"

namespace slackline {

using EstimateJson = JsonOf<struct EstimateJsonTag>;
const JsonType& declared_type(const EstimateJsonTag*);
/// Value and interval, for a Report.
EstimateJson to_json(const Estimate& estimate);

}  // namespace slackline
