#include "trace/parallel_regions.h"

#include <algorithm>

#include "base/error.h"

namespace slackline {

void ParallelRegions::append(ParallelRegion region, std::span<const LocationTime> times) {
  expects(!times.empty(), "a parallel region has at least one thread");
  region.threads = static_cast<std::uint32_t>(times.size());
  region.first_time = times_.size();
  locations_ = std::max(locations_, region.threads);
  times_.insert(times_.end(), times.begin(), times.end());
  regions_.push_back(region);
}

void ParallelRegions::shrink() {
  regions_.shrink_to_fit();
  times_.shrink_to_fit();
}

}  // namespace slackline
