#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/paths/call_activities.h"
#include "base/keyed_rows.h"
#include "calls/computation_code.h"
#include "calls/run_part.h"
#include "trace/trace.h"

namespace slackline {

/// Where in an activity a late rank loses its time.
struct SampledCause {
  FrameId frame = 0;  ///< the function's line with the most samples; 0: not known
  double share = 1;   ///< of the activity's excess that is this function's
};

/// A rank and its computation in a call path.
using LateComputation = std::pair<std::int32_t, PathId>;

/// Computation of a late rank at a frame, or that of all ranks together (rank -1) in a function,
/// the number of which `frame` is.
struct CausePlace {
  PathId path;
  std::int32_t rank;
  FrameId frame;
  auto operator<=>(const CausePlace&) const = default;
};
/// How long, in ns.
using SampledCauseTime = KeyedSum<CausePlace, std::int64_t>;

/// Finds for some late ranks the function on which each spends more time than the mean rank, most
/// of all, or, if there is none, the longest; from all parts of a run. Only functions of the
/// program's own count, with all that they call (own_frame()).
class SampledCauses {
 public:
  /// `tree` and `ranks`: of the run. O(frames).
  SampledCauses(const CallTree& tree, std::int32_t ranks, std::span<const LateComputation> causes);

  /// `names` and `code`: of `trace`, a part of the run. Ascending. O(calls) and as many places.
  std::vector<SampledCauseTime> times_of(const Trace& trace, const CallActivities& names,
                                         const ComputationCode& code, const RunPart& part) const;
  /// For those of the causes for which a function is known. `times`: of the whole run, ascending.
  std::map<LateComputation, SampledCause> find(std::span<const SampledCauseTime> times) const;

 private:
  using Function = std::uint32_t;  // number of a name and file
  SampledCause find(std::span<const SampledCauseTime> times, const LateComputation& cause) const;

  std::int32_t ranks_;
  std::vector<LateComputation> causes_;
  std::vector<FrameId> own_;         // of every frame
  std::vector<Function> functions_;  // of every frame
};

}  // namespace slackline
