#include "analysis/model/selected_computation.h"

#include <algorithm>

#include "calls/run_span.h"

namespace slackline {

void SelectedComputation::make_room(const Trace& trace) {
  stretches_.resize(static_cast<std::size_t>(trace.ranks()));
  clock_of_call_.resize(graph_.first_call(graph_.ranks()));
  late_start_ns_.resize(static_cast<std::size_t>(trace.ranks()));
}

SelectedComputation::SelectedComputation(const Trace& trace, const ExecutionGraph& graph,
                                         const CallPaths& paths,
                                         const std::function<bool(std::int32_t, PathId)>& selected)
    : graph_(graph) {
  make_room(trace);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    add_rank(trace, rank, [&](std::uint32_t call, auto visit) {
      paths.split_gap(rank, call,
                      [&](PathId path, std::int64_t ns) { visit(selected(rank, path), ns); });
    });
  }
}

SelectedComputation::SelectedComputation(const Trace& trace, const ExecutionGraph& graph,
                                         const ComputationCode& code,
                                         const std::vector<bool>& frames)
    : graph_(graph) {
  make_room(trace);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    add_rank(trace, rank, [&](std::uint32_t call, auto visit) {
      code.split(rank, call, trace.calls(rank).gap_ns(call),
                 [&](FrameId frame, std::int64_t ns) { visit(bool{frames[frame]}, ns); });
    });
  }
}

template <class Split>
void SelectedComputation::add_rank(const Trace& trace, std::int32_t rank, Split split) {
  const RankCalls& calls = trace.calls(rank);
  if (calls.empty()) return;
  std::vector<Stretch>& stretches = stretches_[static_cast<std::size_t>(rank)];
  const RankSpan start = rank_span(calls);
  late_start_ns_[static_cast<std::size_t>(rank)] =
      start.analysed.begin_ns - run_span(trace).analysed.begin_ns;
  std::int64_t clock = 0;
  std::int64_t sum = 0;
  for (std::size_t i = start.first_call; i < calls.size(); ++i) {
    split(static_cast<std::uint32_t>(i), [&](bool selected, std::int64_t ns) {
      if (selected) {
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
