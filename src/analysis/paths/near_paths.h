#pragma once

#include <cstdint>
#include <vector>

#include "analysis/paths/path_slack.h"
#include "analysis/paths/run_path.h"

namespace slackline {

/// A path that would be critical if those before it were shorter.
struct NearPath {
  std::int64_t length_ns = 0;
  std::int64_t slack_ns = 0;   ///< how much shorter than the run
  std::int64_t shared_ns = 0;  ///< time on it that lies on the critical path, too
  std::int32_t rank = 0;       ///< where it leaves the paths before it for longest
  CallIndex call = 0;          ///< before which that computation lies
  std::vector<std::int64_t> by_rank;
};

/// The next `count` paths: each is a longest one through computation that no path before it went
/// through. O(count * calls).
std::vector<NearPath> near_paths(const Activities& run, const PathSlack& slack,
                                 const std::vector<RunStep>& critical, std::size_t count);

}  // namespace slackline
