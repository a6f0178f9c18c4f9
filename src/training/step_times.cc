#include "training/step_times.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "training/intervals.h"

// A step's time on the GPU is cut by what ran: for each class of work the time that any stream
// spent in it is a list of intervals, and the four shares of a step are differences of those lists.
// So they add up to its duration by construction, and any number of streams is treated alike.
// Sorting is the whole cost.

namespace slackline {
namespace {

TimeSpans time_of(const ProfiledRank& rank, GpuWork work) {
  std::vector<TimeSpan> all;
  for (const GpuActivity& activity : rank.gpu) {
    if (activity.work == work) all.push_back(activity.time);
  }
  return united(std::move(all));
}

// Steps of the CPU moved to where the GPU works on them.
std::vector<ProfiledStep> steps_on_gpu(const ProfiledRank& rank) {
  std::vector<ProfiledStep> steps = rank.steps;
  std::vector<std::int64_t> last_end(steps.size() + 1, std::numeric_limits<std::int64_t>::min());
  std::vector<std::int64_t> end = last_end;  // work launched in a step, and not after it
  for (const GpuActivity& activity : rank.gpu) {
    const std::int64_t launched = activity.launch == kNotRecorded
                                      ? activity.time.begin_ns
                                      : rank.runtime_calls[activity.launch].time.begin_ns;
    const auto next = std::ranges::upper_bound(
        rank.steps, launched, {}, [](const ProfiledStep& step) { return step.time.begin_ns; });
    const auto after = static_cast<std::size_t>(next - rank.steps.begin());
    last_end[after] = std::max(last_end[after], activity.time.end_ns);
    if (after > 0 && launched < rank.steps[after - 1].time.end_ns) {
      end[after] = std::max(end[after], activity.time.end_ns);
    }
  }
  std::int64_t busy_until = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    busy_until = std::max(busy_until, last_end[i]);
    TimeSpan& time = steps[i].time;
    time.begin_ns = std::max(time.begin_ns, busy_until);
    time.end_ns = std::max({time.begin_ns, time.end_ns, end[i + 1]});
    busy_until = std::max(busy_until, time.end_ns);
  }
  return steps;
}

// Looks up why a rank's GPU was idle.
class IdleCauses {
 public:
  explicit IdleCauses(const ProfiledRank& rank) : rank_(rank), threads_(rank.locations.size()) {
    for (const RuntimeCall& call : rank.runtime_calls) {
      if (call.synchronises) threads_[call.location].synchronising.push_back(call.time);
    }
    for (const CpuRange& range : rank.cpu) {
      if (range.kind != CpuRangeKind::annotation) continue;
      if (rank.name(range.name).find(kDataLoader) == std::string_view::npos) continue;
      threads_[range.location].loading.push_back(range.time);
    }
    for (Thread& thread : threads_) {
      thread.synchronising = united(std::move(thread.synchronising));
      thread.loading = without(united(std::move(thread.loading)), thread.synchronising);
    }
  }

  void add(const TimeSpan& gap, IdleTime& idle) const {
    const auto next = std::ranges::lower_bound(
        rank_.gpu, gap.end_ns, {},
        [](const GpuActivity& activity) { return activity.time.begin_ns; });
    if (next == rank_.gpu.end()) return add_waiting_for_cpu(gap, last_launching_thread(), idle);
    if (next->launch == kNotRecorded) {
      idle.unknown_ns += gap.duration_ns();
      return;
    }
    const RuntimeCall& launch = rank_.runtime_calls[next->launch];
    if (launch.time.begin_ns <= gap.begin_ns) {
      idle.queued_ns += gap.duration_ns();
    } else {
      add_waiting_for_cpu(gap, launch.location, idle);
    }
  }

 private:
  struct Thread {
    TimeSpans synchronising;
    TimeSpans loading;
  };

  std::uint32_t last_launching_thread() const {
    for (auto at = rank_.gpu.rbegin(); at != rank_.gpu.rend(); ++at) {
      if (at->launch != kNotRecorded) return rank_.runtime_calls[at->launch].location;
    }
    return kNotRecorded;
  }

  void add_waiting_for_cpu(const TimeSpan& gap, std::uint32_t location, IdleTime& idle) const {
    std::int64_t rest = gap.duration_ns();
    if (location != kNotRecorded) {
      const std::int64_t waiting = total_ns(clipped(threads_[location].synchronising, gap));
      const std::int64_t loading = total_ns(clipped(threads_[location].loading, gap));
      idle.synchronization_ns += waiting;
      idle.data_loading_ns += loading;
      rest -= waiting + loading;
    }
    idle.launch_bound_ns += rest;
  }

  const ProfiledRank& rank_;
  std::vector<Thread> threads_;  // by location
};

}  // namespace

std::vector<StepTime> step_times(const ProfiledRank& rank, Findings& findings) {
  std::vector<ProfiledStep> steps = steps_on_gpu(rank);
  if (steps.empty()) {
    const TimeSpan whole = whole_profile(rank);
    if (whole.end_ns <= whole.begin_ns) return {};
    findings.add(kNoSteps, "rank " + std::to_string(rank.rank));
    steps.push_back({0, whole});
  }
  const TimeSpans computing = time_of(rank, GpuWork::computation);
  const TimeSpans communicating = time_of(rank, GpuWork::communication);
  const TimeSpans copying = time_of(rank, GpuWork::copy);
  const IdleCauses causes(rank);
  std::vector<StepTime> result;
  for (const ProfiledStep& step : steps) {
    const TimeSpans computation = clipped(computing, step.time);
    const TimeSpans communication = clipped(communicating, step.time);
    const TimeSpans exposed = without(communication, computation);
    const TimeSpans copies =
        without(without(clipped(copying, step.time), computation), communication);
    const TimeSpans idle =
        without(without(without({step.time}, computation), communication), copies);
    StepTime time{step.number,           step.time,
                  total_ns(computation), total_ns(exposed),
                  total_ns(copies),      total_ns(common(communication, computation))};
    for (const TimeSpan& gap : idle) causes.add(gap, time.idle);
    ensures(time.computation_ns + time.exposed_communication_ns + time.exposed_copy_ns +
                    time.idle.total_ns() ==
                step.time.duration_ns(),
            "the parts of a step add up to its duration");
    result.push_back(time);
  }
  return result;
}

}  // namespace slackline
