// Which receive got which send, when every receive names its source and tag.
//
// The problem: the k-th send of a stream (one source, destination, tag and communicator) belongs to
// its k-th receive, in programs with many millions of messages. The idea: each rank, alone, sorts
// its sends and receives into streams, each in the order of its program (a counting sort: the
// stream of each message, then its place). Then each rank looks up, for each stream that it
// receives from, the one that its source sends to, and joins the two lists as a zip. So the hash
// tables are asked once a message for the small table of its own rank, and once a stream for
// another rank's, and lists are read front to back.
//
// Ranks are parallel work in both steps, since a stream has one sender and one receiver. Cost:
// linear; 4 bytes a message, and while a rank is sorted 8 more of its own.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/flat_map.h"

namespace slackline {

/// One direction between a rank and another one, its peer: what is sent there, or received from
/// there, with one tag on one communicator.
struct MessageStream {
  std::uint32_t peer = 0;
  std::uint32_t tag = 0;
  std::uint32_t comm = 0;

  bool operator==(const MessageStream&) const = default;
};

/// Matches the messages of a program. First, in any order or in several threads, add() for each
/// message of a rank in the order of the program and then sort() for that rank; when all ranks are
/// sorted, in any order or in several threads, join() for each.
class StreamMatching {
 public:
  explicit StreamMatching(std::size_t ranks) : ranks_(ranks) {}

  /// `number` is the caller's name of the message among the sends (or receives) of `rank`.
  void add_send(std::size_t rank, const MessageStream& stream, std::uint32_t number) {
    ranks_[rank].add(ranks_[rank].to, stream, number);
  }
  void add_receive(std::size_t rank, const MessageStream& stream, std::uint32_t number) {
    ranks_[rank].add(ranks_[rank].from, stream, number);
  }
  void sort(std::size_t rank) { ranks_[rank].sort(); }

  /// Calls visit(source, send, receive) for every message that `rank` receives.
  template <class Visit>
  void join(std::size_t rank, Visit visit) {
    Rank& mine = ranks_[rank];
    mine.from.for_each([&](const MessageStream& stream, std::uint32_t id) {
      Rank& other = ranks_[stream.peer];
      const std::uint32_t* found =
          other.to.find({static_cast<std::uint32_t>(rank), stream.tag, stream.comm});
      if (found == nullptr) return;
      Range& receives = mine.ranges[id - 1];
      Range& sends = other.ranges[*found - 1];
      const std::uint32_t pairs = std::min(receives.end - receives.begin, sends.end - sends.begin);
      const std::uint32_t* receive = mine.numbers.data() + receives.begin;
      const std::uint32_t* send = other.numbers.data() + sends.begin;
      for (std::uint32_t k = 0; k < pairs; ++k) visit(stream.peer, send[k], receive[k]);
      receives.begin += pairs;
      sends.begin += pairs;
    });
  }

  /// After all ranks have joined: calls visit(stream, send) for those of `rank`'s sends that nobody
  /// has received.
  template <class Visit>
  void for_each_left(std::size_t rank, Visit visit) {
    Rank& mine = ranks_[rank];
    mine.to.for_each([&](const MessageStream& stream, std::uint32_t id) {
      const Range& range = mine.ranges[id - 1];
      for (std::uint32_t k = range.begin; k < range.end; ++k) visit(stream, mine.numbers[k]);
    });
  }

 private:
  struct StreamHash {
    std::uint64_t operator()(const MessageStream& s) const {
      const std::uint64_t stream =
          (std::uint64_t{s.peer} << 32 | s.tag) + (std::uint64_t{s.comm} << 48);
      const std::uint64_t product = stream * 0x9e3779b97f4a7c15ull;
      return product ^ product >> 32;
    }
  };
  /// Names of streams: index into Rank::ranges plus 1.
  using Streams = FlatMap<MessageStream, std::uint32_t, StreamHash>;
  /// The messages of a stream that have no partner yet, in Rank::numbers.
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct Added {
    std::uint32_t stream;
    std::uint32_t number;
  };
  struct Rank {
    Streams to;
    Streams from;
    std::vector<Range> ranges;           // by stream
    std::vector<std::uint32_t> numbers;  // by stream, each in the order of the program
    std::vector<Added> added;            // until it is sorted

    void add(Streams& streams, const MessageStream& stream, std::uint32_t number) {
      std::uint32_t& id = streams[stream];
      if (id == 0) {
        ranges.emplace_back();
        id = static_cast<std::uint32_t>(ranges.size());
      }
      added.push_back({id - 1, number});
      ++ranges[id - 1].end;
    }

    void sort() {
      std::uint32_t sum = 0;
      for (Range& range : ranges) {
        range.begin = std::exchange(sum, sum + range.end);
        range.end = range.begin;
      }
      numbers.resize(sum);
      for (const Added& message : added) numbers[ranges[message.stream].end++] = message.number;
      added = {};
    }
  };

  std::vector<Rank> ranks_;
};

}  // namespace slackline
