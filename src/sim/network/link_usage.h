#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/sharing/bandwidth_sharing.h"

namespace slackline {

/// Which messages used which link when: bytes by link and interval of time, and the seconds that
/// messages lost at each bottleneck. Intervals double in length when simulated time exceeds them,
/// so that memory depends on links alone. Cost of add(): O(shares * intervals covered).
class LinkUsage {
 public:
  static constexpr std::size_t kStretches = 128;

  explicit LinkUsage(const Platform& platform);

  /// A flow had `rate` from `from` to `to` seconds and could have had `bound`, in bytes per second.
  void add(std::span<const LinkShare> shares, double rate, double bound, LinkId bottleneck,
           double from, double to);

  double bytes(LinkId link) const { return bytes_[link]; }
  /// Message-seconds lost because this link was full: 1 - rate / bound, summed over time.
  double lost_seconds(LinkId link) const { return lost_[link]; }
  /// Bytes in each stretch; empty when the platform has too many links to keep them.
  std::span<const float> stretches(LinkId link) const;
  double stretch_seconds() const { return stretch_; }

 private:
  void grow(double until);

  std::vector<double> bytes_, lost_;
  std::vector<float> by_stretch_;  // kStretches a link
  double stretch_ = 1e-6;
};

}  // namespace slackline
