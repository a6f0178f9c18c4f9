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

}  // namespace slackline
