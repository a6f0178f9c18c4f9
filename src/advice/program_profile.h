#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "calls/call_paths.h"
#include "calls/computation_code.h"
#include "trace/trace.h"

namespace slackline {

/// What calls of one operation there are, over all ranks.
struct OperationUse {
  std::uint64_t count = 0;
  std::int64_t time_ns = 0;  ///< in the calls; 0 of an untimed trace
};

/// Computation and calls of a program, summed up. Times in ns.
struct ProgramProfile {
  /// Where computation belongs: the call path, and the operation that ends it.
  using Kind = std::pair<PathId, Operation>;

  std::vector<std::int64_t> rank_ns;               ///< computation by rank
  std::vector<std::vector<std::int64_t>> path_ns;  ///< by rank and path, without what it calls
  std::vector<std::int64_t> computing_ns;          ///< by path, of all ranks, without time blocked
  std::map<Kind, std::vector<std::int64_t>> kind_ns;  ///< by rank
  std::array<OperationUse, kOperationCount> operations{};

  std::int64_t mean_ns() const;
};

/// One pass over the calls. Where `paths` are of functions, computation is where `code` has it, in
/// the innermost function of the program's own (own_frame()).
ProgramProfile program_profile(const Trace& trace, const CallPaths& paths,
                               const ComputationCode& code);

}  // namespace slackline
