#include "analysis/profile/time_profile.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "analysis/profile/stretches.h"
#include "base/parallel.h"

namespace slackline {
namespace {

std::array<bool, kOperationCount> occurring_operations(const Trace& trace) {
  std::array<bool, kOperationCount> occurs{};
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const Operation o : trace.calls(rank).operations()) {
      occurs[static_cast<std::size_t>(o)] = true;
    }
  }
  return occurs;
}

ProfileKinds kinds_of(const Trace& trace, const CallPaths& paths) {
  ProfileKinds all;
  std::map<std::string, std::uint32_t, std::less<>> of_name;
  const auto add = [&](const std::string& name, bool is_mpi) {
    const auto [at, fresh] =
        of_name.try_emplace(name, static_cast<std::uint32_t>(all.kinds.size()));
    if (fresh) all.kinds.push_back({name, is_mpi});
    return at->second;
  };
  const std::array<bool, kOperationCount> occurs = occurring_operations(trace);
  all.of_operation.resize(kOperationCount);
  for (std::size_t i = 0; i < kOperationCount; ++i) {
    if (occurs[i]) {
      all.of_operation[i] = add(std::string(mpi_name(static_cast<Operation>(i))), true);
    }
  }
  all.of_path.push_back(add("computation", false));
  for (PathId path = 1; path < paths.size(); ++path) {
    all.of_path.push_back(add(paths.innermost(path), false));
  }
  return all;
}

std::uint32_t kind_of(const ProfileKinds& kinds, PathId path, Operation operation) {
  return operation == Operation::none ? kinds.of_path[path]
                                      : kinds.of_operation[static_cast<std::size_t>(operation)];
}

void count(ProfileEntry& entry, std::int64_t time_ns) {
  ++entry.count;
  entry.time_ns += time_ns;
}

bool recorded(const Trace& trace, std::int32_t rank) {
  return trace.rank_info(rank).present;
}

/// Adds a stretch to the windows that it lies in.
class WindowSums {
 public:
  WindowSums(const std::vector<std::int64_t>& edges, std::size_t kinds)
      : edges_(edges), sums_(edges.size() - 1, std::vector<std::int64_t>(kinds, 0)) {}

  void add(std::uint32_t kind, std::int64_t begin, std::int64_t end) {
    begin = std::max(begin, edges_.front());
    end = std::min(end, edges_.back());
    if (begin >= end) return;
    find(begin);
    for (std::size_t window = at_; begin < end; ++window) {
      const std::int64_t until = std::min(end, edges_[window + 1]);
      sums_[window][kind] += until - begin;
      begin = until;
    }
  }
  const std::vector<std::vector<std::int64_t>>& sums() const { return sums_; }

 private:
  /// Stretches mostly come in order of time, so that the window is most often the last one's.
  void find(std::int64_t begin) {
    if (begin < edges_[at_]) {
      at_ = static_cast<std::size_t>(std::ranges::upper_bound(edges_, begin) - edges_.begin()) - 1;
    }
    while (begin >= edges_[at_ + 1]) ++at_;
  }

  const std::vector<std::int64_t>& edges_;
  std::vector<std::vector<std::int64_t>> sums_;
  std::size_t at_ = 0;
};

std::vector<std::int64_t> edges_of(TimeInterval interval, std::size_t windows) {
  std::vector<std::int64_t> edges;
  const std::int64_t length = interval.end_ns - interval.begin_ns;
  const auto count = static_cast<std::int64_t>(windows);
  for (std::int64_t i = 0; i <= count; ++i) {
    edges.push_back(interval.begin_ns + length / count * i + length % count * i / count);
  }
  return edges;
}

}  // namespace

FlatProfile flat_profile(const Trace& trace, const CallPaths& paths) {
  FlatProfile profile{kinds_of(trace, paths)};
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  profile.by_rank.resize(ranks);
  parallel_for(ranks, [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    std::vector<ProfileEntry> entries(profile.kinds.kinds.size());
    if (recorded(trace, rank)) {
      visit_stretches(trace, paths, rank,
                      [&](PathId path, Operation operation, std::int64_t begin, std::int64_t end) {
                        count(entries[kind_of(profile.kinds, path, operation)], end - begin);
                      });
    }
    profile.by_rank[r] = std::move(entries);
  });
  return profile;
}

WindowProfile window_profile(const Trace& trace, const CallPaths& paths, TimeInterval interval,
                             std::size_t windows) {
  WindowProfile profile{kinds_of(trace, paths), edges_of(interval, windows)};
  const std::size_t kinds = profile.kinds.kinds.size();
  profile.by_window_ns.assign(windows, std::vector<std::int64_t>(kinds, 0));
  std::mutex mutex;
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    if (!recorded(trace, rank)) return;
    WindowSums sums(profile.edges_ns, kinds);
    visit_stretches(trace, paths, rank,
                    [&](PathId path, Operation operation, std::int64_t begin, std::int64_t end) {
                      sums.add(kind_of(profile.kinds, path, operation), begin, end);
                    });
    const std::lock_guard lock(mutex);
    for (std::size_t window = 0; window < windows; ++window) {
      std::ranges::transform(profile.by_window_ns[window], sums.sums()[window],
                             profile.by_window_ns[window].begin(), std::plus<>());
    }
  });
  return profile;
}

std::vector<PathProfile> path_profile(const Trace& trace, const CallPaths& paths) {
  std::vector<PathProfile> profile(paths.size());
  std::mutex mutex;
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    if (!recorded(trace, rank)) return;
    std::vector<PathProfile> own(paths.size());
    visit_stretches(trace, paths, rank,
                    [&](PathId path, Operation operation, std::int64_t begin, std::int64_t end) {
                      PathProfile& of = own[path];
                      count(operation == Operation::none ? of.computation : of.mpi, end - begin);
                    });
    const std::lock_guard lock(mutex);
    for (std::size_t path = 0; path < own.size(); ++path) {
      profile[path].mpi.count += own[path].mpi.count;
      profile[path].mpi.time_ns += own[path].mpi.time_ns;
      profile[path].computation.count += own[path].computation.count;
      profile[path].computation.time_ns += own[path].computation.time_ns;
    }
  });
  return profile;
}

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
