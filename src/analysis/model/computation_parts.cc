#include "analysis/model/computation_parts.h"

#include <span>

#include "calls/program_steps.h"
#include "calls/run_span.h"

namespace slackline {

/// Visits a rank's program as edits do (calls/program_steps.h), so that a gain is that of the edit.
struct ComputationParts::Recorder {
  const ComputationCode& code;
  std::int32_t rank;
  std::vector<Stretch>& stretches;
  std::span<Position> position_of_call;
  std::int64_t clock = 0;

  void start(std::int64_t) {}
  void compute(const Computation& c) {
    code.split_stretch(rank, c.before_call, c.ns, c.blocked, [&](FrameId frame, std::int64_t ns) {
      stretches.push_back({clock, clock + ns, c.path, frame});
      clock += ns;
    });
  }
  void pause(std::int64_t ns, PauseKind) { clock += ns; }
  void region(const RegionEvent&, PathId) {}
  void call(std::size_t i, PathId) {
    position_of_call[i] = {clock, static_cast<std::uint32_t>(stretches.size())};
  }
};

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
    Recorder recorder{code, rank, stretches_[static_cast<std::size_t>(rank)],
                      std::span(position_of_call_).subspan(graph_.first_call(rank), calls.size())};
    walk_program(trace, paths, rank, begin_ns, recorder);
  }
}

}  // namespace slackline
