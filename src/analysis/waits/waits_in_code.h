#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/waits/delay_costs.h"
#include "analysis/waits/wait_states.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// Waiting of one pattern in one operation of one rank, at one place in the code.
struct WaitInCode {
  /// What caused most of it, directly or through the waiting of others.
  struct Cause {
    std::int32_t rank = -1;  ///< -1: not known
    FrameId frame = 0;       ///< of computation the line at which most of it ended; 0 not known
    double share = 0;        ///< the part of the waiting that comes from there
  };

  WaitPattern pattern = WaitPattern::late_sender;
  Operation operation = Operation::none;
  std::int32_t rank = 0;
  FrameId frame = 0;  ///< of the call that waits; 0 not known
  PathId path = 0;    ///< its path, of `names`
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  Cause cause{};
};

/// Collects, while delay_costs() runs over the same waits and names, what waits_in_code() returns.
class WaitsInCodeCollector : public DelayVisitor {
 public:
  /// All waiting by place, largest first. To be called once, after delay_costs().
  virtual std::vector<WaitInCode> take() = 0;
};
/// The arguments must outlive the collector.
std::unique_ptr<WaitsInCodeCollector> collect_waits_in_code(const Trace& trace,
                                                            const WaitStates& waits,
                                                            const CallActivities& names,
                                                            const Samples* samples);

/// All waiting by place, largest first. `names`: activities by functions where call paths were
/// recorded. As much work as delay_costs().
std::vector<WaitInCode> waits_in_code(const Trace& trace, const CallMatching& matching,
                                      const WaitStates& waits, const CallActivities& names,
                                      const Samples* samples);

}  // namespace slackline
