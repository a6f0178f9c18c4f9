#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "graph/build.h"
#include "graph/graph_builder.h"
#include "graph/protocol.h"

namespace slackline {

/// Where messages queue: between two ranks, of one communicator and tag. Collectives use tags of
/// their own, one per call, so that outstanding ones do not mix.
struct ChannelKey {
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::int64_t tag = 0;
  std::uint32_t comm = 0;

  bool operator==(const ChannelKey&) const = default;
};

/// Tag of the messages of a communicator's collective number `sequence`, counted from 0: below all
/// tags that MPI allows.
constexpr std::int64_t collective_tag(std::uint32_t sequence) {
  return -1'000'000'000'000 - std::int64_t{sequence};
}
/// "tag 5", or "collective 3 on communicator 0": what a message of that channel belongs to.
std::string describe_tag(const ChannelKey& key);

using TransferId = std::uint32_t;
using StrandId = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// One message, from the moment either side has posted it until both sides have completed it.
struct Transfer : Message {
  StrandId receiver_waiting = kNone;
  StrandId sender_waiting = kNone;
  TransferId next = kNone;  ///< in its channel's queue
  ChannelKey key{};
  bool has_send = false;
  bool has_receive = false;
  bool receive_released = false;  ///< given up: completes without its message
  bool send_released = false;
  std::uint8_t references = 0;  ///< sides that have not completed yet
};

/// Matching of sends and receives, in the order in which each rank posts them (MPI's rule: messages
/// between two ranks on one communicator and tag do not overtake).
///
/// A queue holds either sends or receives without partner, never both, and disappears when it is
/// empty and no probe waits for it.
class TransferTable {
 public:
  TransferTable(GraphBuilder& builder, const GraphOptions& options)
      : builder_(builder), options_(options) {}

  /// `sent` is the vertex where the sender hands over. `synchronous`: rendezvous whatever the size;
  /// `buffered`: eager whatever the size.
  TransferId post_send(const ChannelKey& key, VertexId sent, std::uint32_t call,
                       std::uint64_t bytes, bool synchronous, bool buffered);
  TransferId post_receive(const ChannelKey& key, const PathPoint& posted);
  /// The oldest send of that queue that no receive has taken; kNone if there is none.
  TransferId peek_send(const ChannelKey& key);
  /// Strand to wake when a send arrives in that (empty) queue.
  void wait_for_arrival(const ChannelKey& key, StrandId strand);

  Transfer& operator[](TransferId id) { return transfers_[id]; }
  const Transfer& operator[](TransferId id) const { return transfers_[id]; }
  bool receive_ready(TransferId id) const {
    const Transfer& t = transfers_[id];
    return t.receive_after != kNoVertex || t.receive_released;
  }
  bool send_ready(TransferId id) const {
    const Transfer& t = transfers_[id];
    return !t.rendezvous || t.send_after != kNoVertex || t.send_released;
  }
  /// The message edge into the completion of receive `id`.
  Edge receive_edge(TransferId id) const { return slackline::receive_edge(transfers_[id]); }
  /// The edge into the completion of rendezvous send `id`.
  Edge send_edge(TransferId id) const {
    return slackline::send_edge(transfers_[id], options_.rendezvous);
  }

  /// Gives up waiting: the receive completes without a message and takes none any more.
  void release_receive(TransferId id);
  /// The rendezvous send completes as if it were eager.
  void release_send(TransferId id);
  /// One side has completed or been forgotten; the transfer's slot is reused after the second.
  void drop(TransferId id);

  /// Strands that can go on since the last call of take_woken().
  std::vector<StrandId>& woken() { return woken_; }
  /// Sends that no receive has taken.
  template <class Visit>
  void for_each_unreceived(Visit visit) {
    channels_.for_each([&](const ChannelKey&, Channel& channel) {
      for (TransferId id = channel.head; id != kNone; id = transfers_[id].next) {
        if (transfers_[id].has_send) visit(transfers_[id]);
      }
    });
  }

 private:
  struct Channel {
    TransferId head = kNone;
    TransferId tail = kNone;
    StrandId arrival_waiter = kNone;
  };
  struct KeyHash {
    std::uint64_t operator()(const ChannelKey& k) const {
      const auto low = static_cast<std::uint64_t>(static_cast<std::uint32_t>(k.source)) << 32 |
                       static_cast<std::uint32_t>(k.destination);
      const auto high = static_cast<std::uint64_t>(k.tag) ^ static_cast<std::uint64_t>(k.comm)
                                                                << 40;
      return mix_bits(low ^ mix_bits(high));
    }
  };

  TransferId create(const ChannelKey& key);
  void push(Channel& channel, TransferId id);
  TransferId pop(const ChannelKey& key, Channel& channel);
  void matched(TransferId id);
  void wake(StrandId& waiting);

  GraphBuilder& builder_;
  const GraphOptions& options_;
  FlatMap<ChannelKey, Channel, KeyHash> channels_;
  std::vector<Transfer> transfers_;
  std::vector<TransferId> free_;
  std::vector<StrandId> woken_;
};

}  // namespace slackline
