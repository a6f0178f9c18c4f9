#pragma once

#include <cstdint>
#include <vector>

#include "analysis/model/model_choice.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

using NetworkJson = JsonOf<struct NetworkJsonTag>;
const JsonType& declared_type(const NetworkJsonTag*);
/// What a report says of the network beside its latency: T(G) with its tolerances (`bandwidth` in
/// the result), and where parts of the network differ, what the critical path pays each of them and
/// T over those that it pays most (`classes` and `network_parts`). `degradations_ppm` ascending. A
/// few passes a tolerance and up to 300 for each curve, fewer of large graphs.
Described<NetworkJson> network_report(const ModelFunctions& functions,
                                      const std::vector<std::int64_t>& degradations_ppm);

/// Puts the measured makespan beside the curve T(L), as a point at today's latency.
void overlay_measured(std::vector<Section>& sections, double measured_ns);

}  // namespace slackline
