#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/findings.h"
#include "online/shared_memory.h"

namespace slackline::online {

/// Throws Error when threads of a rank were in MPI at the same time, which its library tells.
void require_one_thread_in_mpi(SharedMemory& memory);

/// Where ranks wait forever: that another thread of a rank that waits could not have called MPI.
/// Empty if none has started a thread since MPI_Init.
std::string advice_on_threads(SharedMemory& memory, std::int32_t ranks);

/// Notes ranks in which threads computed beside the one that calls MPI.
void note_threads(SharedMemory& memory, std::int32_t ranks, Findings& findings);

/// A block of the program that was executed a number of times and skipped from then on: a marked
/// one (runtime/record/slackline.h), or a function where it is called (online/sampled_functions.h).
struct SampledBlock {
  std::string name{};         ///< file and line, or the program's own name for it
  bool of_all_ranks = false;  ///< one mean for all of them; else one for each
  std::uint64_t runs = 0, skipped = 0;
  double run_ns = 0;      ///< CPU time of the runs, first ones that were not timed as the others
  double charged_ns = 0;  ///< for those that were skipped
  /// How far what was charged on one rank may be from what another run without skipping computes,
  /// with 95 % probability if the skipped executions are as the others were; the largest of any
  /// rank. Two hundredths of it are what equal runs differ by.
  double error_ns = 0;
  bool calls_mpi = false;       ///< was seen to, and not skipped from then on
  std::uint32_t function = 0;   ///< 1 + its number among the functions; 0: a marked block
  std::uint32_t unsampled = 0;  ///< why a function was not skipped (enum slk_online_unsampled)
  std::uint64_t site = 0;       ///< where a function is called: address in the file behind the call
};

/// Those of all ranks, one entry for each block.
std::vector<SampledBlock> sampled_blocks(SharedMemory& memory, std::int32_t ranks);

/// On all ranks: executions of blocks beyond those that can be sampled.
std::uint64_t unsampled_executions(SharedMemory& memory, std::int32_t ranks);

/// "solve: 36 of 40 executions, 360 ms of 400 ms of its time"
std::string sampling_of(const SampledBlock& block);

/// Notes marked blocks.
void note_sampled(const std::vector<SampledBlock>& blocks, std::uint64_t unsampled,
                  Findings& findings);

}  // namespace slackline::online
