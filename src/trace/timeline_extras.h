#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace slackline {

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

/// What is to be drawn along with a trace.
struct TimelineExtras {
  std::span<const TimelineFlow> flows{};
  std::span<const TimelineCounter> counters{};
};

}  // namespace slackline
