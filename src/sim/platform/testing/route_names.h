#pragma once

#include <string>
#include <vector>

#include "sim/platform/platform.h"

namespace slackline::testing {

/// Names of the links from one host to another.
inline std::vector<std::string> route_names(const Platform& platform, const std::string& src,
                                            const std::string& dst) {
  std::vector<LinkId> links;
  platform.route(platform.find_host(src).value(), platform.find_host(dst).value(), links);
  std::vector<std::string> names;
  for (const LinkId link : links) names.push_back(platform.link_name(link));
  return names;
}

}  // namespace slackline::testing
