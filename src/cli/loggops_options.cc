#include "cli/loggops_options.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "analysis/model/loggops_prediction.h"
#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "graph/goal/goal_of_graph.h"

namespace slackline {
namespace {

LogGOPS resolve_loggops(const ModelChoice& choice, const LogGOPSOptions& options) {
  LogGOPS model;
  model.latency_fs = choice.model.latency_fs;
  model.overhead_fs = choice.model.overhead_fs;
  model.gap_per_byte_fs = choice.model.gap_per_byte_fs;
  model.gap_fs = parse_time_fs(options.gap, "gap g");
  model.overhead_per_byte_fs =
      parse_gap_per_byte_fs(options.overhead_per_byte, "overhead per byte O");
  model.eager_threshold_bytes = choice.graph.eager_threshold_bytes;
  if (!options.noise_file.empty()) {
    const MappedFile file(options.noise_file);
    model.noise = read_noise_pattern(file.text(), options.noise_file);
  }
  model.noise.seed = options.noise_seed;
  model.noise.coscheduled = options.noise_coscheduled;
  model.simulator_flaws = options.simulator_flaws;
  return model;
}

}  // namespace

void add_loggops_options(CommandParser& parser, LogGOPSOptions& options) {
  const char* group = "LogGOPS";
  parser
      .add_option("--model", options.model,
                  "loggps: the longest path; loggops: LogGOPSim's timing, in which processors and "
                  "network cards do one thing at a time")
      ->one_of({"loggps", "loggops"})
      ->capture_default_str()
      ->group(group);
  parser.add_option("-g,--gap", options.gap, "loggops: time between messages of one network card")
      ->type_name("TIME")
      ->capture_default_str()
      ->group(group);
  parser
      .add_option("--overhead-per-byte", options.overhead_per_byte,
                  "loggops: O, processor time per byte")
      ->type_name("GAP")
      ->capture_default_str()
      ->group(group);
  parser
      .add_option("--noise", options.noise_file,
                  "loggops: interruptions by the system, a line each: begin and length in ns")
      ->type_name("FILE")
      ->group(group);
  parser.add_option("--noise-seed", options.noise_seed, "loggops: where in it the ranks begin")
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  parser
      .add_flag("--noise-cosched", options.noise_coscheduled,
                "loggops: all ranks begin at the same place of the noise")
      ->group(group);
  parser
      .add_flag("--loggopsim-flaws", options.simulator_flaws,
                "loggops: also what the simulator does and the model does not mean")
      ->group(group);
}

void refuse_loggops(const LogGOPSOptions& options) {
  if (!options.wanted()) return;
  throw usage_error("there is no such answer under LogGOPS",
                    "the makespan is not convex there, so no search for a value can be sure",
                    "Ask predict or sensitivity, or leave --model loggops out.");
}

LogGOPSQuestion open_loggops_question(const ModelQuestion& question,
                                      const LogGOPSOptions& options) {
  if (question.network.given()) {
    throw usage_error("--model loggops knows no topology", "all its messages pay the same L and G",
                      "Leave --topology, --ranks-per-node and --placement out.");
  }
  ModelChoice choice = resolve_model(question.model);
  LogGOPSQuestion q;
  q.model = resolve_loggops(choice, options);
  q.path = question.trace.empty() ? newest_recording() : question.trace;
  if (std::optional<OpenedGoal> goal = open_goal(q.path)) {
    q.program = std::move(goal->program);
    const auto ranks = static_cast<std::int32_t>(q.program.ranks.size());
    q.input = input_to_json(OpenedTrace{Trace(ranks, false), "goal", goal->path, goal->bytes,
                                        goal->checksum, q.program.operation_count()});
    return q;
  }
  const OpenedTrace opened = open_trace(q.path);
  choice.graph.collectives.resolve_automatic(opened.trace.info().mpi_library);
  choice.graph.eager_threshold_bytes = std::numeric_limits<std::uint64_t>::max();
  const ExecutionGraph graph = build_graph(opened.trace, choice.graph);
  q.program = goal_of_graph(graph);
  q.input = input_to_json(opened);
  q.findings.merge(opened.trace.findings());
  q.findings.merge(graph.findings());
  return q;
}

void answer(Report report, std::string_view command, const LogGOPSQuestion& opened,
            const ModelQuestion& question, Json own_options) {
  report.command = command;
  report.title = fmt::format("{}: {} ({} ranks)", command,
                             std::filesystem::path(opened.path).filename().string(),
                             opened.program.ranks.size());
  report.options = to_json(opened.model);
  report.options.update(own_options);
  report.input = opened.input;
  report.findings.merge(opened.findings);
  write_report(report, question.output);
}

}  // namespace slackline
