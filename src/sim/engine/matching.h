#pragma once

#include <cstdint>
#include <limits>

#include "calls/message_queues.h"
#include "trace/operation.h"

namespace slackline::sim {

using TransferId = MessageId;
using ContextId = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// `source` is kPeerAny for messages of collectives that are received from whoever sends them.
using Channel = MessageChannel;

/// The tag of the messages of the `sequence`-th collective on a communicator, so that they match
/// within a call. Those of (blocking) broadcasts match across calls, as all do in SimGrid, which
/// has broadcasts that leave messages for the next one (bcast::smp_chain).
std::int64_t collective_tag(Operation operation, std::uint32_t sequence);
/// Whether the channel is one of a collective's messages.
bool in_collective(const Channel& channel);
/// The collective that the channel's messages belong to; Operation::send for point-to-point.
Operation operation_of(const Channel& channel);

/// One message, with what the simulation knows of it.
struct Transfer : QueuedMessage {
  std::uint64_t bytes = 0;
  double started = 0;  ///< when it left, in seconds
  ContextId sender_waiting = kNone;
  ContextId receiver_waiting = kNone;
  std::int32_t sender = 0;       ///< the channel's source, until it is sent
  std::uint32_t flight = kNone;  ///< its id in the network, once it has left
  bool left = false, arrived = false;
  bool detached = false;  ///< its sender does not wait for it
};

/// Matches sends with receives (calls/message_queues.h), and answers probes. Cost: O(1) expected a
/// message.
class Matching {
 public:
  /// The oldest posted receive of that channel, which becomes this message's transfer, or a new
  /// transfer that queues until its receive is posted.
  TransferId post_send(const Channel& channel, std::int32_t sender, std::uint64_t bytes);
  /// The oldest send of that channel, or a new transfer that queues until its send is posted.
  TransferId post_receive(const Channel& channel);
  /// The oldest send on that channel that no receive has taken; kNone if there is none.
  TransferId peek(const Channel& channel) const { return queues_.first_send(channel); }

  /// Whether there is such a send on that channel, or on another channel of the two ranks whose tag
  /// MPI_ANY_TAG matches: beside all point-to-point tags that is, in SimGrid, the tag of the
  /// reports of collectives by order of arrival. Cost: O(channels).
  bool can_probe(const Channel& channel) const;

  /// Whether a receive has been posted on that channel that no send has taken.
  bool expects(const Channel& channel) const { return queues_.first_receive(channel) != kNone; }

  Transfer& operator[](TransferId id) { return queues_[id]; }
  const Transfer& operator[](TransferId id) const { return queues_[id]; }
  /// One side is done with the transfer; its id is used again after both are.
  void drop(TransferId id) { queues_.drop(id); }

  /// Calls visit(transfer) for every send and receive that is not matched, in no particular order.
  template <class Visit>
  void for_each_unmatched(Visit visit) const {
    queues_.for_each_queued([&](TransferId id) { visit(queues_[id]); });
  }

 private:
  MessageQueues<Transfer> queues_;
};

}  // namespace slackline::sim
