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

/// A platform's links under such scales, read-only: a table, as every path asks for all of its
/// links. A group's name may be its last part alone ("backbone" for "c.backbone").
class LinkView {
 public:
  /// Throws usage Error for a group that the platform does not have.
  LinkView(const Platform& platform, const std::vector<LinkScale>& scales);

  std::uint32_t count() const { return static_cast<std::uint32_t>(links_.size()); }
  double bandwidth(LinkId link) const { return links_[link].bandwidth; }
  double latency(LinkId link) const { return links_[link].latency; }
  bool is_pipe(LinkId link) const { return links_[link].sharing == Sharing::fatpipe; }

 private:
  std::vector<Link> links_;
};

}  // namespace slackline
