#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "calls/call_matching.h"
#include "calls/posted_messages.h"
#include "trace/trace.h"

namespace slackline {

/// All messages that a trace sends, numbered by sender in the order of sending, and queued by
/// stream: from one rank to another with one tag on one communicator, where none overtakes.
class MessageStreams {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Linear, ranks in threads.
  explicit MessageStreams(const Trace& trace);

  /// With the senders' side filled in but for send_done.
  std::vector<MessageCalls>& messages() { return messages_; }
  /// Number of the first message that `rank` sends; for the number of ranks: of all.
  std::uint32_t first_of(std::int32_t rank) const { return first_[static_cast<std::size_t>(rank)]; }
  /// Calls visit(Posted) for every message that a call of sends to an existing rank, in the order
  /// of numbers.
  template <class Visit>
  void for_each_sent(const Call& call, Visit visit) const {
    for_each_send(call, [&](const Posted& p) {
      if (exists(p.peer)) visit(p);
    });
  }
  /// Takes the next message of a stream; kNone when there is none. Streams to different ranks may
  /// be taken from in several threads.
  std::uint32_t take(std::int32_t source, std::int32_t destination, std::int32_t tag,
                     std::uint32_t comm);

 private:
  struct Stream {
    std::int32_t destination = 0;
    std::int32_t tag = 0;
    std::uint32_t comm = 0;
    bool operator==(const Stream&) const = default;
  };
  struct StreamHash {
    std::uint64_t operator()(const Stream& s) const {
      const auto word = [](auto low, auto high) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 |
               static_cast<std::uint32_t>(low);
      };
      return mix_bits(word(s.destination, s.tag) + s.comm * 0x9e3779b97f4a7c15ull);
    }
  };
  struct Queue {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
  };
  using Streams = FlatMap<Stream, Queue, StreamHash>;

  bool exists(std::int32_t rank) const { return rank >= 0 && rank < trace_.ranks(); }
  std::uint32_t count_sends(std::int32_t rank) const;
  void queue_sends(std::int32_t rank);

  const Trace& trace_;
  std::vector<Streams> streams_;        // of each source
  std::vector<std::uint32_t> first_;    // of each source, and of none
  std::vector<MessageCalls> messages_;  // of all
  std::vector<std::uint32_t> next_;     // of each message: the next one of its stream
};

}  // namespace slackline
