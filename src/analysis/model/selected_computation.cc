#include "analysis/model/selected_computation.h"

#include <algorithm>

#include "calls/run_span.h"

namespace slackline {

SelectedComputation::SelectedComputation(const Trace& trace, const ExecutionGraph& graph,
                                         const CallPaths& paths,
                                         const std::function<bool(std::int32_t, PathId)>& selected)
    : graph_(graph),
      stretches_(static_cast<std::size_t>(trace.ranks())),
      clock_of_call_(graph.first_call(graph.ranks()), 0),
      late_start_ns_(static_cast<std::size_t>(trace.ranks()), 0) {
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) add_rank(trace, paths, rank, selected);
}

void SelectedComputation::add_rank(const Trace& trace, const CallPaths& paths, std::int32_t rank,
                                   const std::function<bool(std::int32_t, PathId)>& selected) {
  const RankCalls& calls = trace.calls(rank);
  if (calls.empty()) return;
  std::vector<Stretch>& stretches = stretches_[static_cast<std::size_t>(rank)];
  const RankSpan start = rank_span(calls);
  late_start_ns_[static_cast<std::size_t>(rank)] =
      start.analysed.begin_ns - run_span(trace).analysed.begin_ns;
  std::int64_t clock = 0;
  std::int64_t sum = 0;
  for (std::size_t i = start.first_call; i < calls.size(); ++i) {
    paths.split_gap(rank, static_cast<std::uint32_t>(i), [&](PathId path, std::int64_t ns) {
      if (selected(rank, path)) {
        stretches.push_back({clock, clock + ns, sum});
        sum += ns;
      }
      clock += ns;
    });
    clock_of_call_[graph_.first_call(rank) + i] = clock;
  }
  total_ns_ += sum;
}

std::int64_t SelectedComputation::selected_before(std::int32_t rank, std::int64_t clock) const {
  const std::vector<Stretch>& stretches = stretches_[static_cast<std::size_t>(rank)];
  const auto after = std::ranges::upper_bound(stretches, clock, {}, &Stretch::begin);
  if (after == stretches.begin()) return 0;
  const Stretch& s = *(after - 1);
  return s.before + std::min(clock, s.end) - s.begin;
}

std::int64_t SelectedComputation::in_edge(const Edge& e, std::int32_t rank) const {
  if (e.nanoseconds == 0) return 0;
  const bool starts = graph_.in_degree(e.from) == 0;
  const std::int64_t from = starts ? -late_start_ns_[static_cast<std::size_t>(rank)]
                                   : clock_of_call_[graph_.global_call(e.from)];
  return selected_before(rank, from + e.nanoseconds) - selected_before(rank, from);
}

}  // namespace slackline
