#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/flat_map.h"
#include "base/id_table.h"
#include "base/object_pool.h"
#include "trace/operation.h"

namespace slackline::sim {

using TransferId = std::uint32_t;
using ContextId = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Where messages queue: between two ranks, of one communicator and tag. `source` is kPeerAny for
/// messages of collectives that are received from whoever sends them.
struct Channel {
  std::int32_t source = 0, destination = 0;
  std::int64_t tag = 0;
  std::uint32_t comm = 0;

  bool operator==(const Channel&) const = default;
};

/// The tag of the messages of the `sequence`-th collective on a communicator, so that they match
/// within a call. Those of (blocking) broadcasts match across calls, as all do in SimGrid, which
/// has broadcasts that leave messages for the next one (bcast::smp_chain).
std::int64_t collective_tag(Operation operation, std::uint32_t sequence);
/// Whether the channel is one of a collective's messages.
bool in_collective(const Channel& channel);
/// The collective that the channel's messages belong to; Operation::send for point-to-point.
Operation operation_of(const Channel& channel);

/// One message, from the moment either side has posted it until both sides are done with it.
struct Transfer {
  Channel channel{};
  std::uint64_t bytes = 0;
  double started = 0;  ///< when it left, in seconds
  ContextId sender_waiting = kNone;
  ContextId receiver_waiting = kNone;
  std::int32_t sender = 0;       ///< the channel's source, until it is sent
  TransferId next = kNone;       ///< the one after it in its queue
  TransferId last = kNone;       ///< the last one of its queue, if it is the first
  std::uint32_t flight = kNone;  ///< its id in the network, once it has left
  bool sent = false, posted = false;
  bool left = false, arrived = false;
  bool detached = false;        ///< its sender does not wait for it
  std::uint8_t references = 0;  ///< sides that are not done with it
};

/// Matches sends with receives, in the order in which each rank posts them (MPI 4.0, section 3.5).
/// A channel's queue holds either sends or receives, never both. Cost: O(1) expected a message.
class Matching {
 public:
  /// The oldest posted receive of that channel, which becomes this message's transfer, or a new
  /// transfer that queues until its receive is posted.
  TransferId post_send(const Channel& channel, std::int32_t sender, std::uint64_t bytes);
  /// The oldest send of that channel, or a new transfer that queues until its send is posted.
  TransferId post_receive(const Channel& channel);
  /// The oldest send on that channel that no receive has taken; kNone if there is none.
  TransferId peek(const Channel& channel) const;

  /// Whether there is such a send on that channel, or on another channel of the two ranks whose tag
  /// MPI_ANY_TAG matches: beside all point-to-point tags that is, in SimGrid, the tag of the
  /// reports of collectives by order of arrival. Cost: O(channels).
  bool can_probe(const Channel& channel) const;

  /// Whether a receive has been posted on that channel that no send has taken.
  bool expects(const Channel& channel) const;

  Transfer& operator[](TransferId id) { return transfers_[id]; }
  const Transfer& operator[](TransferId id) const { return transfers_[id]; }
  /// One side is done with the transfer; its id is used again after both are.
  void drop(TransferId id);

  /// Calls visit(transfer) for every send and receive that is not matched, in no particular order.
  template <class Visit>
  void for_each_unmatched(Visit visit) const {
    queues_.for_each([&](TransferId first) {
      for (TransferId id = first; id != kNone; id = transfers_[id].next) visit(transfers_[id]);
    });
  }

 private:
  static std::uint64_t hash(const Channel& c) {
    const auto ranks = static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.source)) << 32 |
                       static_cast<std::uint32_t>(c.destination);
    const auto rest = static_cast<std::uint64_t>(c.tag) ^ static_cast<std::uint64_t>(c.comm) << 40;
    return mix_bits(ranks ^ mix_bits(rest));
  }
  auto hash_of() const {
    return [this](TransferId id) { return hash(transfers_[id].channel); };
  }

  TransferId first_of(const Channel& channel, std::uint64_t hash) const;
  TransferId meet(const Channel& channel, bool Transfer::*other_side);
  TransferId create(const Channel& channel);
  void pop(TransferId first, std::uint64_t hash);
  void push(TransferId first, TransferId id, std::uint64_t hash);

  IdTable queues_;  ///< the first transfer of each queue, by its channel
  ObjectPool<Transfer> transfers_;
};

}  // namespace slackline::sim
