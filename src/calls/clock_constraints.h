#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "calls/call_matching.h"
#include "calls/clocks.h"
#include "calls/collective_members.h"
#include "trace/trace.h"

namespace slackline {

/// The tightest thing that a stretch of the run says of two clocks: with the corrections x,
/// x_from(at) - x_to(at) <= slack, to first order in the drift.
struct ClockBound {
  std::int64_t at_ns = 0;
  std::int64_t slack_ns = 0;
};

/// What the calls say of two clocks in one direction.
struct ClockPair {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::vector<ClockBound> bounds{};  ///< one for each stretch that says something, in its order
};

/// What the calls of a run say of its clocks: a message is not received before it is sent, and a
/// collective not left before all have entered whom it needs.
///
/// A collective of at most 16 clocks gives every pair of them; a larger one its first clock with
/// every other, and those pairs that the maps given make run back in time, so that a few
/// collections under better and better maps hold all that matters.
class ClockConstraints {
 public:
  ClockConstraints(const Trace& trace, const CallMatching& matching, const ClockGroups& clocks);

  /// Forgets what was collected, and collects times under `maps` (one a clock): the tightest bound
  /// of each pair in each of `stretches` equal parts of the run. Linear in messages and
  /// collectives' members; memory 16 bytes a pair and stretch.
  void collect(const std::vector<ClockMap>& maps, std::size_t stretches);
  /// Collects once more, under maps that differ from those of the last time by constants, and keeps
  /// what was known.
  void collect_more(const std::vector<ClockMap>& maps);

  std::vector<ClockPair> pairs() const;
  std::size_t pair_count() const { return pairs_.size(); }
  /// When the times under the maps given last begin and end.
  std::int64_t begin_ns() const { return begin_ns_; }
  std::int64_t end_ns() const { return end_ns_; }
  /// Messages and collectives that ran back in time under the maps given last, between clocks.
  std::uint64_t violations() const { return violations_; }

 private:
  /// When the members of a collective that have one clock entered last and left first.
  struct ClockVisit {
    std::uint32_t clock;
    std::int64_t last_begin;
    std::int64_t first_end;
  };

  std::int64_t begin_of(std::int32_t rank, CallIndex call) const;
  std::int64_t end_of(std::int32_t rank, CallIndex call) const;
  /// As end_of(); of a call that never returned as far as is known, no bound.
  std::int64_t left_of(std::int32_t rank, CallIndex call) const;
  void find_span();
  void walk();
  void add_collective(std::uint32_t id);
  void add_exchange();
  void add_rooted(const CollectiveInstance& c, CollectiveShape shape);
  void gather(const CollectiveInstance& c);
  bool add(std::uint32_t from, std::uint32_t to, std::int64_t begin, std::int64_t end);

  const Trace& trace_;
  const CallMatching& matching_;
  const ClockGroups& clocks_;
  std::vector<CollectiveShape> shapes_;
  std::vector<ClockMap> maps_;
  std::size_t stretches_ = 1;
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::uint64_t violations_ = 0;
  struct PairHash {
    std::uint64_t operator()(std::uint64_t pair) const { return mix_bits(pair); }
  };
  FlatMap<std::uint64_t, std::uint32_t, PairHash> index_;
  std::vector<std::uint64_t> pairs_;
  std::vector<ClockBound> bounds_;       // stretches_ for each pair
  std::vector<ClockVisit> visits_;       // of the collective being looked at
  std::vector<std::uint32_t> visit_of_;  // by clock, index into visits_
};

}  // namespace slackline
