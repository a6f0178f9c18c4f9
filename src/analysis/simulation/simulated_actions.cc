#include "analysis/simulation/simulation_report.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace slackline {
namespace {

struct Action {
  double end;
  std::int32_t rank;
  std::string_view name;
};

/// What a call is called in a time-independent trace; empty: it is not printed.
std::string_view action_name(Operation operation, bool in_flops) {
  switch (operation) {
    case Operation::init:
    case Operation::init_thread:
    case Operation::finalize:
      return {};
    case Operation::probe:
      return in_flops ? std::string_view{} : identifier(operation);
    case Operation::sendrecv:
      return "sendRecv";
    case Operation::reduce_scatter:
      return "reducescatter";
    default:
      return identifier(operation);
  }
}

/// A rank's calls and regions in their order; a reduction's computation is part of its call.
void append_rank(const Simulation& simulation, const Trace& trace, std::int32_t rank,
                 std::vector<Action>& actions) {
  const bool in_flops = trace.info().flops_per_second > 0;
  const RankCalls& calls = trace.calls(rank);
  const auto r = static_cast<std::size_t>(rank);
  const auto& ends = simulation.region_ends[r];
  std::size_t region = 0;
  const auto regions_before = [&](std::size_t call) {
    for (; in_flops && region < ends.size(); ++region) {
      const RegionEvent& event = calls.regions()[2 * region];
      if (event.before_call > call) return;
      const std::string_view name = trace.regions()[event.region];
      if (name == "reduction") {
        actions.back().end = ends[region];
      } else {
        actions.push_back({ends[region], rank, name});
      }
    }
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    regions_before(i);
    const std::string_view name = action_name(calls.operation(i), in_flops);
    if (!name.empty()) actions.push_back({simulation.calls[r][i].end, rank, name});
  }
  regions_before(calls.size());
}

}  // namespace

std::string simulated_actions(const Simulation& simulation, const Trace& trace) {
  std::vector<Action> actions;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) append_rank(simulation, trace, r, actions);
  std::ranges::stable_sort(actions, {}, &Action::end);
  std::string text;
  for (const Action& a : actions) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{:.12f} {} {}\n"), a.end, a.rank, a.name);
  }
  return text;
}

}  // namespace slackline
