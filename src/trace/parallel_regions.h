#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/call_tree.h"

namespace slackline {

/// Where in a rank something happens in order: 0 is the thread that makes the rank's calls of MPI,
/// k the thread that has number k in the rank's OpenMP teams.
using LocationId = std::uint32_t;

/// What one location did in a parallel region. The rest of the region's length it was idle: it had
/// not begun yet, or had been released already.
struct LocationTime {
  std::int64_t busy_ns = 0;     ///< executing the region outside of barriers
  std::int64_t waiting_ns = 0;  ///< at barriers, the one at the region's end included
  bool operator==(const LocationTime&) const = default;
};

/// A parallel region of OpenMP as a rank's main thread executed it, or several of one place between
/// the same two calls as one: then begin and end are those of the first and the last of them.
struct ParallelRegion {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t length_ns = 0;  ///< of all instances together
  std::uint32_t instances = 1;
  FrameId frame = 0;              ///< the program's, that has the region; 0 unknown
  std::uint32_t before_call = 0;  ///< index of the first call of the rank that begins after it
  std::uint32_t threads = 1;      ///< of the team: locations 0 to threads - 1
  std::uint64_t first_time = 0;   ///< index of location 0's in ParallelRegions::times()
  bool operator==(const ParallelRegion&) const = default;
};

/// The parallel regions of one rank in order of their ends, outermost ones only. 56 bytes a region
/// and 16 for each thread of its team; nothing for a rank without any.
class ParallelRegions {
 public:
  bool empty() const { return regions_.empty(); }
  std::span<const ParallelRegion> all() const { return regions_; }
  /// One for each location of its team.
  std::span<const LocationTime> times(const ParallelRegion& region) const {
    return {times_.data() + region.first_time, region.threads};
  }
  /// As many as the largest team of the rank has threads, at least 1.
  LocationId locations() const { return locations_; }
  bool operator==(const ParallelRegions&) const = default;

  /// Sets `region.threads` and `region.first_time` from `times`, which is not empty.
  void append(ParallelRegion region, std::span<const LocationTime> times);
  /// Replaces begins and ends by map(time, before_call). Lengths stay.
  template <class Map>
  void map_times(const Map& map) {
    for (ParallelRegion& region : regions_) {
      region.begin_ns = map(region.begin_ns, region.before_call);
      region.end_ns = map(region.end_ns, region.before_call);
    }
  }
  template <class Map>
  void map_frames(const Map& map) {
    for (ParallelRegion& region : regions_) region.frame = map(region.frame);
  }
  void shrink();

 private:
  std::vector<ParallelRegion> regions_;
  std::vector<LocationTime> times_;
  LocationId locations_ = 1;
};

}  // namespace slackline
