#include "cli/model_question.h"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/model/pairwise.h"
#include "base/error.h"
#include "cli/run_question.h"
#include "graph/goal/goal_graph.h"

namespace slackline {

namespace fs = std::filesystem;

namespace {

OpenedQuestion open_goal_question(OpenedGoal goal, const ModelChoice& model, CallDetail detail) {
  GoalGraph g =
      build_goal_graph(goal.program, goal.path, model.graph,
                       detail == CallDetail::named ? GoalTrace::linearised : GoalTrace::none);
  const auto ranks = static_cast<std::int32_t>(goal.program.ranks.size());
  return {OpenedTrace{g.trace ? std::move(*g.trace) : Trace(ranks, false), "goal", goal.path,
                      goal.bytes, goal.checksum, goal.program.operation_count()},
          model, std::move(g.graph), true};
}

}  // namespace

void add_model_question(CommandParser& parser, ModelQuestion& question,
                        OverheadShortName overhead) {
  parser
      .add_option("trace", question.trace,
                  "A trace file or recording folder; without it the newest slackline-trace* here")
      ->type_name("TRACE");
  add_model_options(parser, question.model, overhead);
  add_output_options(
      parser, question.output,
      overhead == OverheadShortName::lower ? OutputShortName::capital : OutputShortName::lower);
}

void add_fix_clocks(CommandParser& parser, OpenOptions& options) {
  parser.add_flag("--fix-clocks", options.fix_clocks,
                  "Move calls so that nothing ends before what it waits for");
}

std::string newest_recording() {
  fs::path newest;
  for (const fs::directory_entry& entry : fs::directory_iterator(".")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || !name.starts_with("slackline-trace")) continue;
    if (newest.empty() || entry.last_write_time() > fs::last_write_time(newest)) {
      newest = entry.path();
    }
  }
  if (newest.empty()) {
    throw usage_error("no trace was given", "there is no folder slackline-trace* here",
                      "Name one, or record one: slackline record -- mpirun -n 4 ./app");
  }
  return newest.filename().string();
}

OpenedQuestion open_question(const ModelQuestion& question, CallDetail detail, GraphTime time) {
  const ModelChoice model = resolve_model(question.model);
  const std::string path = question.trace.empty() ? newest_recording() : question.trace;
  const auto with_network = [&](OpenedQuestion q) {
    q.model.pairs = resolve_network(question.network, q.model.model, q.trace().ranks());
    return q;
  };
  if (std::optional<OpenedGoal> goal = open_goal(path)) {
    return with_network(open_goal_question(std::move(*goal), model, detail));
  }
  OpenedQuestion q{open_trace(path, question.open), model, {}, false};
  q.model.graph.collectives.resolve_automatic(q.trace().info().mpi_library);
  if (time == GraphTime::now) complete(q);
  return with_network(std::move(q));
}

const ExecutionGraph& complete(OpenedQuestion& question) {
  if (!question.has_graph) question.graph = build_graph(question.trace(), question.model.graph);
  question.has_graph = true;
  return question.graph;
}

Json input_to_json(const OpenedTrace& opened) {
  const Trace& trace = opened.trace;
  Json json;
  json["path"] = opened.path;
  json["format"] = opened.format;
  json["bytes"] = opened.bytes;
  json["checksum"] = opened.checksum;
  json["ranks"] = trace.ranks();
  json["calls"] = opened.calls;
  json["timed"] = trace.timed();
  json["program"] = trace.info().program;
  json["mpi"] =
      trace.info().mpi_version.empty() ? trace.info().mpi_library : trace.info().mpi_version;
  return json;
}

void add_pairwise(Report& report, const OpenedQuestion& opened, bool pairs) {
  if (!pairs && opened.model.pairs == nullptr) return;
  const PairwiseSensitivity pairwise = pairwise_sensitivity(opened.graph, opened.model);
  add_classes(report, pairwise);
  if (pairs) add_pairs(report, pairwise);
}

void answer(Report report, std::string_view command, const OpenedQuestion& opened,
            const ModelQuestion& question, Json own_options) {
  report.command = command;
  report.title = fmt::format("{}: {}", command, subject(opened.opened));
  report.options = to_json(opened.model);
  report.options.update(own_options);
  report.input = input_to_json(opened.opened);
  report.findings.merge(opened.trace().findings());
  report.findings.merge(opened.graph.findings());
  write_report(report, question.output);
}

}  // namespace slackline
