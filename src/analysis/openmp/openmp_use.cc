// OpenMP's part of a hybrid program: what the threads do while their rank is not in MPI.
//
// The thread time of a rank outside of MPI is its threads times its time outside of MPI. In a
// region of length l, of which the main thread spends m in MPI, the rank has n threads and the team
// t: then that is n (l - m) for the rank, and (t - 1) m for those that work while the main thread
// communicates, less what they wait at barriers meanwhile, which MPI costs. Outside of regions one
// thread works and n - 1 are idle. So
//
//   outside = work + serial_idle + imbalance + synchronisation
//
// where imbalance is what a team waits because its threads do not work equally long: the sum of
// what each works less than the one that works longest, as far as there is waiting. What remains of
// the waiting has other reasons: several barriers at which different threads are late, the cost of
// barriers, and threads that begin later than the region. With T the interval's length and N the
// threads of all ranks,
//
//   hybrid = work / (T N) = outside / (T N) x work / outside = mpi x openmp,
//
// as in POP's model. Where all ranks have the same number of threads, mpi is POP's parallel
// efficiency of MPI alone.

#include "analysis/openmp/openmp_use.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/openmp/thread_clock.h"
#include "base/arithmetic.h"
#include "calls/computation_code.h"

namespace slackline {
namespace {

constexpr double kMostOfWaiting = 0.6;  // a thread that causes less is not named

/// What is summed up for a place before the late thread is known.
struct PlaceSums {
  RegionUse use;
  std::map<LocationId, std::int64_t> waiting_for;   // the location that works longest
  std::map<std::int32_t, std::int64_t> waiting_on;  // by rank
  std::map<std::pair<std::int32_t, LocationId>, std::int64_t> work_of;  // by rank and location
};

/// One region with its times inside of the interval.
struct Clipped {
  std::int64_t length_ns = 0;
  std::int64_t in_mpi_ns = 0;  // of the main thread
  std::vector<LocationTime> times;
};

class ThreadSums {
 public:
  ThreadSums(const RankCalls& calls, std::int32_t rank, const TimeInterval& interval)
      : calls_(calls), rank_(rank), interval_(interval), main_calls_(calls) {
    LocationId most = 0;
    for (const ParallelRegion& region : calls.parallel_regions().all()) {
      if (is_inside(region)) most = std::max(most, region.threads);
    }
    of_.locations.resize(most > 0 ? most : calls.parallel_regions().locations());
  }

  RankThreads sum_up(const RankTime& time, const std::vector<FrameId>& own_frames,
                     std::map<FrameId, PlaceSums>& places) {
    for (const ParallelRegion& region : calls_.parallel_regions().all()) {
      if (!is_inside(region)) continue;
      add(region, clip(region), places[own_frames[region.frame]]);
    }
    const std::int64_t computed = std::max<std::int64_t>(0, of_.parallel_ns - paused_in_regions());
    of_.serial_ns = std::clamp<std::int64_t>(time.compute - computed, 0, time.compute);
    of_.time.work += of_.serial_ns;
    of_.time.serial_idle += (threads() - 1) * of_.serial_ns;
    return std::move(of_);
  }

 private:
  bool is_inside(const ParallelRegion& region) const {
    const std::int64_t length = inside(region).length_ns();
    return length > 0 || (length == 0 && region.begin_ns == region.end_ns);
  }

  /// How long the main thread was in regions but did not compute, as it was blocked or had no
  /// processor.
  std::int64_t paused_in_regions() const {
    std::vector<TimeInterval> regions;
    for (const ParallelRegion& region : calls_.parallel_regions().all()) {
      if (is_inside(region)) regions.push_back(inside(region));
    }
    std::ranges::sort(regions, {}, &TimeInterval::begin_ns);
    const auto pauses = calls_.pauses();
    std::int64_t sum = 0;
    std::int64_t from = interval_.begin_ns;  // what lies before is counted
    auto pause = pauses.begin();
    for (const TimeInterval& region : regions) {
      from = std::max(from, region.begin_ns);
      while (pause != pauses.end() && pause->end_ns <= from) ++pause;
      for (auto p = pause; p != pauses.end() && p->begin_ns < region.end_ns; ++p) {
        sum += std::max<std::int64_t>(
            0, std::min(p->end_ns, region.end_ns) - std::max(p->begin_ns, from));
      }
      from = std::max(from, region.end_ns);
    }
    return sum;
  }

  TimeInterval inside(const ParallelRegion& region) const {
    return {std::max(region.begin_ns, interval_.begin_ns),
            std::min(region.end_ns, interval_.end_ns)};
  }

  std::int64_t threads() const { return static_cast<std::int64_t>(of_.locations.size()); }

  Clipped clip(const ParallelRegion& region) const {
    const TimeInterval part_inside = inside(region);
    const auto span = static_cast<double>(region.end_ns - region.begin_ns);
    const double part = span > 0 ? static_cast<double>(part_inside.length_ns()) / span : 1;
    const auto of = [&](std::int64_t ns) {
      return part == 1 ? ns : std::llround(part * static_cast<double>(ns));
    };
    Clipped c{of(region.length_ns), main_calls_.time_ns(part_inside), {}};
    for (const LocationTime& t : calls_.parallel_regions().times(region)) {
      c.times.push_back({of(t.busy_ns), of(t.waiting_ns)});
    }
    c.in_mpi_ns = std::min({c.in_mpi_ns, c.length_ns, c.times.front().busy_ns});
    return c;
  }

  void add(const ParallelRegion& region, const Clipped& c, PlaceSums& place) {
    std::int64_t waiting = 0;
    std::int64_t longest = 0;
    LocationId late = 0;
    for (LocationId i = 0; i < c.times.size(); ++i) {
      const LocationTime& t = c.times[i];
      const std::int64_t for_mpi = i == 0 ? 0 : std::min(t.waiting_ns, c.in_mpi_ns);
      const std::int64_t work = t.busy_ns - (i == 0 ? c.in_mpi_ns : 0);
      waiting += t.waiting_ns - for_mpi;
      if (work > longest) late = i;
      longest = std::max(longest, work);
      LocationUse& use = of_.locations[i];
      use.work_ns += work;
      use.waiting_ns += t.waiting_ns;
      use.idle_ns += std::max<std::int64_t>(0, c.length_ns - t.busy_ns - t.waiting_ns);
      place.work_of[{rank_, i}] += work;
    }
    const std::int64_t outside = c.length_ns - c.in_mpi_ns;
    const ThreadTime time = region_time(c.length_ns, c.in_mpi_ns, c.times, threads());
    of_.parallel_ns += outside;
    of_.time += time;
    place.use.instances += region.instances;
    place.use.most_threads = std::max(place.use.most_threads, region.threads);
    place.use.length_ns += outside;
    place.use.time += time;
    place.use.waiting_ns += waiting;
    place.waiting_for[late] += waiting;
    place.waiting_on[rank_] += waiting;
  }

  const RankCalls& calls_;
  std::int32_t rank_;
  TimeInterval interval_;
  MainThreadCalls main_calls_;
  RankThreads of_;
};

template <class Key>
std::optional<Key> most_of(const std::map<Key, std::int64_t>& sums, std::int64_t all) {
  const auto most = std::ranges::max_element(sums, {}, [](const auto& s) { return s.second; });
  const bool enough =
      most != sums.end() && all > 0 &&
      static_cast<double>(most->second) >= kMostOfWaiting * static_cast<double>(all);
  return enough ? std::optional(most->first) : std::nullopt;
}

RegionUse finished(const PlaceSums& sums, FrameId frame, const CallTree& tree) {
  RegionUse use = sums.use;
  use.frame = frame;
  use.code = describe_frame(tree, frame);
  use.late_location = most_of(sums.waiting_for, use.waiting_ns);
  if (!use.late_location) return use;
  use.late_rank = most_of(sums.waiting_on, use.waiting_ns);
  double all = 0;
  double late = 0;
  std::set<LocationId> locations;
  for (const auto& [place, work] : sums.work_of) {
    const auto [rank, location] = place;
    if (use.late_rank && rank != *use.late_rank) continue;
    locations.insert(location);
    all += static_cast<double>(work);
    if (location == *use.late_location) late += static_cast<double>(work);
  }
  use.late_work = ratio_of(late, ratio_of(all, static_cast<double>(locations.size())));
  return use;
}

bool has_regions(const Trace& trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (!trace.calls(r).parallel_regions().empty()) return true;
  }
  return false;
}

}  // namespace

std::optional<OpenMPUse> openmp_use(const Trace& trace, const TimeInterval& analysed,
                                    std::span<const RankTime> ranks) {
  if (!has_regions(trace)) return std::nullopt;
  OpenMPUse use;
  use.length_ns = analysed.length_ns();
  const std::vector<FrameId> own = own_frames(trace.call_tree());
  std::map<FrameId, PlaceSums> places;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    if (calls.empty()) {
      use.ranks.emplace_back();
      continue;
    }
    use.ranks.push_back(
        ThreadSums(calls, r, analysed).sum_up(ranks[static_cast<std::size_t>(r)], own, places));
    use.threads += use.ranks.back().locations.size();
    use.time += use.ranks.back().time;
  }
  for (const auto& [frame, sums] : places) {
    use.regions.push_back(finished(sums, frame, trace.call_tree()));
  }
  std::ranges::stable_sort(use.regions, std::ranges::greater{},
                           [](const RegionUse& r) { return r.time.idle(); });
  return use;
}

HybridFactors factors(const OpenMPUse& use) {
  HybridFactors f;
  const auto all = static_cast<double>(use.length_ns) * static_cast<double>(use.threads);
  const auto outside = static_cast<double>(use.time.total());
  if (all <= 0 || outside <= 0) return f;
  double longest = 0;  // time outside of MPI of the rank that has most
  for (const RankThreads& rank : use.ranks) {
    longest = std::max(longest, ratio_of(static_cast<double>(rank.time.total()),
                                         static_cast<double>(rank.locations.size())));
  }
  const auto work = static_cast<double>(use.time.work);
  const double in_teams = outside - static_cast<double>(use.time.serial_idle);
  const double balanced = in_teams - static_cast<double>(use.time.imbalance);
  f.hybrid = work / all;
  f.mpi = outside / all;
  f.mpi_communication = longest / static_cast<double>(use.length_ns);
  f.mpi_load_balance = ratio_of(f.mpi, f.mpi_communication);
  f.openmp = work / outside;
  f.serial = in_teams / outside;
  f.load_balance = ratio_of(balanced, in_teams);
  f.synchronisation = ratio_of(work, balanced);
  return f;
}

}  // namespace slackline
