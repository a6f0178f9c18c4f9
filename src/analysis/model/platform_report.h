#pragma once

#include <vector>

#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "sim/platform/platform.h"

namespace slackline {

using PlatformSummaryJson = JsonOf<struct PlatformSummaryJsonTag>;
const JsonType& declared_type(const PlatformSummaryJsonTag*);
/// Result and sections: the zones as a tree, hosts, and links by group; at most `shown` rows
/// of each. The caller adds options, input and findings.
Described<PlatformSummaryJson> describe(const Platform& platform, std::size_t shown);
using RouteJson = JsonOf<struct RouteJsonTag>;
const JsonType& declared_type(const RouteJsonTag*);
/// Adds the links of a route, and what they are together. Returns the same for scripts.
RouteJson add_route(std::vector<Section>& sections, const Platform& platform,
                    const FoundRoute& route);

}  // namespace slackline
