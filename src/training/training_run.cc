#include "training/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace slackline {
namespace {

template <class T>
void widen(TimeSpan& whole, const std::vector<T>& parts) {
  for (const T& part : parts) {
    whole.begin_ns = std::min(whole.begin_ns, part.time.begin_ns);
    whole.end_ns = std::max(whole.end_ns, part.time.end_ns);
  }
}

}  // namespace

std::vector<std::int64_t> devices_of(const ProfiledRank& rank) {
  std::vector<std::int64_t> devices;
  for (const GpuActivity& activity : rank.gpu) {
    const std::int64_t device = rank.device_of(activity);
    if (activity.work == GpuWork::copy) continue;
    const auto at = std::ranges::lower_bound(devices, device);
    if (at == devices.end() || *at != device) devices.insert(at, device);
  }
  return devices;
}

bool has_gpu(const TrainingRun& run) {
  return std::ranges::any_of(run.ranks,
                             [](const ProfiledRank& rank) { return !devices_of(rank).empty(); });
}

std::vector<TimeSpan> times_of(const ProfiledRank& rank, GpuWork work, std::int64_t device) {
  std::vector<TimeSpan> times;
  for (const GpuActivity& activity : rank.gpu) {
    if (activity.work == work && rank.device_of(activity) == device) times.push_back(activity.time);
  }
  return times;
}

std::string location_name(const ProfiledRank& rank, std::uint32_t location) {
  const TrainingLocation& here = rank.locations[location];
  if (!here.stream) return fmt::format("thread {}", here.id);
  const bool several = std::ranges::any_of(rank.locations, [&](const TrainingLocation& other) {
    return other.stream && other.device != here.device;
  });
  return several ? fmt::format("GPU {}, stream {}", here.device, here.id)
                 : fmt::format("stream {}", here.id);
}

TimeSpan whole_profile(const ProfiledRank& rank) {
  TimeSpan whole{std::numeric_limits<std::int64_t>::max(),
                 std::numeric_limits<std::int64_t>::min()};
  widen(whole, rank.gpu);
  widen(whole, rank.runtime_calls);
  widen(whole, rank.cpu);
  widen(whole, rank.steps);
  return whole.end_ns < whole.begin_ns ? TimeSpan{} : whole;
}

TimeSpans united(std::vector<TimeSpan> all) {
  std::erase_if(all, [](const TimeSpan& i) { return i.end_ns <= i.begin_ns; });
  std::ranges::sort(all, {}, &TimeSpan::begin_ns);
  TimeSpans result;
  for (const TimeSpan& next : all) {
    if (!result.empty() && next.begin_ns <= result.back().end_ns) {
      result.back().end_ns = std::max(result.back().end_ns, next.end_ns);
    } else {
      result.push_back(next);
    }
  }
  return result;
}

TimeSpans without(const TimeSpans& a, const TimeSpans& b) {
  TimeSpans result;
  auto cut = b.begin();
  for (const TimeSpan& whole : a) {
    std::int64_t from = whole.begin_ns;
    while (cut != b.end() && cut->end_ns <= from) ++cut;
    for (auto at = cut; at != b.end() && at->begin_ns < whole.end_ns; ++at) {
      if (at->begin_ns > from) result.push_back({from, at->begin_ns});
      from = std::max(from, at->end_ns);
    }
    if (from < whole.end_ns) result.push_back({from, whole.end_ns});
  }
  return result;
}

TimeSpans common(const TimeSpans& a, const TimeSpans& b) {
  TimeSpans result;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    const TimeSpan both{std::max(i->begin_ns, j->begin_ns), std::min(i->end_ns, j->end_ns)};
    if (both.begin_ns < both.end_ns) result.push_back(both);
    i->end_ns < j->end_ns ? ++i : ++j;
  }
  return result;
}

TimeSpans clipped(const TimeSpans& all, const TimeSpan& window) {
  TimeSpans result;
  auto at = std::ranges::upper_bound(all, window.begin_ns, {}, &TimeSpan::end_ns);
  for (; at != all.end() && at->begin_ns < window.end_ns; ++at) {
    result.push_back(
        {std::max(at->begin_ns, window.begin_ns), std::min(at->end_ns, window.end_ns)});
  }
  return result;
}

std::int64_t total_ns(const TimeSpans& all) {
  std::int64_t total = 0;
  for (const TimeSpan& i : all) total += i.duration_ns();
  return total;
}

}  // namespace slackline
