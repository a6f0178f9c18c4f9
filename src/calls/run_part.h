#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "calls/call_matching.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// Which part of a run a trace is: all of it, or a stretch between two collectives that no rank
/// leaves before all have entered, and over which no message is in flight and no request or failed
/// poll is open. Each stretch begins with the calls with which the one before it ends; they count
/// there.
struct RunPart {
  bool first = true;
  bool last = true;

  /// How many of each rank's first calls do not count.
  std::size_t lead() const { return first ? 0 : 1; }
  /// The time that counts, of a rank that has calls: the stretches' own times follow each other.
  TimeInterval own_time(const RankCalls& calls) const {
    return {first ? -kTimeLimit_ns : calls.end_ns(0),
            last ? kTimeLimit_ns : calls.end_ns(calls.size() - 1)};
  }
  /// Whether that moment is one of it.
  bool contains(const RankCalls& calls, std::int64_t time_ns) const {
    const TimeInterval own = own_time(calls);
    return time_ns >= own.begin_ns && (last || time_ns < own.end_ns);
  }
};

/// Position of a part within its run.
struct PlaceInRun {
  RunPart part{};
  /// By rank: the number in the run of its first call here; empty: 0.
  std::span<const CallIndex> first_calls{};
  TimeInterval whole;  ///< RunSpan::whole of the run

  CallIndex call_in_run(std::int32_t rank, CallIndex call) const {
    return first_calls.empty() ? call : first_calls[static_cast<std::size_t>(rank)] + call;
  }
};

}  // namespace slackline
