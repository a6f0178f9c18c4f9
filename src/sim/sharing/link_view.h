#pragma once

#include <string>
#include <vector>

#include "sim/platform/platform.h"

namespace slackline {

/// A change of a machine: factors for the bandwidths and latencies of a group of links.
struct LinkScale {
  std::string group{};  ///< as "c.up", or its last part alone ("up"); empty: all but loopbacks
  double bandwidth = 1;
  double latency = 1;
};

/// A platform's links under such changes, and as profiles change them: bandwidths in bytes per
/// second, latencies in seconds. A table, because every path asks for all of its links. Cost:
/// O(links) once.
class LinkView {
 public:
  /// Throws usage Error for a group that the platform does not have.
  LinkView(const Platform& platform, const std::vector<LinkScale>& scales);

  std::uint32_t count() const { return static_cast<std::uint32_t>(links_.size()); }
  double bandwidth(LinkId link) const { return links_[link].bandwidth; }
  double latency(LinkId link) const { return links_[link].latency; }
  bool is_fatpipe(LinkId link) const { return links_[link].sharing == Sharing::fatpipe; }
  /// Nothing can be sent over it.
  bool is_down(LinkId link) const {
    return links_[link].bandwidth <= 0 || (!failed_.empty() && failed_[link]);
  }

  void set_bandwidth(LinkId link, double bandwidth) { links_[link].bandwidth = bandwidth; }
  void set_latency(LinkId link, double latency) { links_[link].latency = latency; }
  void set_failed(LinkId link, bool failed) {
    failed_.resize(links_.size());
    failed_[link] = failed;
  }

 private:
  std::vector<Link> links_;
  std::vector<bool> failed_;  ///< by link; empty: none
};

}  // namespace slackline
