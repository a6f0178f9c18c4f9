#include "online/rank_activity.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <map>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/units.h"

namespace slackline::online {
namespace {

constexpr FindingKind kThreadsAsOne{
    "threads_charged_as_one", Severity::notice,
    "Ranks computed in several threads, on hosts that have one core for each: their computation is "
    "the CPU time of all their threads together."};

constexpr const char* kProvided =
    "on-line simulation provides MPI_THREAD_SERIALIZED at most, one thread of a rank at a time";

constexpr double kLeastShare = 0.01;  // of CPU time; threads that wait or log compute less

std::uint32_t threads_of(std::uint32_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  std::string word;
  std::uint32_t threads = 0;
  while (status >> word && word != "Threads:") {
  }
  status >> threads;
  return threads;
}

}  // namespace

void require_one_thread_in_mpi(SharedMemory& memory) {
  const std::uint32_t rank =
      std::atomic_ref<std::uint32_t>(memory.file().colliding).load(std::memory_order_acquire);
  if (rank == 0) return;
  slk_online_rank& area = memory.rank(static_cast<std::int32_t>(rank) - 1);
  area.refused[SLK_ONLINE_NAME - 1] = '\0';
  throw Error(
      fmt::format("cannot simulate the program: threads of rank {} call MPI at the same time ({})",
                  rank - 1, area.refused),
      kProvided,
      "Let one thread make all MPI calls, or record a run and simulate its trace instead.");
}

std::string advice_on_threads(SharedMemory& memory, std::int32_t ranks) {
  for (std::int32_t r = 0; r < ranks; ++r) {
    const slk_online_rank& rank = memory.rank(r);
    const std::uint32_t threads = threads_of(rank.process);
    if (rank.process == 0 || threads <= rank.threads_at_begin) continue;
    return fmt::format(
        "Rank {} has started threads (it has {}): while one of them waits in MPI, no other can "
        "call it, as {}.",
        r, threads, kProvided);
  }
  return {};
}

void note_threads(SharedMemory& memory, std::int32_t ranks, Findings& findings) {
  for (std::int32_t r = 0; r < ranks; ++r) {
    const slk_online_rank& rank = memory.rank(r);
    const auto all = static_cast<double>(rank.all_cpu_ns);
    const auto others = static_cast<double>(rank.others_cpu_ns);
    if (rank.cores > 1 || others <= kLeastShare * all) continue;
    findings.add(
        kThreadsAsOne,
        fmt::format("rank {}: {} threads when it called MPI_Finalize, of {} of CPU time {} "
                    "in others than the one that called it",
                    r, rank.threads_at_end, format_time_ns(all), format_time_ns(others)));
  }
}

namespace {

constexpr FindingKind kSampled{
    "sampled_blocks", Severity::notice,
    "The program skipped blocks that it has marked, which were charged the mean time of those that "
    "it executed. What it computed and printed is wrong on purpose."};
constexpr FindingKind kSampledCallsMpi{
    "sampled_block_calls_mpi", Severity::notice,
    "Blocks that are to be sampled call MPI, wait, or read the clock before they end; they were "
    "always executed."};

constexpr FindingKind kUnsampled{"unsampled_blocks", Severity::notice,
                                 "Executions of blocks that are to be sampled and were always "
                                 "executed: a rank samples 256 blocks "
                                 "at most, and all ranks together 256."};
static_assert(SLK_ONLINE_BLOCKS == 256);

using Key = std::pair<std::string, bool>;

/// CPU times of equal executions differ by as much from run to run.
constexpr double kBetweenRuns = 0.02;

/// On one rank, which has skipped `skipped` executions: by the uncertainty of the mean of those
/// that were timed, and of the sums of as many that vary as they do.
double error_ns(const slk_online_sampled& entry, double skipped) {
  const auto runs = static_cast<double>(entry.runs);
  if (skipped <= 0 || runs < 2) return 0;
  // Student's t for 95 %, to within 2 % from eight executions on.
  const double quantile = 1.96 + 2.6 / (runs - 1);
  const double variance = entry.squares / (runs - 1);
  const double within = quantile * std::sqrt(variance * (skipped * skipped / runs + 2 * skipped));
  return within + kBetweenRuns * entry.mean_ns * skipped;
}

void add(std::span<slk_online_sampled> table, bool of_all_ranks, std::int32_t ranks,
         std::map<Key, SampledBlock>& blocks) {
  const double sharing = of_all_ranks ? ranks : 1;
  for (slk_online_sampled& entry : table) {
    entry.name[SLK_ONLINE_NAME - 1] = '\0';
    if (entry.name[0] == '\0') return;
    SampledBlock& block = blocks[{entry.name, of_all_ranks}];
    block.name = entry.name;
    block.of_all_ranks = of_all_ranks;
    block.runs += entry.runs + entry.untimed;
    block.skipped += entry.skipped;
    block.run_ns += entry.mean_ns * static_cast<double>(entry.runs) + entry.untimed_ns;
    block.charged_ns += entry.charged_ns;
    block.error_ns =
        std::max(block.error_ns, error_ns(entry, static_cast<double>(entry.skipped) / sharing));
    block.calls_mpi = block.calls_mpi || entry.calls_mpi != 0;
    block.function = entry.function;
    block.site = entry.site;
    block.unsampled = std::max(block.unsampled, entry.unsampled);
  }
}

}  // namespace

std::vector<SampledBlock> sampled_blocks(SharedMemory& memory, std::int32_t ranks) {
  std::map<Key, SampledBlock> blocks;
  add(memory.file().sampled, true, ranks, blocks);
  for (std::int32_t r = 0; r < ranks; ++r) add(memory.rank(r).sampled, false, ranks, blocks);
  std::vector<SampledBlock> found;
  for (auto& [key, block] : blocks) found.push_back(std::move(block));
  return found;
}

std::uint64_t unsampled_executions(SharedMemory& memory, std::int32_t ranks) {
  std::uint64_t executions = 0;
  for (std::int32_t r = 0; r < ranks; ++r) executions += memory.rank(r).unsampled;
  return executions;
}

std::string sampling_of(const SampledBlock& block) {
  return fmt::format("{}: {} of {} executions, {} of {} of its time", block.name, block.skipped,
                     block.runs + block.skipped, format_time_ns(block.charged_ns),
                     format_time_ns(block.charged_ns + block.run_ns));
}

void note_sampled(const std::vector<SampledBlock>& blocks, std::uint64_t unsampled,
                  Findings& findings) {
  if (unsampled > 0) findings.add(kUnsampled, {}, unsampled);
  for (const SampledBlock& block : blocks) {
    if (block.function != 0) continue;
    if (block.calls_mpi) findings.add(kSampledCallsMpi, block.name);
    if (block.skipped > 0) findings.add(kSampled, sampling_of(block), block.skipped);
  }
}

}  // namespace slackline::online
