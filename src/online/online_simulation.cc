#include "online/online_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/findings.h"
#include "base/memory.h"
#include "base/units.h"
#include "online/online_program.h"
#include "online/program_code.h"
#include "online/rank_activity.h"
#include "online/sampled_functions.h"
#include "online/shared_memory.h"
#include "online/simulator_process.h"
#include "sim/engine/engine.h"
#include "sim/sharing/max_min_sharing.h"
#include "sim/simulation.h"
#include "trace/trace_builder.h"

namespace slackline::online {
namespace {

constexpr double kSecondsPerCpuNano = 1e-9;
constexpr int kSignalStatus = 128;  // as a shell says it

constexpr FindingKind kInterrupted{
    "simulation_interrupted", Severity::notice,
    "The simulation of the program was interrupted. Times and trace are those of the run until "
    "then; calls that had begun end there."};

/// For readings of the clock between two calls; exact where all hosts are of one speed.
double seconds_per_cpu_ns(const Platform& platform, const std::vector<HostId>& hosts,
                          const SimulationOptions& options) {
  const double own = hosts.empty() ? 1 : platform.host(hosts.front()).speed();
  const double measured = options.reference_speed > 0 ? options.reference_speed : own;
  return kSecondsPerCpuNano * options.compute_scale * measured / own;
}

/// Name and cores. Ranks on one host have equal parts of its cores, as they compute at the same
/// time where their work is balanced.
void place_ranks(SharedMemory& memory, const Platform& platform, const std::vector<HostId>& hosts) {
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    const std::string name = platform.host_name(hosts[r]);
    slk_online_rank& area = memory.rank(static_cast<std::int32_t>(r));
    name.copy(area.host, SLK_ONLINE_NAME - 1);
    const auto ranks = static_cast<double>(std::ranges::count(hosts, hosts[r]));
    area.cores = std::max(1.0, platform.host(hosts[r]).cores / ranks);
  }
}

/// Waits until a rank of the first process has come to its first call, behind MPI's initialisation,
/// or the process ends, or waits for others outside of MPI.
void await_first_call(std::int32_t rank, SharedMemory& memory, Processes& processes) {
  constexpr int kStep_ms = 50;
  constexpr int kMostSteps = 200;
  for (int i = 0; i < kMostSteps && !memory.wait_for_call(rank, kStep_ms); ++i) {
    if (processes.ended(0) || Interruption::signal() != 0) return;
  }
}

AvailableMemory memory_for(const OnlineJob& job) {
  if (job.memory) return {*job.memory, *job.memory, 0, "--memory"};
  return available_memory();
}

/// Bytes of large allocations that a rank may have of its own.
std::uint64_t own_memory(const OnlineJob& job) {
  constexpr std::uint64_t kPart = 2;
  if (!job.fold_if_needed) return 0;
  return memory_for(job).bytes / kPart / static_cast<std::uint64_t>(job.ranks);
}

/// One process first: what it needs, all the others will.
void start(const OnlineJob& job, SharedMemory& memory, Processes& processes) {
  const AvailableMemory available = memory_for(job);
  processes.start(0, 1);
  if (job.ranks == 1) return;
  await_first_call(std::min(job.ranks, job.ranks_per_process) - 1, memory, processes);
  const std::uint64_t each = private_memory(processes.id(0));
  const auto count = static_cast<std::uint64_t>((job.ranks - 1) / job.ranks_per_process + 1);
  require_memory({each * count,
                  fmt::format("cannot start {} process{} of '{}'", format_count(count),
                              count > 1 ? "es" : "", job.command.front()),
                  fmt::format("{} each, as the first one has after MPI_Init",
                              format_bytes(static_cast<double>(each))),
                  "Simulate fewer ranks, or allow more with --memory."},
                 available);
  if (count > 1) processes.start(job.ranks_per_process, job.ranks);
}

}  // namespace

OnlineRun simulate_online(const OnlineJob& job, const Platform& platform,
                          const std::vector<HostId>& host_of_rank, const SimulationOptions& given) {
  SimulationOptions options = given;
  options.record = true;
  options.model.lazy = false;  // what guesses an order and tries again needs a whole trace
  const SampledFunctions functions(job.program, job.sampled_functions);
  SharedMemory memory(job.ranks, seconds_per_cpu_ns(platform, host_of_rank, options));
  memory.file().keeps_paths = job.call_paths ? 1 : 0;
  functions.hand_over(memory.file());
  place_ranks(memory, platform, host_of_rank);
  const Interruption interruption;
  const PinnedThread pinned(job.one_processor);
  const FoldedMemory folded(job.fold_above, own_memory(job));
  Processes processes(job.ranks, {job.command, job.preload, memory.descriptor(),
                                  folded.descriptor(), pinned.processor(), job.ranks_per_process});
  start(job, memory, processes);
  TraceBuilder trace(job.ranks, false);
  OnlineProgram program({.memory = memory,
                         .processes = processes,
                         .trace = trace,
                         .compute_scale = options.compute_scale,
                         .reference_speed = options.reference_speed,
                         .test_seconds = options.model.test_sleep,
                         .platform = platform,
                         .watch_memory = !job.memory,
                         .knows_call_paths = job.ranks_per_process == 1});
  LinkView links(platform, options.link_scales);
  const sim::Engine::Input input{trace, platform, host_of_rank, options, links, &program};
  sim::Engine engine(input, std::make_unique<MaxMinSharing>(links, sim::sharing_options(input)),
                     &program);
  std::optional<Simulation> complete = engine.run();
  Simulation result = complete ? std::move(*complete) : engine.given_up();
  OnlineRun run{.trace = Trace(job.ranks, false)};
  if (!complete) {
    run.interrupted = Interruption::signal();
    processes.kill();
    result.findings.add(kInterrupted);
  }
  require_one_thread_in_mpi(memory);
  run.exit_status = complete ? processes.wait() : kSignalStatus + run.interrupted;
  for (std::int32_t r = 0; r < job.ranks; ++r) {
    const double end = result.rank_end[static_cast<std::size_t>(r)];
    result.calls[static_cast<std::size_t>(r)].resize(trace.calls(r).size(), {end, end});
  }
  for (std::size_t r = 0; r < host_of_rank.size(); ++r) {
    RankInfo& info = trace.rank_info(static_cast<std::int32_t>(r));
    info.finalized = complete.has_value();
    info.host = platform.host_name(host_of_rank[r]);
  }
  if (job.call_paths) name_call_paths(memory, trace);
  run.sampled = sampled_blocks(memory, job.ranks);
  functions.name(run.sampled);
  for (const SampledBlock& block : run.sampled) {
    run.sampling_error += block.error_ns * memory.file().seconds_per_cpu_ns;
  }
  folded.note(result.findings);
  note_threads(memory, job.ranks, result.findings);
  note_sampled(run.sampled, unsampled_executions(memory, job.ranks), result.findings);
  functions.note(memory, job.ranks, run.sampled, result.findings);
  run.trace = simulated_trace(std::move(trace).build(), result);
  run.result = std::move(result);
  run.calls = program.calls();
  return run;
}

}  // namespace slackline::online
