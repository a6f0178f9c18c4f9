#include "analysis/model/computation_parts.h"

#include "calls/run_span.h"

namespace slackline {

ComputationParts::ComputationParts(const Trace& trace, const ExecutionGraph& graph,
                                   const CallPaths& paths, const ComputationCode& code)
    : graph_(graph),
      stretches_(static_cast<std::size_t>(trace.ranks())),
      position_of_call_(graph.first_call(graph.ranks())),
      late_start_ns_(static_cast<std::size_t>(trace.ranks()), 0) {
  const std::int64_t begin_ns = run_span(trace).analysed.begin_ns;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    if (calls.empty()) continue;
    late_start_ns_[static_cast<std::size_t>(rank)] = rank_span(calls).analysed.begin_ns - begin_ns;
    add_rank(trace, paths, code, rank);
  }
}

void ComputationParts::add_rank(const Trace& trace, const CallPaths& paths,
                                const ComputationCode& code, std::int32_t rank) {
  const RankCalls& calls = trace.calls(rank);
  std::vector<Stretch>& stretches = stretches_[static_cast<std::size_t>(rank)];
  std::int64_t clock = 0;
  const bool by_function = !trace.call_tree().empty();
  for (std::size_t i = rank_span(calls).first_call; i < calls.size(); ++i) {
    const auto call = static_cast<std::uint32_t>(i);
    std::size_t open = stretches.size();
    paths.split_gap(rank, call, [&](PathId path, std::int64_t ns) {
      stretches.push_back({clock, clock + ns, path, 0});
      clock += ns;
    });
    if (by_function) {
      code.split(rank, call, calls.gap_ns(i), [&](FrameId frame, std::int64_t ns) {
        open = assign(stretches, open, frame, ns);
      });
    }
    position_of_call_[graph_.first_call(rank) + i] = {clock,
                                                      static_cast<std::uint32_t>(stretches.size())};
  }
}

/// Gives the next `ns` of the stretches from `open` on to a function, and divides the last one if
/// need be. The first one after them.
std::size_t ComputationParts::assign(std::vector<Stretch>& stretches, std::size_t open,
                                     FrameId frame, std::int64_t ns) {
  for (; ns > 0 && open < stretches.size(); ++open) {
    Stretch& s = stretches[open];
    s.frame = frame;
    const std::int64_t length = s.end - s.begin;
    if (length > ns) {
      const Stretch rest{s.begin + ns, s.end, s.path, 0};
      s.end = rest.begin;
      stretches.insert(stretches.begin() + static_cast<std::ptrdiff_t>(open) + 1, rest);
    }
    ns -= std::min(ns, length);
  }
  return open;
}

}  // namespace slackline
