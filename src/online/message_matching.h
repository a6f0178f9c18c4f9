#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "calls/message_queues.h"
#include "trace/trace.h"

namespace slackline::online {

/// A message as its receiver will know it.
struct SentMessage {
  std::int32_t source = kPeerNone;  ///< world rank
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t data = 0;  ///< block in the SharedMemory
};

/// A receive that has been posted: whose, and which of its requests (0: a call that blocks).
struct PostedReceive {
  std::int32_t source = kPeerAny;
  std::int32_t tag = kTagAny;
  std::int32_t rank = 0;
  std::uint32_t request = 0;
};

/// Matches sends and receives in the order of simulated time, wildcards included, and gives each
/// pair a number of its own, by which the engine then matches it. Cost: what is queued for a rank
/// on a communicator.
class MessageMatching {
 public:
  struct Match {
    std::int64_t number = 0;
    std::optional<PostedReceive> receive{};  ///< of a send: who gets it, if known
    std::optional<SentMessage> message{};    ///< of a receive: what it gets, if known
  };
  Match post_send(std::int32_t destination, std::uint32_t comm, const SentMessage& message);
  Match post_receive(std::uint32_t comm, const PostedReceive& receive);
  /// A number that no pair has.
  std::int64_t new_number() { return ++last_number_; }
  /// Forgets the receive, unless it has been matched; returns its number, or 0.
  std::int64_t cancel_receive(std::uint32_t comm, const PostedReceive& receive);
  /// Forgets the message with that block, unless it has been matched; returns its number, or 0.
  std::int64_t cancel_send(std::int32_t destination, std::uint32_t comm, std::uint64_t data);
  /// The channel with the source and tag that its receive asks for, or its send has, where it has
  /// not been matched; else as it is. `channel`: the destination, the communicator, and as tag the
  /// pair's number.
  MessageChannel as_asked_for(MessageChannel channel) const;
  /// The oldest message that a receive like that would get.
  std::optional<SentMessage> find(std::uint32_t comm, const PostedReceive& receive) const;

 private:
  template <class Item>
  struct Numbered {
    std::int64_t number;
    Item item;
  };
  struct Queues {
    std::deque<Numbered<SentMessage>> messages{};
    std::deque<Numbered<PostedReceive>> receives{};
  };
  std::map<std::pair<std::int32_t, std::uint32_t>, Queues> queues_;  // by destination and comm
  std::int64_t last_number_ = 0;
};

}  // namespace slackline::online
