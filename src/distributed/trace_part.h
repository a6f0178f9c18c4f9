#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_matching.h"
#include "calls/run_span.h"
#include "parallel/process_group.h"
#include "trace/rank_range.h"
#include "trace/trace.h"

namespace slackline {

/// What one process has of a trace that several share: all calls of its own ranks, and of the other
/// ranks those calls that its own deal with (partner calls), so that what is asked of its own ranks
/// and their partners is answered as in the whole trace (CallMatching of `own`).
struct TracePart {
  Trace trace;
  RankRange own;
  std::vector<RankRange> ranks_of;  ///< each process's own
  std::vector<RankExtent> extents;  ///< of all ranks
  /// By process and own rank (from own.first on): the calls that are partner calls there, in order.
  std::vector<std::vector<std::vector<CallIndex>>> partners_at;

  std::size_t own_count() const { return static_cast<std::size_t>(own.end - own.first); }
  std::uint64_t call_count() const;  ///< of all ranks
};

/// Makes it of a trace that has the calls of this process's ranks only. All processes call it
/// together. Linear in the calls; partner calls cross in the blocks of the native format, two or
/// three bytes a call.
TracePart share_partner_calls(Trace own_calls, std::vector<RankRange> ranks_of,
                              ProcessGroup& group);

}  // namespace slackline
