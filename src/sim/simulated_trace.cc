#include "sim/simulated_trace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

std::int64_t ns(double seconds) {
  return std::llround(seconds * 1e9);
}

/// Begin and end of a rank's calls by turns. Before the simulated part everything happens at its
/// start.
std::vector<std::int64_t> simulated_times(const std::vector<CallTimes>& calls) {
  std::vector<std::int64_t> times;
  times.reserve(2 * calls.size());
  std::int64_t last = 0;
  for (const CallTimes& call : calls) {
    times.push_back(std::max(last, ns(call.begin)));
    times.push_back(last = std::max(times.back(), ns(call.end)));
  }
  return times;
}

/// Actions of a trace in flops that are no call are pairs of region events, of which `ends` says
/// when they ended. Each begins where what came before it ended.
void place_actions(RankCallsBuilder& calls, const std::vector<double>& ends) {
  std::vector<RegionEvent> events(calls.regions().begin(), calls.regions().end());
  std::int64_t last = 0;
  for (std::size_t e = 0; e < events.size(); ++e) {
    const std::size_t call = std::min<std::size_t>(events[e].before_call, calls.size());
    if (call > 0) last = std::max(last, calls.end_ns(call - 1));
    if (!events[e].enter && e / 2 < ends.size()) last = std::max(last, ns(ends[e / 2]));
    events[e].time_ns = last;
  }
  calls.set_regions(std::move(events));
}

}  // namespace

Trace simulated_trace(Trace program, const Simulation& simulation) {
  TraceBuilder trace = std::move(program);
  expects(simulation.calls.size() == static_cast<std::size_t>(trace.ranks()),
          "the simulation was recorded");
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    RankCallsBuilder& calls = trace.calls(rank);
    calls.retime(simulated_times(simulation.calls[r]));
    calls.set_start_ns(0);
    if (trace.info().flops_per_second > 0) place_actions(calls, simulation.region_ends[r]);
  }
  trace.set_timed();
  trace.info().flops_per_second = 0;
  trace.info().recorder = "slackline simulate";
  return std::move(trace).build();
}

}  // namespace slackline
