#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/paths/call_activities.h"

namespace slackline {

/// Time by activity, of few activities at a time; cleared in as many steps as have something.
class ActivitySums {
 public:
  void clear() {
    for (const ActivityId id : listed_) sums_[id] = {};
    listed_.clear();
  }
  void add(ActivityId id, std::int64_t ns) {
    if (id >= sums_.size()) sums_.resize(std::size_t{id} + 1);
    if (!sums_[id].listed) {
      sums_[id].listed = true;
      listed_.push_back(id);
    }
    sums_[id].ns += ns;
  }
  /// Calls visit(activity, ns) for all that were added to, in the order of the first time.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const ActivityId id : listed_) visit(id, sums_[id].ns);
  }

 private:
  struct Sum {
    std::int64_t ns = 0;
    bool listed = false;
  };
  std::vector<Sum> sums_;
  std::vector<ActivityId> listed_;
};

}  // namespace slackline
