#pragma once

#include <cstdint>
#include <vector>

#include "graph/collectives/schedule.h"

namespace slackline::collectives {

/// What an algorithm sees of its call, and where it writes its rank's steps.
///
/// Everything is made usable here once: a root outside the communicator counts as 0, negative block
/// sizes as 0, a vector that is no whole number of elements as bytes. Steps with oneself are
/// dropped. A request is named by the number that isend or irecv returned.
class StepWriter {
 public:
  using Request = std::int64_t;
  static constexpr Request kNone = -1;
  /// Whom a message's receive takes it from: its peer, or whoever sends it (MPI_ANY_SOURCE). The
  /// latter needs `arrivals`; without, the peer is who would send it.
  enum class From : std::uint8_t { peer, anyone };

  StepWriter(const CollectiveCall& call, std::int32_t rank, OwnCounts own,
             std::vector<CollectiveStep>& steps);

  const CollectiveCall& call() const { return call_; }
  std::span<const std::int64_t> own() const { return own_.args; }
  std::int32_t rank() const { return rank_; }
  std::int32_t size() const { return call_.size; }
  std::int32_t root() const { return root_; }
  std::uint64_t bytes() const { return call_.bytes; }
  std::uint64_t element_bytes() const { return element_bytes_; }
  std::uint64_t elements() const { return call_.bytes / element_bytes_; }

  /// The rank's distance behind the root, and the rank at that distance.
  std::int32_t from_root() const { return from_root(rank_); }
  std::int32_t from_root(std::int32_t rank) const { return (rank - root_ + size()) % size(); }
  std::int32_t rank_from_root(std::int32_t distance) const { return shift(root_, distance); }
  /// `rank` + `distance` round the ring; |distance| <= size.
  std::int32_t shift(std::int32_t rank, std::int32_t distance) const {
    return static_cast<std::int32_t>((static_cast<std::int64_t>(rank) + distance + size()) %
                                     size());
  }

  /// Bytes of a rank's block: its count where there are counts, else `bytes`.
  std::uint64_t block(std::int32_t rank) const;
  /// Bytes of the `count` blocks from rank `first` on, as far as there are ranks.
  std::uint64_t blocks(std::int32_t first, std::int32_t count) const;

  void send(std::int32_t peer, std::uint64_t bytes, From from = From::peer);
  void recv(std::int32_t peer, std::uint64_t bytes, From from = From::peer);
  Request isend(std::int32_t peer, std::uint64_t bytes, From from = From::peer);
  Request irecv(std::int32_t peer, std::uint64_t bytes, From from = From::peer);
  /// A neighbour's message: `peer` may be numbered by the world, so it is not compared with rank().
  void start_with_neighbor(CollectiveStep::Kind kind, std::int32_t peer, std::uint64_t bytes) {
    start(kind, peer, bytes);
  }
  void wait_all();

  /// Who has come, where that is found out; nullptr: all have. Once it is incomplete(), nothing is
  /// written any more, and the algorithm may as well return.
  Arrivals* arrivals() const { return call_.arrivals; }
  /// Looks for a message of `peer` (look or poll); needs arrivals(), which knows it by this number.
  std::size_t look(CollectiveStep::Kind kind, std::int32_t peer);
  void ask_the_time();
  void pause(std::uint64_t ns);

  /// Waits for one request; nothing if that is done or none. Without single_waits it waits for
  /// everything outstanding: an algorithm that must not asks single_waits() first.
  void wait(Request request);
  bool single_waits() const { return call_.single_waits; }

  /// Posts the next receive, then waits for the previous one: double buffering. Without
  /// single_waits the other way round. Returns the new request.
  Request irecv_ahead(std::int32_t peer, std::uint64_t bytes, Request previous);

  /// Send and receive that complete together (MPI_Sendrecv): isend, irecv, wait_all.
  void exchange(std::int32_t to, std::uint64_t sent, std::int32_t from, std::uint64_t received);
  void exchange(std::int32_t peer, std::uint64_t sent, std::uint64_t received) {
    exchange(peer, sent, peer, received);
  }

  /// The same to any peer, itself included if the caller performs messages to oneself.
  Request isend_any(std::int32_t peer, std::uint64_t bytes);
  Request irecv_any(std::int32_t peer, std::uint64_t bytes);

  /// What the algorithm does where it does not apply to the call: another one, by its name.
  void instead(std::string_view name, void (*algorithm)(StepWriter&)) {
    if (call_.stand_in != nullptr) *call_.stand_in = name;
    algorithm(*this);
  }

  /// Another collective as a part of this one, after everything started so far.
  void nested(const CollectiveCall& call, void (*algorithm)(StepWriter&));
  void nested(CollectiveCall call, const CollectiveAlgorithm& algorithm);
  /// This call's circumstances for another operation on the same ranks: `bytes` of whole elements.
  CollectiveCall part(Operation operation, std::uint64_t bytes, std::int32_t root = 0) const;
  /// The same by the algorithm that the caller's chooser takes; `otherwise` if it has none.
  void nested_chosen(const CollectiveCall& call, void (*otherwise)(StepWriter&));
  /// A collective among `ranks` only, of which this rank is one; `call` speaks of their order
  /// there. Nothing for a single rank. Waits for everything started before.
  void nested_among(std::span<const std::int32_t> ranks, CollectiveCall call,
                    void (*algorithm)(StepWriter&));
  void nested_among(std::span<const std::int32_t> ranks, CollectiveCall call,
                    const CollectiveAlgorithm& algorithm);
  /// The chooser's, else `otherwise`, as nested_chosen.
  void nested_among_chosen(std::span<const std::int32_t> ranks, const CollectiveCall& call,
                           void (*otherwise)(StepWriter&));

 private:
  std::vector<std::int32_t> nodes_of(std::span<const std::int32_t> ranks) const;
  template <class Perform>
  void among(std::span<const std::int32_t> ranks, CollectiveCall call, Perform perform);
  void add(CollectiveStep::Kind kind, std::int32_t peer, std::uint64_t bytes,
           From from = From::peer);
  Request start(CollectiveStep::Kind kind, std::int32_t peer, std::uint64_t bytes,
                From from = From::peer);

  const CollectiveCall& call_;
  std::int32_t rank_;
  std::int32_t root_;
  std::uint64_t element_bytes_;
  OwnCounts own_;
  std::vector<CollectiveStep>& steps_;
  Request next_request_ = 0;
  Request oldest_ = 0;                  // requests before this one are done
  std::vector<Request> outstanding_{};  // kept with single_waits only
};

/// Largest power of two <= n, for n >= 1.
std::int32_t power_of_two_below(std::int32_t n);
constexpr bool is_power_of_two(std::int32_t n) {
  return n > 0 && (n & (n - 1)) == 0;
}

/// A vector cut into equal segments of whole elements; the last one may be shorter.
class Segments {
 public:
  /// Segments of `segment_bytes` (0: one segment), rounded to elements as Open MPI does. Never more
  /// than kMost segments: a garbage size must not cost unbounded memory. At least one segment.
  Segments(std::uint64_t bytes, std::uint64_t element_bytes, std::uint64_t segment_bytes);

  static constexpr std::uint64_t kMost = 16384;

  std::uint64_t count() const { return count_; }
  std::uint64_t bytes(std::uint64_t index) const {
    return index + 1 < count_ ? segment_bytes_ : bytes_ - (count_ - 1) * segment_bytes_;
  }

 private:
  std::uint64_t bytes_;
  std::uint64_t segment_bytes_;
  std::uint64_t count_ = 1;
};

}  // namespace slackline::collectives
