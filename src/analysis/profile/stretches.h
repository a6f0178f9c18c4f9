#pragma once

#include <algorithm>
#include <cstdint>

#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// Calls visit(path, operation, begin_ns, end_ns) for every call of a rank, and for every stretch
/// of computation between them with Operation::none, in the order of the program. `paths` are those
/// of regions or of functions of the trace. Without threads the stretches do not overlap, and they
/// add up to the time from the rank's start to its stop.
template <class Visit>
void visit_stretches(const Trace& trace, const CallPaths& paths, std::int32_t rank, Visit visit) {
  const RankCalls& calls = trace.calls(rank);
  const auto events = calls.regions();
  const bool by_event = !paths.has_functions();
  PathId path = 0;
  std::size_t event = 0;
  std::int64_t at = calls.start_ns();
  const auto compute_until = [&](std::int64_t end) {
    if (end > at) visit(path, Operation::none, at, end);
    at = std::max(at, end);
  };
  for (std::size_t i = 0; i <= calls.size(); ++i) {
    const std::int64_t until = calls.gap_end_ns(i);
    for (; by_event && event < events.size() && events[event].before_call <= i; ++event) {
      compute_until(std::min(events[event].time_ns, until));
      path = paths.after_event(rank, event);
    }
    const auto call = static_cast<std::uint32_t>(i);
    if (!by_event) path = paths.before_call(rank, call);
    compute_until(until);
    if (i == calls.size()) return;
    if (!by_event) path = paths.at_call(rank, call);
    visit(path, calls.operation(i), calls.begin_ns(i), calls.end_ns(i));
    at = std::max(at, calls.end_ns(i));
  }
}

}  // namespace slackline
