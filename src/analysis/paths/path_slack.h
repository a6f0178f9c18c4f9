#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "analysis/paths/activities.h"
#include "analysis/paths/run_path.h"
#include "base/arithmetic.h"

namespace slackline {

/// Slack of a run's activities: how much longer each could take without making the run longer,
/// which is the makespan less the longest path through it.
struct PathSlack {
  /// Where the longest way to the end goes after a call's begin, if not through the call itself: to
  /// the end of a call that waited for it.
  struct Next {
    std::int32_t rank = -1;  ///< -1: through the call itself
    CallIndex call = 0;

    auto operator<=>(const Next&) const = default;
  };

  static constexpr std::size_t kCallsOfBlock = 256;

  explicit PathSlack(CallSet calls) : sources(std::move(calls)) {}

  /// By rank and call: the longest way from its begin to the end of the run; -1: none.
  std::vector<std::vector<std::int64_t>> ahead_ns;
  /// By rank and block of kCallsOfBlock calls: the longest way through a computation before one of
  /// them; -1: there is none.
  std::vector<std::vector<std::int64_t>> longest_ns;
  CallSet sources;
  std::vector<Next> next;  ///< by number in `sources`

  struct OfRank {
    std::int64_t least_ns = -1;    ///< of its computation beside the path; -1: none
    Int128 weighted_ns2 = 0;       ///< sum over its computation of slack times length
    std::int64_t computed_ns = 0;  ///< sum of these lengths
  };
  std::vector<OfRank> ranks;
  /// A dependence against the direction of time: a call that had ended at left_ns is taken to have
  /// waited for what came at at_ns.
  struct Dropped {
    std::int32_t rank = -1;
    CallIndex call = 0;
    std::int64_t left_ns = 0;
    CallSource source{};
    std::int64_t at_ns = 0;
  };
  std::uint64_t dropped = 0;  ///< how many of these
  Dropped worst_dropped{};    ///< the one that is furthest off
  std::size_t vertices = 0;   ///< of the program activity graph; of a part those that are its own
  std::size_t edges = 0;

  Next next_of(std::int32_t rank, CallIndex call) const {
    return sources.contains(rank, call) ? next[sources.number_of(rank, call)] : Next{};
  }
};

/// O(calls + members of collectives); 8 bytes a call and 8 a call that another one waits for.
PathSlack path_slack(const Activities& run);
/// The same into one that is empty but for its sources, all of the run's.
void fill_slack(const Activities& run, PathSlack& out);

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
