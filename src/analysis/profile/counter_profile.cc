#include "analysis/profile/counter_profile.h"

#include <cstdint>
#include <mutex>

#include "base/parallel.h"

namespace slackline {
namespace {

void add_gap(const Trace& trace, const CallPaths& paths, std::int32_t rank, std::uint32_t call,
             std::vector<PathCounters>& to) {
  const RankCalls& calls = trace.calls(rank);
  const auto gap = static_cast<double>(calls.gap_ns(call));
  paths.split_gap(rank, call, [&](PathId path, std::int64_t ns) {
    PathCounters& of = to[path];
    of.computation_ns += static_cast<double>(ns);
    const double part = static_cast<double>(ns) / gap;
    for (std::size_t c = 0; c < of.gains.size(); ++c) {
      of.gains[c] += part * static_cast<double>(calls.counter(c, call));
    }
  });
}

}  // namespace

std::vector<PathCounters> path_counters(const Trace& trace, const CallPaths& paths) {
  const std::size_t counters = trace.counters().size();
  if (counters == 0) return {};
  std::vector<PathCounters> sums(paths.size(), {0, std::vector<double>(counters)});
  std::mutex mutex;
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    std::vector<PathCounters> own(paths.size(), {0, std::vector<double>(counters)});
    const auto calls = static_cast<std::uint32_t>(trace.calls(rank).size());
    for (std::uint32_t i = 0; i < calls; ++i) add_gap(trace, paths, rank, i, own);
    const std::lock_guard lock(mutex);
    for (std::size_t path = 0; path < own.size(); ++path) {
      sums[path].computation_ns += own[path].computation_ns;
      for (std::size_t c = 0; c < counters; ++c) sums[path].gains[c] += own[path].gains[c];
    }
  });
  return sums;
}

}  // namespace slackline
