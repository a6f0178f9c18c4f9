#include "training/step_times.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "training/training_run.h"

// A step's time on a GPU is cut by what ran: for each class of work the time that any stream spent
// in it is a list of intervals, and the four shares of a step are differences of those lists. So
// they add up to its duration by construction, and any number of streams is treated alike. A rank
// may have several GPUs, whose shares are averaged. Sorting is the whole cost.

namespace slackline {
namespace {

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

// Looks up why a GPU was idle.
class IdleCauses {
 public:
  IdleCauses(const ProfiledRank& rank, std::int64_t device)
      : rank_(rank), threads_(rank.locations.size()) {
    for (std::uint32_t i = 0; i < rank.gpu.size(); ++i) {
      if (rank.device_of(rank.gpu[i]) == device) activities_.push_back(i);
    }
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
        activities_, gap.end_ns, {}, [&](std::uint32_t i) { return rank_.gpu[i].time.begin_ns; });
    if (next == activities_.end()) return add_waiting_for_cpu(gap, last_launching_thread(), idle);
    const GpuActivity& activity = rank_.gpu[*next];
    if (activity.launch == kNotRecorded) {
      idle.unknown_ns += gap.duration_ns();
      return;
    }
    const RuntimeCall& launch = rank_.runtime_calls[activity.launch];
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
    for (auto at = activities_.rbegin(); at != activities_.rend(); ++at) {
      const std::uint32_t launch = rank_.gpu[*at].launch;
      if (launch != kNotRecorded) return rank_.runtime_calls[launch].location;
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
  std::vector<std::uint32_t> activities_;  // of the GPU, by begin
  std::vector<Thread> threads_;            // by location
};

// Adds how one GPU spent each of the steps.
void add_device(const ProfiledRank& rank, std::int64_t device, std::vector<StepTime>& steps) {
  const TimeSpans computing = united(times_of(rank, GpuWork::computation, device));
  const TimeSpans communicating = united(times_of(rank, GpuWork::communication, device));
  const TimeSpans copying = united(times_of(rank, GpuWork::copy, device));
  const IdleCauses causes(rank, device);
  for (StepTime& step : steps) {
    const TimeSpans computation = clipped(computing, step.time);
    const TimeSpans communication = clipped(communicating, step.time);
    const TimeSpans exposed = without(communication, computation);
    const TimeSpans copies =
        without(without(clipped(copying, step.time), computation), communication);
    step.computation_ns += total_ns(computation);
    step.exposed_communication_ns += total_ns(exposed);
    step.exposed_copy_ns += total_ns(copies);
    step.overlap_ns += total_ns(common(communication, computation));
    for (const TimeSpan& gap :
         without(without(without({step.time}, computation), communication), copies)) {
      causes.add(gap, step.idle);
    }
  }
}

// Sums over GPUs become means. They are rounded such that their sum is exact.
void average(StepTime& step, std::int64_t devices) {
  std::int64_t sum = 0;
  std::int64_t given = 0;
  for (std::int64_t* const part :
       {&step.computation_ns, &step.exposed_communication_ns, &step.exposed_copy_ns,
        &step.idle.launch_bound_ns, &step.idle.synchronization_ns, &step.idle.data_loading_ns,
        &step.idle.queued_ns, &step.idle.unknown_ns}) {
    sum += *part;
    *part = sum / devices - given;
    given += *part;
  }
  step.overlap_ns /= devices;
  ensures(given == step.time.duration_ns(), "the parts of a step add up to its duration");
}

}  // namespace

std::vector<StepTime> step_times(const ProfiledRank& rank, Findings& findings) {
  const std::vector<std::int64_t> devices = devices_of(rank);
  std::vector<StepTime> steps;
  for (const ProfiledStep& step : steps_on_gpu(rank)) {
    steps.push_back({step.number, step.time, !devices.empty()});
  }
  if (steps.empty()) {
    const TimeSpan whole = whole_profile(rank);
    if (whole.end_ns <= whole.begin_ns) return {};
    findings.add(kNoSteps, "rank " + std::to_string(rank.rank));
    steps.push_back({0, whole, !devices.empty()});
  }
  if (devices.empty()) findings.add(kNoGpuActivity, "rank " + std::to_string(rank.rank));
  for (const std::int64_t device : devices) add_device(rank, device, steps);
  if (!devices.empty()) {
    const auto count = static_cast<std::int64_t>(devices.size());
    for (StepTime& step : steps) average(step, count);
  }
  return steps;
}

}  // namespace slackline
