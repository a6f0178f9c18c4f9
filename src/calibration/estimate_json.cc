#include "calibration/estimate_json.h"

namespace slackline {
namespace {

auto estimate_object(const Estimate& e) {
  return Object{"value"_key = e.value, "low"_key = e.low, "high"_key = e.high};
}

}  // namespace

const JsonType& declared_type(const EstimateJsonTag*) {
  return json_type_by<estimate_object>();
}

EstimateJson to_json(const Estimate& estimate) {
  return estimate_object(estimate);
}

}  // namespace slackline
