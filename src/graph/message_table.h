#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "calls/message_queues.h"
#include "graph/build.h"
#include "graph/graph_builder.h"
#include "graph/message_log.h"
#include "graph/protocol.h"

namespace slackline {

/// Tag of the messages of a communicator's collective number `sequence`, counted from 0: below all
/// tags that MPI allows.
constexpr std::int64_t collective_tag(std::uint32_t sequence) {
  return -1'000'000'000'000 - std::int64_t{sequence};
}
/// Tags of the messages of a collective at a window or a file, and of one-sided communication, by
/// the number of the collective or message.
constexpr std::int64_t object_tag(std::uint32_t id) {
  return -2'000'000'000'000 - std::int64_t{id};
}
constexpr std::int64_t one_sided_tag(std::uint32_t id) {
  return -3'000'000'000'000 - std::int64_t{id};
}
/// "tag 5", or "collective 3 on communicator 0": what a message of that channel belongs to.
std::string describe_tag(const MessageChannel& channel);

using ContextId = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// One message of the program, with what the graph knows of its two sides.
struct MessageState : QueuedMessage, Message {
  ContextId receiver_waiting = kNone;
  ContextId sender_waiting = kNone;
  std::uint64_t size = 0;           ///< as the program has it; `bytes` is what it costs
  std::uint32_t log_index = kNone;  ///< in the MessageLog, if there is one
  bool receive_released = false;    ///< given up: completes without its message
  bool send_released = false;
  bool synchronous = false;  ///< a rendezvous whatever its size
};

/// The messages of a program that is being executed: matched as MPI does (message_queues.h), with
/// the protocol's vertices written when both sides are known.
class MessageTable {
 public:
  /// `log`: if not null, all messages are handed over as eager ones and written there.
  MessageTable(GraphBuilder& builder, const GraphOptions& options, MessageLog* log)
      : builder_(builder), options_(options), log_(log) {}

  /// Whether a send waits for its receiver; see post_send().
  bool waits(std::uint64_t bytes, bool synchronous, bool buffered) const {
    return !buffered && (synchronous || bytes > options_.eager_threshold_bytes);
  }
  /// `sent` is the vertex where the sender hands over. `synchronous`: rendezvous whatever the size;
  /// `buffered`: eager whatever the size.
  MessageId post_send(const MessageChannel& channel, VertexId sent, std::uint32_t call,
                      std::uint64_t bytes, bool synchronous, bool buffered);
  MessageId post_receive(const MessageChannel& channel, const PathPoint& posted);
  /// The oldest send of that channel that no receive has taken; kNoMessage if there is none.
  MessageId peek_send(const MessageChannel& channel) const { return queues_.first_send(channel); }
  /// Context to wake when a send arrives on that channel, whose queue is empty.
  void wait_for_arrival(const MessageChannel& channel, ContextId context) {
    arrival_waiters_[channel] = context;
  }

  MessageState& operator[](MessageId id) { return queues_[id]; }
  const MessageState& operator[](MessageId id) const { return queues_[id]; }
  bool receive_ready(MessageId id) const {
    const MessageState& t = queues_[id];
    return t.receive_after != kNoVertex || t.receive_released;
  }
  bool send_ready(MessageId id) const {
    const MessageState& t = queues_[id];
    return !t.rendezvous || t.send_after != kNoVertex || t.send_released;
  }
  /// The message edge into the completion of receive `id`.
  Edge receive_edge(MessageId id) const { return slackline::receive_edge(queues_[id]); }
  /// The edge into the completion of rendezvous send `id`.
  Edge send_edge(MessageId id) const {
    return slackline::send_edge(queues_[id], options_.rendezvous);
  }

  /// Gives up waiting: the receive completes without a message and takes none any more.
  void release_receive(MessageId id);
  /// The rendezvous send completes as if it were eager.
  void release_send(MessageId id);
  /// One side has completed or been forgotten; the message's slot is reused after the second.
  void drop(MessageId id);

  /// Contexts that can go on since the last call of take_woken().
  std::vector<ContextId>& woken() { return woken_; }
  /// Calls visit(message) for sends that no receive has taken.
  template <class Visit>
  void for_each_unreceived(Visit visit) const {
    queues_.for_each_queued([&](MessageId id) {
      if (queues_[id].send_posted) visit(queues_[id]);
    });
  }

 private:
  void matched(MessageId id);
  void log_send(MessageState& message);
  void hand_over(MessageState& message);
  void wake(ContextId& waiting);
  void wake_arrival_waiter(const MessageChannel& channel);

  GraphBuilder& builder_;
  const GraphOptions& options_;
  MessageLog* log_;
  MessageQueues<MessageState> queues_;
  FlatMap<MessageChannel, ContextId, MessageChannelHash> arrival_waiters_;
  std::vector<ContextId> woken_;
};

}  // namespace slackline
