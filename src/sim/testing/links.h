#pragma once

#include <string>
#include <vector>

#include "base/findings.h"
#include "sim/platform/read_platform.h"
#include "sim/sharing/bandwidth_sharing.h"

namespace slackline::testing {

/// Links with the capacities given (bytes/s), all with the same latency; those in `pipes` are
/// fatpipes.
inline Platform links(const std::vector<double>& capacities, const std::vector<bool>& pipes = {}) {
  std::string text =
      "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\"><host id=\"h\" speed=\"1Gf\"/>";
  for (std::size_t i = 0; i < capacities.size(); ++i) {
    const bool pipe = i < pipes.size() && pipes[i];
    text += "<link id=\"l" + std::to_string(i) + "\" bandwidth=\"" + std::to_string(capacities[i]) +
            "Bps\" latency=\"1us\" sharing_policy=\"" + (pipe ? "FATPIPE" : "SHARED") + "\"/>";
  }
  Findings findings;
  return parse_platform_xml(text + "</zone></platform>", "links", findings);
}

/// The i-th of them.
inline LinkId link(const Platform& platform, std::size_t i) {
  for (LinkId id = 0; id < platform.link_count(); ++id) {
    if (platform.link_name(id) == "l" + std::to_string(i)) return id;
  }
  return kNoLink;
}

}  // namespace slackline::testing
