#pragma once

#include <cstdint>
#include <optional>

#include "oracle/linear_program.h"
#include "trace/goal/program.h"

namespace slackline::oracle {

/// The makespan of a GOAL program as a linear program with a start and an end for each operation,
/// solved by CLP: messages of more than `eager_bytes` by LLAMP's rendezvous with RDMA read
/// (appendix B, Figures 14 and 15). Knows no order of the operations. Empty: it deadlocks.
std::optional<LinearProgramAnswer> minimise_goal_by_rdma_read(const GoalProgram& program,
                                                              std::uint64_t eager_bytes,
                                                              const LogGPS& model,
                                                              Parameter parameter);

}  // namespace slackline::oracle
