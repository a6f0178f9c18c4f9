#pragma once

#include <cstdint>
#include <vector>

#include "training/training_run.h"

namespace slackline {

inline constexpr FindingKind kNoSteps{
    "no_profiled_steps", Severity::notice,
    "Ranks whose profile has no annotation ProfilerStep; all of it counts as step 0."};

inline constexpr FindingKind kNoGpuActivity{
    "no_gpu_activity", Severity::notice,
    "Ranks whose profile has no GPU kernels: the CPU alone was profiled, or a device whose work "
    "the "
    "profiler does not record. How their GPUs spent the time is unknown."};

/// Why no stream of the GPU had anything to do. The parts add up to the idle time.
struct IdleTime {
  std::int64_t launch_bound_ns = 0;     ///< the CPU had not launched what came next
  std::int64_t synchronization_ns = 0;  ///< so, and it was in a synchronising call
  std::int64_t data_loading_ns = 0;     ///< so, and it was in a data loader
  std::int64_t queued_ns = 0;   ///< it was launched already: a dependence, or a change of kernels
  std::int64_t unknown_ns = 0;  ///< its launch is not recorded

  std::int64_t total_ns() const {
    return launch_bound_ns + synchronization_ns + data_loading_ns + queued_ns + unknown_ns;
  }
};

/// One step of one rank. Computation, exposed communication, exposed copies and idle time add up to
/// its duration; of a rank with several GPUs they are the means of these. Where the profile has no
/// kernels they are unknown, and 0.
struct StepTime {
  std::int64_t step = 0;
  TimeSpan time{};
  bool has_gpu = true;  ///< the profile has kernels
  std::int64_t computation_ns = 0;
  std::int64_t exposed_communication_ns = 0;  ///< no kernel computed meanwhile
  std::int64_t exposed_copy_ns = 0;           ///< nothing else ran meanwhile
  std::int64_t overlap_ns = 0;                ///< communication while a kernel computed
  IdleTime idle{};
};

/// The steps of a rank, in order, by the definitions of doc/decisions/0020-training-traces.md.
/// O(n log n) for n records.
std::vector<StepTime> step_times(const ProfiledRank& rank, Findings& findings);

}  // namespace slackline
