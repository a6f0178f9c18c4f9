#pragma once

#include <cstdint>
#include <string>

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

}  // namespace slackline::online
