#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// Calls of one kind that follow each other.
struct CallRun {
  std::uint32_t kind;
  std::uint32_t first_call;
};

/// A rank's calls as a sequence of kinds, numbered from 0 in order of appearance.
struct CallRuns {
  std::vector<CallRun> runs;
  std::uint32_t kinds = 0;
  std::uint32_t end_call = 0;  ///< one after the last call
};

/// What distinguishes kinds of calls.
enum class CallDistinction : std::uint8_t {
  by_partner,  ///< operation, regions and call path, communicator, partner and power of two of the
               ///< size
  by_operation,  ///< operation, regions and call path
};

/// The calls between MPI_Init and MPI_Finalize. Unsuccessful tests and probes are left out, as how
/// many there are is chance. O(calls).
CallRuns call_runs(const Trace& trace, const CallPaths& paths, std::int32_t rank,
                   CallDistinction distinction);

}  // namespace slackline
