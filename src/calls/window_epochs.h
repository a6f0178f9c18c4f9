#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_matching.h"
#include "calls/window_waits.h"
#include "trace/trace.h"

namespace slackline {

/// MPI_Win_start to MPI_Win_complete, or MPI_Win_post to a successful MPI_Win_wait or
/// MPI_Win_test.
struct WindowEpoch {
  std::uint32_t comm = 0;
  CallIndex open = kNoCall;
  CallIndex close = kNoCall;          ///< kNoCall: there is none
  std::vector<std::int32_t> group{};  ///< world ranks; empty: not told
  std::vector<CallIndex> tests{};     ///< that failed
};

/// A one-sided call that moves data.
struct WindowTransfer {
  CallIndex call = kNoCall;
  std::uint32_t comm = 0;
  std::int32_t target = -1;
  std::uint64_t bytes = 0;
  bool fetches = false;  ///< the origin gets data
  /// The call of the origin that ends the transfer: MPI_Win_fence, MPI_Win_complete,
  /// MPI_Win_unlock, or an earlier flush. kNoCall: there is none.
  CallIndex close = kNoCall;
};

/// One rank's, in program order; locks by their unlock, those without one left out.
struct RankEpochs {
  std::vector<WindowEpoch> access{};
  std::vector<WindowEpoch> exposure{};
  std::vector<LockEpoch> locks{};
  std::vector<WindowTransfer> transfers{};
};

/// An access epoch and the exposure epoch of one of its targets.
struct EpochMatch {
  std::int32_t origin;
  std::size_t access;  ///< index into RankEpochs::access of the origin
  std::int32_t target;
  std::size_t exposure;  ///< index into RankEpochs::exposure of the target
};

/// All epochs at windows of a trace, and which of post, start, complete and wait belong together:
/// the k-th start of an origin that names a target belongs to the k-th post of that target that
/// names the origin. Groups are the arguments of post and start; where these are missing, the
/// targets of an epoch are those of its transfers, else all ranks that post.
///
/// Windows are told apart by their communicators. Linear in calls.
class WindowEpochs {
 public:
  explicit WindowEpochs(const Trace& trace);

  bool empty() const { return by_rank_.empty(); }
  const std::vector<RankEpochs>& by_rank() const { return by_rank_; }  ///< empty: no such call
  /// Those of all ranks.
  std::vector<LockEpoch> locks() const;
  /// By origin and access epoch.
  const std::vector<EpochMatch>& matches() const { return matches_; }

 private:
  std::vector<RankEpochs> by_rank_;
  std::vector<EpochMatch> matches_;
};

}  // namespace slackline
