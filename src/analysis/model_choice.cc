#include "analysis/model_choice.h"

#include <limits>

#include "base/units.h"

namespace slackline {
namespace {

double ns(std::int64_t fs) {
  return static_cast<double>(fs) / static_cast<double>(kFemtosPerNano);
}

}  // namespace

Json to_json(const ModelChoice& choice) {
  Json json;
  json["model"] = "loggps-dag";
  json["network"] = choice.network.empty() ? Json(nullptr) : Json(choice.network);
  json["L_ns"] = ns(choice.model.latency_fs);
  json["o_ns"] = ns(choice.model.overhead_fs);
  json["G_ns_per_byte"] = ns(choice.model.gap_per_byte_fs);
  const std::uint64_t threshold = choice.graph.eager_threshold_bytes;
  json["S_bytes"] =
      threshold == std::numeric_limits<std::uint64_t>::max() ? Json("unlimited") : Json(threshold);
  json["rendezvous"] = to_string(choice.graph.rendezvous);
  json["collectives"] = choice.graph.collectives.to_string();
  return json;
}

}  // namespace slackline
