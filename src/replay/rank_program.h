#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calls/call_matching.h"
#include "replay/communicator_plan.h"
#include "replay/object_plans.h"
#include "replay/replay_file.h"
#include "trace/trace.h"

namespace slackline {

/// What one process re-enacts.
struct RankProgram {
  std::string bytes;               ///< its part of the file, as trace/replay_wire.h has it
  std::vector<CallIndex> calls{};  ///< of each step, the call of the trace that it stands for
  std::uint64_t shapes = 0;        ///< different calls
};

/// The largest message of any rank's receives, by rank.
std::vector<std::uint64_t> largest_received(const Trace& trace, const CallMatching& matching);

/// How what several ranks share is made again.
struct ReplayPlans {
  CommunicatorPlan communicators;
  WindowPlan windows;
  FilePlan files;
};

/// One rank's part. The trace is one that check_replayable() accepts. Throws Error for calls whose
/// arguments are not known, and for blocks larger than MPI takes in one call.
RankProgram rank_program(const Trace& trace, const ReplayPlans& plans, std::int32_t rank,
                         std::int64_t run_begin_ns, std::uint64_t largest_received,
                         const ReplayOptions& options);

}  // namespace slackline
