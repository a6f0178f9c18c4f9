#pragma once

#include <string>
#include <vector>

#include "report/report.h"
#include "sim/platform/platform.h"

namespace slackline {

/// What a message from one host to another crosses.
struct RouteAnswer {
  HostId from = 0;
  HostId to = 0;
  std::vector<LinkId> links{};
  double latency = 0;    ///< seconds, the sum of the links'
  double bandwidth = 0;  ///< bytes a second, the least of the links', with the network for itself
};

/// Throws Error when there is no route.
RouteAnswer find_route(const Platform& platform, HostId from, HostId to);

/// Fills result and sections: the zones as a tree, hosts, and links by group; at most `shown` rows
/// of each. The caller adds options, input and findings.
Report describe(const Platform& platform, std::size_t shown);
/// Adds the links of a route, and what they are together, to result and sections.
void add_route(Report& report, const Platform& platform, const RouteAnswer& route);

}  // namespace slackline
