#pragma once

#include "sim/engine/context_order.h"
#include "sim/engine/context_scheduler.h"
#include "sim/engine/requests.h"
#include "sim/engine/statistics.h"
#include "sim/network/network.h"
#include "sim/network/network_model.h"

namespace slackline::sim {

/// Sending and receiving: by which rules messages are posted and leave; see message_passing.cc.
/// Cost: O(1) a message beside the network's.
class MessagePassing {
 public:
  /// All must outlive it; `order` may be nullptr.
  MessagePassing(const NetworkModel& model, ContextScheduler& contexts, Matching& matching,
                 Network& network, Overheads& overheads, Requests& requests,
                 TimeAccounting& accounting, ContextOrder* order);

  /// Starts a send or receive of a running context, which thereafter may wait.
  void start(ExecutionContext& context, const Message& message);
  /// Starts the next message of the context's queue, or after the last waits for what they have
  /// left outstanding. False when there is no queue.
  bool start_queued(ExecutionContext& context);
  /// The overhead of the context's outgoing send has been paid.
  void overhead_paid(ExecutionContext& context);

  /// The context's outgoing message is posted now; for a ContextOrder that takes over posting.
  void post_now(ExecutionContext& context);
  /// The context's outgoing message is posted, and what to wait for is `request`.
  void started(ExecutionContext& context, const Request& request);
  /// The channel of the context's outgoing message.
  static Channel channel_of(const ExecutionContext& context);

 private:
  void begin_send(ExecutionContext& context);
  double send_overhead(const ExecutionContext& context);
  void post(ExecutionContext& context);
  void post_send(ExecutionContext& context);
  void post_receive(ExecutionContext& context);
  void leave(TransferId id, const ExecutionContext& by);
  void finish_posting(ExecutionContext& context, const Request& request);

  const NetworkModel& model_;
  ContextScheduler& contexts_;
  Matching& matching_;
  Network& network_;
  Overheads& overheads_;
  Requests& requests_;
  TimeAccounting& accounting_;
  ContextOrder* const order_;
  ContextOrder* const poster_;  ///< `order_` if that posts messages itself
};

}  // namespace slackline::sim
