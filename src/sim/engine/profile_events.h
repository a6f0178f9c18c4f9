#pragma once

#include <cstddef>
#include <queue>
#include <utility>
#include <vector>

#include "sim/platform/platform.h"
#include "sim/sharing/link_view.h"

namespace slackline::sim {

/// The values of a platform's profiles in the order of their times, in seconds. Cost: O(log
/// profiles) each.
class ProfileEvents {
 public:
  /// Bandwidths and latencies are scaled as `links` scales those of the platform, which must
  /// outlive this.
  ProfileEvents(const Platform& platform, const LinkView& links);

  /// EventHeap::kNever when none is left.
  double next_time() const;
  struct Event {
    const ResourceProfile* resource;
    double time, value;
  };
  Event pop();

 private:
  struct Cursor {
    double time;
    std::size_t profile, step;

    auto operator<=>(const Cursor&) const = default;
  };

  const std::vector<ResourceProfile>& profiles_;
  std::vector<double> scales_;  ///< by profile
  std::priority_queue<Cursor, std::vector<Cursor>, std::greater<>> next_;
};

}  // namespace slackline::sim
