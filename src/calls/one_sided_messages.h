#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "calls/collective_calls.h"
#include "trace/trace.h"

namespace slackline {

/// What a call at a window does, as messages between single ranks.
struct OneSidedStep {
  enum class Kind : std::uint8_t {
    send,     ///< a message to `peer`
    receive,  ///< waits for the message of `peer` with the same id
    request,  ///< asks `peer`'s memory, which answers by itself: `to` bytes go there, `back` return
    answer,   ///< waits for the answer to the request with the same id
  };
  CallIndex call = kNoCall;
  Kind kind = Kind::send;
  std::int32_t peer = -1;
  std::uint32_t id = 0;
  std::uint64_t to = 0;    ///< bytes of a message or request
  std::uint64_t back = 0;  ///< bytes of a request's answer
};

/// The one-sided communication of a trace as messages, so that every model of messages includes it.
/// What all members of a window do together (creating, freeing and fencing it) is a collective and
/// not here.
///
///   - MPI_Put and MPI_Accumulate send their data, which the target waits for where its epoch ends:
///     in its own MPI_Win_fence, or in MPI_Win_wait. Under a lock the target takes no part, and the
///     origin waits for an answer in MPI_Win_unlock or a flush.
///   - What fetches data (MPI_Get) is a request, whose answer the origin waits for where its epoch
///     ends.
///   - MPI_Win_post sends to each origin, which waits for it in MPI_Win_start, as Open MPI
///     and MPICH do within a host; MPI_Win_complete sends to each target, which waits for it in
///     MPI_Win_wait.
///   - Lock contention is not represented: the order of lock acquisitions follows from the recorded
///     times, which edits of a program change.
class OneSidedMessages {
 public:
  OneSidedMessages() = default;
  /// `collectives` and `fences` of the same trace. Linear in calls; 32 bytes per step.
  OneSidedMessages(const Trace& trace, const CollectiveCalls& collectives,
                   const ObjectCollectives& fences);

  /// Those of one call, in the order of execution. Logarithmic.
  std::span<const OneSidedStep> of(std::int32_t rank, CallIndex call) const;
  /// Number of ids: they are 0 to ids() - 1.
  std::uint32_t ids() const { return ids_; }
  /// Transfers that no call ends and, of a timed trace, calls that waited for a lock.
  std::uint64_t left_out() const { return left_out_; }

 private:
  class Writer;

  std::vector<std::vector<OneSidedStep>> by_rank_;  // empty: no such call
  std::uint32_t ids_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace slackline
