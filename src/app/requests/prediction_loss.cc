#include "app/requests/prediction_loss.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "app/load/computation.h"
#include "base/error.h"
#include "base/units.h"
#include "formats/open/open.h"
#include "graph/goal/goal_graph.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

constexpr FindingKind kPredictionDiffers{
    "prediction_differs", Severity::notice,
    "The written file predicts another run time than the trace, under the same model."};

constexpr double kTold = 1e-6;
constexpr std::uint64_t kMostMessages = 4'000'000;

/// More messages than the graph has: in a collective at most one from each rank to each other.
std::uint64_t most_messages(const Trace& trace) {
  const auto ranks = static_cast<std::uint64_t>(trace.ranks());
  std::uint64_t messages = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const OperationClass kind = operation_class(calls.operation(i));
      const bool collective = kind == OperationClass::collective ||
                              kind == OperationClass::icollective ||
                              kind == OperationClass::comm_create;
      messages += collective ? ranks : 1;
    }
  }
  return messages;
}

double makespan_ns(const ExecutionGraph& graph, const ModelChoice& model) {
  const Schedule schedule = model_schedule(graph, picosecond_cost(graph, model));
  return static_cast<double>(schedule.makespan_ps) / kPicosPerNano;
}

double makespan_ns_of_file(const std::filesystem::path& written, const ModelChoice& model,
                           std::string_view computation) {
  if (const std::optional<OpenedGoal> goal = open_goal(written)) {
    return makespan_ns(build_goal_graph(goal->program, goal->path, model.graph).graph, model);
  }
  const OpenedTrace opened = open_trace(written);
  const ComputationChoice choice = choose_computation(computation, opened.trace);
  return makespan_ns(build_graph(choice.cpu_time ? *choice.cpu_time : opened.trace, model.graph),
                     model);
}

}  // namespace

void note_prediction_loss(const Trace& program, const std::filesystem::path& written,
                          const ModelChoice& model, std::string_view computation,
                          Findings& findings) {
  if (most_messages(program) > kMostMessages) return;
  const double before = makespan_ns(build_graph(program, model.graph), model);
  if (before <= 0) return;
  try {
    const double after = makespan_ns_of_file(written, model, computation);
    const double change = after / before - 1;
    if (std::abs(change) < kTold) return;
    findings.add(kPredictionDiffers,
                 fmt::format("{:+.2g} % of {}", 100 * change, format_time_ns(before)));
  } catch (const Error& error) {
    findings.add(kPredictionDiffers, fmt::format("it cannot be read: {}", error.what()));
  }
}

}  // namespace slackline
