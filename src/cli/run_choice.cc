#include "cli/run_choice.h"

#include <fmt/format.h>

#include "analysis/runs/modelled_trace.h"
#include "base/error.h"
#include "cli/model_question.h"
#include "cli/run_question.h"
#include "sim/simulated_trace.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

std::string path_of(const std::string& trace) {
  return trace.empty() ? newest_recording() : trace;
}

ChosenRun predicted_run(const std::string& trace, const RunChoice& choice) {
  ModelQuestion question;
  question.trace = path_of(trace);
  question.open = choice.open;
  question.model = choice.model;
  question.network = choice.network;
  OpenedQuestion q = open_question(question);
  ChosenRun run{std::move(q.opened), "predicted"};
  const Schedule schedule = model_schedule(q.graph, picosecond_cost(q.graph, q.model));
  const bool timed = run.opened.trace.timed();
  run.opened.trace = modelled_trace(std::move(run.opened.trace), q.graph, schedule);
  run.eager_bytes = q.model.graph.eager_threshold_bytes;
  run.options = to_json(q.model);
  run.options["trace_timed"] = timed;
  run.findings = q.graph.findings();
  return run;
}

ChosenRun simulated_run(const std::string& trace, const RunChoice& choice) {
  if (!choice.platform.given()) {
    throw usage_error("cannot simulate the run", "no platform was given",
                      "Name the machine with --platform (SimGrid's XML, or TOML).");
  }
  ChosenRun run{open_trace(path_of(trace), choice.open), "simulated"};
  Machine machine = resolve_machine(choice.platform, run.opened.trace, run.findings);
  machine.simulation.record = true;
  const Simulation result =
      simulate(run.opened.trace, machine.platform, machine.hosts, machine.simulation);
  run.findings.merge(result.findings);
  run.opened.trace = simulated_trace(run.opened.trace, result);
  run.options = to_json(choice.platform, machine.smpi);
  return run;
}

ChosenRun measured_run(const std::string& trace, const RunChoice& choice) {
  return {open_trace(path_of(trace), choice.open), "measured"};
}

ChosenRun open_by_name(const std::string& on, const std::string& trace, const RunChoice& choice) {
  if (on == "measured") {
    ChosenRun run = measured_run(trace, choice);
    if (run.opened.trace.timed()) return run;
    throw usage_error("there is no measured run",
                      "the trace says what the program does and not when",
                      "Ask for --on predicted or --on simulated.");
  }
  if (on == "predicted") return predicted_run(trace, choice);
  if (on == "simulated") return simulated_run(trace, choice);
  throw usage_error(fmt::format("there is no run '{}'", on), "no such name",
                    "Known are measured, predicted and simulated.");
}

}  // namespace

void add_run_choice(CommandParser& parser, RunChoice& choice) {
  parser
      .add_option(
          "--on", choice.on,
          "The run that is spoken of: measured, predicted (by the model) or simulated (on a "
          "platform); default: measured where the trace has times, else predicted")
      ->type_name("RUN");
  add_fix_clocks(parser, choice.open);
  add_model_options(parser, choice.model, OverheadShortName::none);
  add_network_options(parser, choice.network);
  add_platform_options(parser, choice.platform, kSimulatedRuns);
}

ChosenRun open_chosen_run(const std::string& trace, const RunChoice& choice) {
  ChosenRun run =
      choice.on.empty() ? measured_run(trace, choice) : open_by_name(choice.on, trace, choice);
  if (!run.opened.trace.timed()) run = predicted_run(trace, choice);
  run.asked = !choice.on.empty();
  run.options["on"] = run.on;
  return run;
}

void say_which_run(Report& report, const ChosenRun& run) {
  if (report.result.contains("on")) report.result["on"] = run.on;
  if (run.on == "measured") return;
  std::string text = run.on == "predicted" ? "This is the run that the model predicts"
                                           : "This is the run simulated on the platform";
  if (!run.asked) text += ": the trace says what the program does and not when";
  Section section{.id = "run", .title = "Run"};
  section.items.emplace_back(Paragraph{text + "."});
  report.sections.insert(report.sections.begin(), std::move(section));
}

void answer(Report report, std::string_view command, const ChosenRun& run,
            const OutputOptions& output, Json own_options) {
  say_which_run(report, run);
  report.findings.merge(run.findings);
  own_options.update(run.options);
  answer(std::move(report), command, run.opened, output, std::move(own_options));
}

}  // namespace slackline
