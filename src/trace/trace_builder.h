#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// A Trace while it is built: by a reader, by an edit of another trace, or by a correction of a
/// trace that is moved into it. What there is so far can be read.
class TraceBuilder : public Trace {
 public:
  TraceBuilder(std::int32_t ranks, bool timed) : Trace(ranks, timed) {}
  /// Goes on with `trace`, whose columns are not copied. O(ranks + regions).
  TraceBuilder(Trace&& trace);
  /// The same job as `trace` without any call: its ranks, communicators, regions, call paths, facts
  /// and findings, as the base of an edited program. Not its counters, which belong to the
  /// computation between the calls. O(what it copies).
  static TraceBuilder without_calls(const Trace& trace, bool timed);
  /// What was built; nothing is copied.
  Trace build() && { return static_cast<Trace&&>(*this); }

  using Trace::call_tree;
  using Trace::calls;
  using Trace::findings;
  using Trace::info;
  using Trace::rank_info;
  RankCallsBuilder& calls(std::int32_t rank) { return calls_[index(rank)]; }
  RankInfo& rank_info(std::int32_t rank) { return job_.rank_info[index(rank)]; }
  TraceInfo& info() { return job_.info; }
  Findings& findings() { return job_.findings; }
  CallTree& call_tree() { return job_.call_tree; }
  /// Room for this many calls of each rank, before there are any: if as many are appended, the
  /// columns of all ranks are joined.
  void reserve_calls(std::span<const std::size_t> of_rank);
  /// Puts every column of all ranks into one array, rank after rank, if that is not so: then
  /// RankCalls' columns as a whole continue each other. At most one column is in memory twice.
  /// O(calls), and O(ranks) where they are joined.
  void join_columns();
  /// An untimed trace has got times.
  void set_timed() { job_.timed = true; }
  /// Returns the new communicator's id.
  std::uint32_t add_communicator(Communicator communicator);
  static constexpr std::size_t kLongestRegionName = 4096;
  /// Id of the region of that name, added if new. Longer names are shortened, with a Finding.
  std::uint32_t region_id(std::string_view name);
  /// Returns the new counter's index.
  std::size_t add_counter(std::string_view name);

 private:
  std::vector<RankColumns*> columns_of_ranks();

  std::map<std::string, std::uint32_t, std::less<>> region_ids_;
};

}  // namespace slackline
