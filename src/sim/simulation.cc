#include "sim/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "sim/engine/engine.h"
#include "sim/sharing/max_min_sharing.h"
#include "sim/simgrid/actor_order.h"
#include "sim/simgrid/lazy_sharing.h"
#include "sim/simgrid/selective_sharing.h"
#include "trace/trace_builder.h"

namespace slackline::simgrid {
namespace {

// With so few hosts SimGrid's own procedure costs next to nothing.
constexpr std::uint32_t kFewHosts = 128;

using Input = sim::Engine::Input;

/// Nothing when ties whose order is a guess affect the result. Then `given` is as it was.
std::optional<Simulation> with_guessed_ties(const Input& given) {
  LinkView links = given.links;
  const Input input{given.trace, given.platform, given.host_of_rank, given.options, links};
  auto sharing = std::make_unique<LazySharing>(input.links, sharing_options(input),
                                               WorkAllowance(input.platform.host_count()));
  ActorOrder order(input.trace.ranks(), input.options.model.eager_below, sharing.get());
  return sim::Engine(input, std::move(sharing), &order).run();
}

Simulation in_exact_order(const Input& input) {
  const MaxMinSharing::Options options = sharing_options(input);
  const WorkAllowance allowance(input.platform.host_count());
  std::unique_ptr<BandwidthSharing> sharing;
  if (input.options.model.contention) {
    sharing = std::make_unique<SelectiveSharing>(input.links, options, allowance);
  } else {
    sharing = std::make_unique<LazySharing>(input.links, options, allowance);
  }
  ActorOrder order(input.trace.ranks(), input.options.model.eager_below, nullptr);
  return *sim::Engine(input, std::move(sharing), &order).run();
}

/// Replays a trace as SimGrid does with its lazy update (network/optim:Lazy). On up to 128 hosts,
/// and on larger platforms where it affects the result and the work is bearable, in SimGrid's own
/// order of events; see doc/decisions/0005. Throws as sim::Engine::run().
Simulation simulate_lazily(const sim::Engine::Input& input) {
  if (input.platform.host_count() > kFewHosts) {
    if (auto result = with_guessed_ties(input)) return std::move(*result);
  }
  return in_exact_order(input);
}

}  // namespace
}  // namespace slackline::simgrid

namespace slackline {

Simulation simulate(const Trace& trace, const Platform& platform,
                    const std::vector<HostId>& host_of_rank, const SimulationOptions& options) {
  if (host_of_rank.size() != static_cast<std::size_t>(trace.ranks())) {
    throw Error("cannot place the ranks",
                fmt::format("the trace has {}, but hosts are given for {}",
                            count_of(static_cast<std::uint64_t>(trace.ranks()), "rank"),
                            host_of_rank.size()),
                "Name a host for every rank.");
  }
  LinkView links(platform, options.link_scales);
  const sim::Engine::Input input{trace, platform, host_of_rank, options, links};
  if (options.model.lazy) return simgrid::simulate_lazily(input);
  auto sharing = std::make_unique<MaxMinSharing>(links, sim::sharing_options(input));
  return *sim::Engine(input, std::move(sharing)).run();
}

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
