#include "online/rank_threads.h"

#include <fmt/format.h>

#include <atomic>
#include <fstream>

#include "base/error.h"
#include "base/units.h"

namespace slackline::online {
namespace {

constexpr FindingKind kThreadsAsOne{
    "threads_charged_as_one", Severity::notice,
    "Ranks computed in several threads. Each rank has one simulated processor: its computation is "
    "the CPU time of all its threads together, as if one did the work of all."};

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
  throw Error(
      fmt::format("cannot simulate the program: threads of rank {} call MPI at the same time",
                  rank - 1),
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
    if (others <= kLeastShare * all) continue;
    findings.add(
        kThreadsAsOne,
        fmt::format("rank {}: {} threads when it called MPI_Finalize, of {} of CPU time {} "
                    "in others than the one that called it",
                    r, rank.threads_at_end, format_time_ns(all), format_time_ns(others)));
  }
}

}  // namespace slackline::online
