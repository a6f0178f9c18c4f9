#include "training/rank_work.h"

#include <algorithm>

namespace slackline {
namespace {

// The ranges of one thread that enclose a moment, outermost first. Moments must not decrease.
class OpenRanges {
 public:
  void open(const CpuRange& range) {
    close_before(range.time.begin_ns);
    open_.push_back(&range);
  }
  void close_before(std::int64_t time_ns) {
    std::erase_if(open_, [&](const CpuRange* range) { return range->time.end_ns <= time_ns; });
  }
  const std::vector<const CpuRange*>& all() const { return open_; }

 private:
  std::vector<const CpuRange*> open_;
};

}  // namespace

RankWork::RankWork(const ProfiledRank& rank)
    : rank_(rank), launch_places_(rank.runtime_calls.size()), operations_(rank.locations.size()) {
  for (const CpuRange& range : rank.cpu) {
    const bool loads = range.kind == CpuRangeKind::annotation &&
                       rank.name(range.name).find(kDataLoader) != std::string_view::npos;
    if (range.kind != CpuRangeKind::operation && !loads) continue;
    auto& outermost = operations_[range.location];
    if (!outermost.empty() && range.time.begin_ns < outermost.back().time.end_ns) continue;
    outermost.push_back({range.time, range.name});
  }
  std::vector<TimeSpan> communicating;
  for (const GpuActivity& activity : rank.gpu) {
    if (activity.work == GpuWork::communication) communicating.push_back(activity.time);
  }
  communicating_ = united(std::move(communicating));
  find_places();
}

void RankWork::find_places() {
  std::vector<OpenRanges> threads(rank_.locations.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank_.runtime_calls.size(); ++i) {
    const RuntimeCall& call = rank_.runtime_calls[i];
    for (; next < rank_.cpu.size() && rank_.cpu[next].time.begin_ns <= call.time.begin_ns; ++next) {
      threads[rank_.cpu[next].location].open(rank_.cpu[next]);
    }
    OpenRanges& thread = threads[call.location];
    thread.close_before(call.time.begin_ns);
    Place& found = launch_places_[i];
    for (const CpuRange* range : thread.all()) {
      if (range->kind == CpuRangeKind::operation && found.operation == kNotRecorded) {
        found.operation = range->name;
      }
      if (range->kind == CpuRangeKind::module) found.module = range->name;
      if (range->kind == CpuRangeKind::annotation) found.annotation = range->name;
    }
  }
}

TrainingPlace RankWork::place(const Place& named) const {
  return {std::string(rank_.name(named.operation)), std::string(rank_.name(named.module))};
}

std::int64_t RankWork::begin_before(std::uint32_t activity, std::int64_t earliest_ns) const {
  for (std::uint32_t i = activity; i-- > 0;) {
    if (rank_.gpu[i].work != GpuWork::communication) continue;
    return std::max(rank_.gpu[i].time.begin_ns, earliest_ns);
  }
  return earliest_ns;
}

void RankWork::add_gap(const TimeSpan& gap, std::uint32_t launch, TimeByPlace& times) const {
  if (gap.end_ns <= gap.begin_ns) return;
  for (const TimeSpan& idle : without({gap}, clipped(communicating_, gap))) {
    add_idle(idle, launch, times);
  }
}

void RankWork::add_idle(const TimeSpan& gap, std::uint32_t launch, TimeByPlace& times) const {
  if (launch == kNotRecorded) {
    times[{}] += gap.duration_ns();
    return;
  }
  const Place& next = launch_places_[launch];
  std::int64_t rest = gap.duration_ns();
  for_operations(rank_.runtime_calls[launch].location, gap,
                 [&](std::uint32_t operation, std::int64_t ns) {
                   times[place({operation, next.module})] += ns;
                   rest -= ns;
                 });
  if (rest > 0) times[place({kNotRecorded, next.module})] += rest;
}

TimeByPlace RankWork::before(std::uint32_t activity, std::int64_t earliest_ns) const {
  const TimeSpan window{begin_before(activity, earliest_ns), rank_.gpu[activity].time.begin_ns};
  TimeByPlace times;
  std::int64_t done = window.begin_ns;
  // Activities by begin; those that began before the window and reach into it stand just before.
  auto at = std::ranges::lower_bound(rank_.gpu, window.begin_ns, {},
                                     [](const GpuActivity& other) { return other.time.begin_ns; });
  while (at != rank_.gpu.begin() && std::prev(at)->time.end_ns > window.begin_ns) --at;
  for (; at != rank_.gpu.end() && at->time.begin_ns < window.end_ns; ++at) {
    if (at->work == GpuWork::communication) continue;
    const std::int64_t begin = std::max(at->time.begin_ns, done);
    const std::int64_t end = std::min(at->time.end_ns, window.end_ns);
    add_gap({done, begin}, at->launch, times);
    if (end > begin) {
      times[at->launch == kNotRecorded ? TrainingPlace{} : place(launch_places_[at->launch])] +=
          end - begin;
    }
    done = std::max(done, end);
  }
  add_gap({done, window.end_ns}, rank_.gpu[activity].launch, times);
  return times;
}

}  // namespace slackline
