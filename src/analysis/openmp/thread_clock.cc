#include "analysis/openmp/thread_clock.h"

#include <algorithm>

namespace slackline {
namespace {

/// How long the main thread was blocked or had no processor in a region.
std::int64_t paused_ns(const RankCalls& calls, const ParallelRegion& region) {
  const std::span<const Pause> pauses = calls.pauses();
  std::int64_t sum = 0;
  for (auto p = std::ranges::upper_bound(pauses, region.begin_ns, {}, &Pause::end_ns);
       p != pauses.end() && p->begin_ns < region.end_ns; ++p) {
    sum += std::min(p->end_ns, region.end_ns) - std::max(p->begin_ns, region.begin_ns);
  }
  return sum;
}

}  // namespace

MainThreadCalls::MainThreadCalls(const RankCalls& calls) : calls_(calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls.thread(i) == 0) numbers_.push_back(i);
  }
}

std::int64_t MainThreadCalls::time_ns(const TimeInterval& interval) const {
  std::int64_t sum = 0;
  auto call = std::ranges::lower_bound(numbers_, interval.begin_ns, {},
                                       [&](std::size_t i) { return calls_.begin_ns(i); });
  if (call != numbers_.begin()) --call;  // it may reach into it
  for (; call != numbers_.end() && calls_.begin_ns(*call) < interval.end_ns; ++call) {
    const std::int64_t begin = std::max(calls_.begin_ns(*call), interval.begin_ns);
    sum += std::max<std::int64_t>(0, std::min(calls_.end_ns(*call), interval.end_ns) - begin);
  }
  return sum;
}

ThreadTime region_time(std::int64_t length_ns, std::int64_t in_mpi_ns,
                       std::span<const LocationTime> times, std::int64_t threads) {
  const auto team = static_cast<std::int64_t>(times.size());
  ThreadTime out;
  std::int64_t waiting = 0;
  std::int64_t waiting_for_mpi = 0;
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::int64_t for_mpi = i == 0 ? 0 : std::min(times[i].waiting_ns, in_mpi_ns);
    const std::int64_t work = times[i].busy_ns - (i == 0 ? in_mpi_ns : 0);
    out.work += work;
    waiting += times[i].waiting_ns - for_mpi;
    waiting_for_mpi += for_mpi;
    longest = std::max(longest, work);
  }
  out.serial_idle = (threads - team) * (length_ns - in_mpi_ns);
  out.imbalance = std::min(waiting, team * longest - out.work);
  const std::int64_t of_team = team * length_ns - in_mpi_ns - waiting_for_mpi;
  out.synchronisation = std::max<std::int64_t>(0, of_team - out.work - out.imbalance);
  return out;
}

ThreadClock::ThreadClock(const RankCalls& calls, const TimeInterval& analysed)
    : regions_(calls.parallel_regions().all()) {
  LocationId most = 0;
  for (const ParallelRegion& region : regions_) {
    const bool inside = region.begin_ns < analysed.end_ns && region.end_ns > analysed.begin_ns;
    if (inside) most = std::max(most, region.threads);
  }
  if (most == 0) most = calls.parallel_regions().locations();
  threads_ = most;
  const MainThreadCalls main(calls);
  Sums sums;
  until_.push_back(sums);
  for (const ParallelRegion& region : regions_) {
    const auto times = calls.parallel_regions().times(region);
    const std::int64_t in_mpi = std::min(
        {main.time_ns({region.begin_ns, region.end_ns}), region.length_ns, times.front().busy_ns});
    const ThreadTime time = region_time(region.length_ns, in_mpi, times, most);
    sums.work += static_cast<double>(time.work);
    sums.total += static_cast<double>(time.total());
    sums.computed += static_cast<double>(
        std::max<std::int64_t>(0, region.length_ns - in_mpi - paused_ns(calls, region)));
    until_.push_back(sums);
  }
}

ThreadClock::Reading ThreadClock::at(std::int64_t time_ns, double useful_ns) const {
  const auto next = std::ranges::upper_bound(regions_, time_ns, {}, &ParallelRegion::end_ns);
  const auto number = static_cast<std::size_t>(next - regions_.begin());
  Sums sums = until_[number];
  if (next != regions_.end() && next->begin_ns < time_ns) {
    const double part = static_cast<double>(time_ns - next->begin_ns) /
                        static_cast<double>(next->end_ns - next->begin_ns);
    const Sums& after = until_[number + 1];
    sums.work += part * (after.work - sums.work);
    sums.total += part * (after.total - sums.total);
    sums.computed += part * (after.computed - sums.computed);
  }
  const double serial = useful_ns - sums.computed;
  return {sums.work + serial, sums.total + threads_ * serial};
}

}  // namespace slackline
