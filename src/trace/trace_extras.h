#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slackline {

/// When messages were handed over within their calls, where a recording says it: OTF2 has a record
/// with a time of its own for every send. Beside the Trace, as only who compares the order of
/// sends of several ranks asks for it.
struct SendRecords {
  /// By rank and call: ns from the call's begin to its send record. Empty where nothing is known.
  std::vector<std::vector<std::uint32_t>> after_begin_ns;

  /// 0 where nothing is known.
  std::int64_t offset_ns(std::int32_t rank, std::size_t call) const {
    const auto r = static_cast<std::size_t>(rank);
    if (r >= after_begin_ns.size() || call >= after_begin_ns[r].size()) return 0;
    return after_begin_ns[r][call];
  }
};

/// An arrow between two calls of a Trace.
struct TimelineFlow {
  std::int32_t from_rank;
  std::uint32_t from_call;
  std::int32_t to_rank;
  std::uint32_t to_call;
};

/// A curve beside the ranks (an efficiency over time).
struct TimelineCounter {
  std::string name;
  std::vector<std::pair<std::int64_t, double>> points;  ///< ns, value; in order of time
};

/// Intervals beside the calls of one rank, or of the whole run.
struct TimelineTrack {
  struct Interval {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    std::uint32_t name;  ///< index into TimelineExtras::names
  };
  std::string name;
  std::int32_t rank = -1;           ///< below which it stands; -1: the run's
  std::vector<Interval> intervals;  ///< in order of time; they do not overlap
};

/// What is to be drawn along with a trace.
struct TimelineExtras {
  std::span<const TimelineFlow> flows{};
  std::span<const TimelineCounter> counters{};
  std::span<const TimelineTrack> tracks{};
  std::span<const std::string> names{};  ///< of what stands on the tracks
};

}  // namespace slackline
