#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "online/rank_activity.h"
#include "sim/engine/simulation_data.h"
#include "sim/platform/platform.h"
#include "trace/trace.h"

namespace slackline::online {

struct OnlineJob {
  std::vector<std::string> command{};  ///< the program itself, without a launcher
  std::string preload{};               ///< value of LD_PRELOAD: libslackline_online_<mpi>.so first
  std::int32_t ranks = 0;
  /// Allocations of this many bytes or more of all ranks share one copy in memory; `preload` has
  /// libslackline_fold.so then.
  std::optional<std::uint64_t> fold_above{};
  bool fold_if_needed = false;  ///< only what does not fit in half of the memory, in equal parts
  /// Functions that are sampled without a mark (SampledFunctions), of the file `program`.
  std::vector<std::string> sampled_functions{};
  std::string program{};
  bool call_paths = false;             ///< the trace says from where MPI was called
  std::int32_t ranks_per_process = 1;  ///< as threads that take turns
  bool one_processor = true;  ///< for all processes and the simulator, as one computes at a time
  std::optional<std::uint64_t> memory{};  ///< bytes that the processes may take; else what is free
};

struct OnlineRun {
  Trace trace;  ///< what the program did, with simulated times
  Simulation result{};
  int exit_status = 0;  ///< the largest of the processes'
  int interrupted = 0;  ///< the signal that ended the run early; 0: none
  std::uint64_t calls = 0;
  std::vector<SampledBlock> sampled{};
  /// Seconds by which the makespan may be off as blocks were skipped: the sum of their errors, as
  /// on a path through the slowest ranks.
  double sampling_error = 0;
};

/// Runs the program on a machine that is simulated: rank r on host_of_rank[r]. Computation takes
/// the CPU time of the process, times options.compute_scale. Throws Error when a process ends
/// without MPI_Finalize, aborts, calls what cannot be simulated, or all wait forever, when as many
/// processes as large as the first one do not fit in memory (before the others start), and when
/// memory runs out; no process is left then. SIGINT, SIGTERM and SIGHUP end the run, of
/// which the trace is then a part. Cost: a call takes two changes of process, some 10 us each.
OnlineRun simulate_online(const OnlineJob& job, const Platform& platform,
                          const std::vector<HostId>& host_of_rank,
                          const SimulationOptions& options);

}  // namespace slackline::online
