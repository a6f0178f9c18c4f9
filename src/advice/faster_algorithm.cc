#include "advice/faster_algorithm.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/arithmetic.h"
#include "base/error.h"
#include "graph/build.h"
#include "graph/collectives/schedule.h"
#include "timing/makespan.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr std::size_t kMostVertices = std::size_t{1} << 18;
constexpr double kFaster = 0.01;        // of the time: less is nothing
constexpr std::uint64_t kShort = 4096;  // bytes

/// A program of one call of all members. Its ranks are the trace's.
Trace only_call(const Trace& trace, const CallMatching& matching, const CollectiveInstance& c) {
  TraceBuilder program = TraceBuilder::without_calls(trace, false);
  for (const CollectiveMember& m : matching.members(c)) {
    Call call = trace.calls(m.rank)[m.enter];
    call.begin_ns = call.end_ns = 0;
    program.calls(m.rank).append(call);
  }
  return std::move(program).build();
}

/// Nothing where the graph is too large, or the algorithm cannot be used.
std::optional<double> time_ns(const Trace& program, ModelChoice choice, const std::string& rule) {
  choice.graph.most_vertices = kMostVertices;
  if (!rule.empty()) choice.graph.collectives.add(rule);
  try {
    const ExecutionGraph graph = build_graph(program, choice.graph);
    MakespanFunction t = makespan_function(graph, choice, {Parameter::latency});
    return t.value_ns(t.line_at(t.base()), t.base());
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Algorithms that divide messages into segments do not divide short ones.
bool is_useful(const CollectiveAlgorithm& algorithm, std::uint64_t bytes) {
  return !algorithm.uses_nodes && (bytes > kShort || !algorithm.name.ends_with("_segmented"));
}

}  // namespace

std::optional<FasterAlgorithm> faster_algorithm(const Trace& trace, const CallMatching& matching,
                                                Operation operation, const ModelChoice& choice) {
  std::vector<const CollectiveInstance*> instances;
  for (const CollectiveInstance& c : matching.collectives()) {
    if (c.operation == operation && c.member_count > 1) instances.push_back(&c);
  }
  if (instances.empty()) return std::nullopt;
  const CollectiveInstance& typical = *instances[instances.size() / 2];
  const Trace program = only_call(trace, matching, typical);
  const auto now = time_ns(program, choice, "");
  if (!now || *now <= 0) return std::nullopt;
  const CollectiveMember& first = matching.members(typical).front();
  FasterAlgorithm best{.bytes = trace.calls(first.rank).bytes(first.enter)};
  for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
    if (algorithm.operation != operation || !is_useful(algorithm, best.bytes)) continue;
    const std::string rule = fmt::format("{}={}", identifier(operation), algorithm.name);
    const double saved = 1 - ratio_of(time_ns(program, choice, rule).value_or(*now), *now);
    if (saved > std::max(kFaster, best.saved)) {
      best.name = algorithm.name;
      best.saved = saved;
    }
  }
  return best.name.empty() ? std::nullopt : std::optional(best);
}

}  // namespace slackline
