#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// Calls that wait; a test or probe that succeeds at once does not.
bool can_wait(Operation operation);

/// The waiting of one rank for messages, call by call in program order.
class MessageWaits {
 public:
  /// Keeps references; appends to `states`, which nobody else shortens or reorders.
  MessageWaits(const Trace& trace, const CallMatching& matching, const WaitOptions& options,
               std::int32_t rank, std::vector<WaitState>& states);

  /// A message that `call` receives, and one whose sending it completes.
  void incoming(CallIndex call, std::uint32_t id);
  void outgoing(CallIndex call, std::uint32_t id);
  /// To be called after all of the call's messages: appends what it waited for them, at most one
  /// state, and none where it waited `others_ns` for something else and no longer for them. Returns
  /// whether it did.
  bool finish_call(std::int64_t others_ns);

  std::uint64_t clipped() const { return clipped_; }  ///< as WaitStates
  std::int64_t clipped_ns() const { return clipped_ns_; }

 private:
  struct LateSender {
    std::size_t state;
    std::int64_t sent_ns;
  };

  std::int64_t late_receiver_ns(const MessageCalls& m) const;
  const WaitState& longest() const;
  std::int64_t sent_ns(const MessageCalls& m) const;
  void note_order(const MessageCalls& m);
  void remember();

  const Trace& trace_;
  const CallMatching& matching_;
  const WaitOptions& options_;
  const std::int32_t rank_;
  std::vector<WaitState>& states_;
  std::uint64_t clipped_ = 0;
  std::int64_t clipped_ns_ = 0;
  WaitState late_sender_;
  WaitState late_receiver_;
  bool receiver_is_known_ = false;  // the protocol says that the late receiver was waited for
  std::int64_t late_sent_ns_ = 0;
  std::vector<LateSender> remembered_;  // late senders that wrong order is looked for in
  std::int64_t latest_sent_ns_ = 0;     // of these
};

}  // namespace slackline
