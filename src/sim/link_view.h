#pragma once

#include <string>
#include <vector>

#include "sim/platform/platform.h"

namespace slackline {

/// A question about a machine that is a little different: the links of a group ("c.up"; empty: all
/// links but loopbacks) with other bandwidths and latencies.
struct LinkScale {
  std::string group{};
  double bandwidth = 1;
  double latency = 1;
};

/// A platform's links under such scales, read-only. A group's name may be its last part alone
/// ("backbone" for "c.backbone").
class LinkView {
 public:
  /// Throws usage Error for a group that the platform does not have.
  LinkView(const Platform& platform, const std::vector<LinkScale>& scales);

  std::uint32_t count() const { return platform_.link_count(); }
  double bandwidth(LinkId link) const {
    return platform_.link(link).bandwidth * scale(link).bandwidth;
  }
  double latency(LinkId link) const { return platform_.link(link).latency * scale(link).latency; }
  bool is_pipe(LinkId link) const { return platform_.link(link).sharing == Sharing::fatpipe; }

 private:
  struct Factors {
    double bandwidth = 1, latency = 1;
  };
  const Factors& scale(LinkId link) const;

  const Platform& platform_;
  std::vector<Factors> by_group_;  // empty: all 1
};

}  // namespace slackline
