#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calls/call_paths.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// What ranks spend their time in: the operations of MPI that occur, and computation in each region
/// or function, whatever calls that.
struct ProfileKinds {
  struct Kind {
    std::string name;  ///< "MPI_Send", "solve"; of computation outside of all "computation"
    bool is_mpi;
  };
  std::vector<Kind> kinds{};
  std::vector<std::uint32_t> of_operation{};  ///< by Operation; only of those that occur
  std::vector<std::uint32_t> of_path{};       ///< by PathId
};

struct ProfileEntry {
  std::uint64_t count = 0;  ///< calls, or stretches of computation
  std::int64_t time_ns = 0;
};

/// Exclusive times by rank and kind. O(calls + region events), on all threads.
struct FlatProfile {
  ProfileKinds kinds{};
  std::vector<std::vector<ProfileEntry>> by_rank{};
};
FlatProfile flat_profile(const Trace& trace, const CallPaths& paths);

/// Exclusive times of all ranks together by window and kind. A stretch counts in every window that
/// it lies in, by the part that does. O(calls + region events + windows * kinds), on all threads.
struct WindowProfile {
  ProfileKinds kinds{};
  std::vector<std::int64_t> edges_ns{};  ///< windows + 1, of equal distances but for rounding
  std::vector<std::vector<std::int64_t>> by_window_ns{};
};
/// `windows` is at least 1, the interval not empty.
WindowProfile window_profile(const Trace& trace, const CallPaths& paths, TimeInterval interval,
                             std::size_t windows);

/// The times of one call path, without those of the paths that continue it; all ranks together.
struct PathProfile {
  ProfileEntry mpi{};
  ProfileEntry computation{};
};
/// By PathId. O(calls + region events), on all threads.
std::vector<PathProfile> path_profile(const Trace& trace, const CallPaths& paths);

/// What the computation in one call path took and what each counter of the trace gained in it; all
/// ranks together.
struct PathCounters {
  double computation_ns = 0;  ///< as between calls, pauses included
  std::vector<double> gains{};
};
/// By PathId, up to each rank's last call. What a counter gained between two calls is divided among
/// the paths that the rank was in, by their times. Empty where the trace has no counters.
/// O(counters * (calls + region events)).
std::vector<PathCounters> path_counters(const Trace& trace, const CallPaths& paths);

}  // namespace slackline
