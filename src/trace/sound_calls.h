#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/time_order.h"
#include "trace/trace.h"

namespace slackline {

/// Whether a rank's calls, block by block, are such that mend_time_order() and limit_nesting()
/// would leave them as they are: for readers that never have the whole trace.
class SoundCalls {
 public:
  SoundCalls(const Trace& job, std::int32_t rank)
      : timed_(job.timed()), start_ns_(job.calls(rank).start_ns()) {}

  /// The next calls, with their region events. False from the first block on that is not so.
  bool add(const RankCalls& calls);

 private:
  const bool timed_;
  const std::int64_t start_ns_;
  TimeOrder order_;
  std::size_t open_regions_ = 0;
  bool sound_ = true;
};

/// Whether no call path is deeper than limit_nesting() allows. O(frames).
bool keeps_nesting_limit(const CallTree& tree);

}  // namespace slackline
