#include "advice/retimed_cost.h"

#include <algorithm>

#include "base/units.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

/// Sums of the gaps before each call, and before the stop.
std::vector<std::int64_t> clock_of(const RankCalls& calls, std::size_t first_call) {
  std::vector<std::int64_t> clock(calls.size() + 1);
  std::int64_t now = 0;
  for (std::size_t i = first_call; i < clock.size(); ++i) {
    now += calls.gap_ns(i);
    clock[i] = now;
  }
  return clock;
}

}  // namespace

RetimedCost::RetimedCost(const LinearCost& cost, const ExecutionGraph& graph, const Trace& program,
                         const Trace& edited)
    : cost_(cost), graph_(graph) {
  const std::int64_t zero_ns = run_span(program).analysed.begin_ns;
  for (std::int32_t rank = 0; rank < program.ranks(); ++rank) {
    const RankCalls& calls = program.calls(rank);
    const RankSpan span = rank_span(calls);
    clocks_.push_back({.late_start_ns = calls.empty() ? 0 : span.analysed.begin_ns - zero_ns,
                       .before = clock_of(calls, span.first_call),
                       .after = clock_of(edited.calls(rank), span.first_call)});
  }
}

std::int64_t RetimedCost::edited_clock(const RankClock& clock, std::int64_t at) const {
  // Edges begin and end where gaps do, so `at` is one of the sums.
  const auto found = std::ranges::upper_bound(clock.before, at);
  if (found == clock.before.begin()) return at;  // before the program's start
  const auto last = static_cast<std::size_t>(found - clock.before.begin()) - 1;
  return clock.after[last] + (at - clock.before[last]);
}

std::int64_t RetimedCost::change_ns(const Edge& e, std::int32_t rank) const {
  if (e.nanoseconds == 0 || e.kind == EdgeKind::inside) return 0;
  const RankClock& clock = clocks_[static_cast<std::size_t>(rank)];
  const bool starts = graph_.in_degree(e.from) == 0;
  const std::uint32_t call = graph_.global_call(e.from) - graph_.first_call(rank);
  const std::int64_t from = starts ? -clock.late_start_ns : clock.before[call];
  return edited_clock(clock, from + e.nanoseconds) - edited_clock(clock, from) - e.nanoseconds;
}

LinearTerm RetimedCost::term(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const {
  LinearTerm term = cost_.term(e, from_rank, to_rank);
  term.fixed_ticks += Int128{change_ns(e, from_rank)} * (kFemtosPerNano / tick_fs());
  return term;
}

}  // namespace slackline
