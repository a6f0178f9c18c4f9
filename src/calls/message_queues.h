// Matching while a program runs: sends and receives that look for each other.
//
// MPI lets no message overtake another one of its channel: one source, destination, communicator
// and tag. So a channel is a queue, and it holds sends that no receive has taken or receives that
// no send has reached, never both: whoever posts takes the first of the other side, or queues.
//
// Messages have ids into a pool, and carry the links of their queue; a hash table leads from a
// channel to the first message of its queue, in four bytes an entry. A queue that is empty is not
// in the table, so that it stays as small as the largest number of channels in use.
//
// Cost: O(1) for each send and receive.

#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "base/flat_map.h"
#include "base/id_table.h"
#include "base/object_pool.h"

namespace slackline {

/// Between two ranks, with one tag on one communicator. Who expands collectives into messages gives
/// them tags of their own.
struct MessageChannel {
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::int64_t tag = 0;
  std::uint32_t comm = 0;

  bool operator==(const MessageChannel&) const = default;
};

struct MessageChannelHash {
  std::uint64_t operator()(const MessageChannel& c) const {
    const auto ranks = static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.source)) << 32 |
                       static_cast<std::uint32_t>(c.destination);
    const auto rest = static_cast<std::uint64_t>(c.tag) ^ static_cast<std::uint64_t>(c.comm) << 40;
    return mix_bits(ranks ^ mix_bits(rest));
  }
};

using MessageId = std::uint32_t;
inline constexpr MessageId kNoMessage = std::numeric_limits<std::uint32_t>::max();

/// What MessageQueues knows of a message, from the moment either side has posted it until both
/// sides are done with it. The messages of a program's execution derive from it.
struct QueuedMessage {
  MessageChannel channel{};
  MessageId next = kNoMessage;  ///< in its queue
  MessageId last = kNoMessage;  ///< of its queue, if it is the first
  bool send_posted = false;
  bool receive_posted = false;
  std::uint8_t references = 0;  ///< sides that are not done with it
};

/// The queues of all channels. `Message` derives from QueuedMessage.
template <class Message>
class MessageQueues {
 public:
  /// The receive that waited for this send, or a new message that queues: its `receive_posted`
  /// tells.
  MessageId post_send(const MessageChannel& channel) {
    const MessageId id = meet(channel, &QueuedMessage::receive_posted);
    messages_[id].send_posted = true;
    return id;
  }
  /// The send that waited for this receive, or a new message that queues: its `send_posted` tells.
  MessageId post_receive(const MessageChannel& channel) {
    const MessageId id = meet(channel, &QueuedMessage::send_posted);
    messages_[id].receive_posted = true;
    return id;
  }

  /// The oldest of the channel's queue that nobody has taken; kNoMessage if it is empty.
  MessageId first(const MessageChannel& channel) const {
    return first_of(channel, MessageChannelHash{}(channel));
  }
  /// The same if it is a send.
  MessageId first_send(const MessageChannel& channel) const {
    const MessageId id = first(channel);
    return id != kNoMessage && messages_[id].send_posted ? id : kNoMessage;
  }
  /// The same if it is a receive.
  MessageId first_receive(const MessageChannel& channel) const {
    const MessageId id = first(channel);
    return id != kNoMessage && messages_[id].receive_posted ? id : kNoMessage;
  }

  Message& operator[](MessageId id) { return messages_[id]; }
  const Message& operator[](MessageId id) const { return messages_[id]; }

  /// Takes a message out of its queue, if it is in one: whoever comes later meets the next one.
  /// Linear in the length of the queue.
  void remove(MessageId id) {
    const MessageChannel& channel = messages_[id].channel;
    const std::uint64_t hash = MessageChannelHash{}(channel);
    const MessageId first = first_of(channel, hash);
    if (first == id) return pop(first, hash);
    for (MessageId at = first; at != kNoMessage; at = messages_[at].next) {
      if (messages_[at].next != id) continue;
      messages_[at].next = std::exchange(messages_[id].next, kNoMessage);
      if (messages_[first].last == id) messages_[first].last = at;
      return;
    }
  }

  /// One side is done with the message; its id is used again after the second.
  void drop(MessageId id) {
    if (--messages_[id].references == 0) messages_.release(id);
  }
  /// Both sides are done with it.
  void drop_whole(MessageId id) { messages_.release(id); }

  /// Calls visit(id) for the first message of every queue, in no particular order.
  template <class Visit>
  void for_each_queue(Visit visit) const {
    queues_.for_each(visit);
  }
  /// Calls visit(id) for every message that has only one side.
  template <class Visit>
  void for_each_queued(Visit visit) const {
    queues_.for_each([&](MessageId first) {
      for (MessageId id = first; id != kNoMessage; id = messages_[id].next) visit(id);
    });
  }

 private:
  auto hash_of() const {
    return [this](MessageId id) { return MessageChannelHash{}(messages_[id].channel); };
  }

  MessageId first_of(const MessageChannel& channel, std::uint64_t hash) const {
    return queues_.find(hash, [&](MessageId id) { return messages_[id].channel == channel; });
  }

  /// The first of the channel's queue, if it is of the other side; else a new one, which queues.
  MessageId meet(const MessageChannel& channel, bool QueuedMessage::*other_side) {
    const std::uint64_t hash = MessageChannelHash{}(channel);
    const MessageId first = first_of(channel, hash);
    if (first != kNoMessage && messages_[first].*other_side) {
      pop(first, hash);
      return first;
    }
    const MessageId id = messages_.acquire();
    messages_[id].channel = channel;
    messages_[id].references = 2;
    push(first, id, hash);
    return id;
  }

  void push(MessageId first, MessageId id, std::uint64_t hash) {
    if (first == kNoMessage) {
      messages_[id].last = id;
      return queues_.insert(hash, id, hash_of());
    }
    messages_[messages_[first].last].next = id;
    messages_[first].last = id;
  }

  void pop(MessageId first, std::uint64_t hash) {
    const MessageId next = std::exchange(messages_[first].next, kNoMessage);
    if (next == kNoMessage) return queues_.erase(hash, first, hash_of());
    messages_[next].last = messages_[first].last;
    queues_.replace(hash, first, next);
  }

  IdTable queues_;  // the first of each
  ObjectPool<Message> messages_;
};

}  // namespace slackline
