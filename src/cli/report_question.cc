#include "cli/report_question.h"

#include <filesystem>

#include "base/parallel.h"
#include "cli/degradations.h"
#include "cli/run_question.h"
#include "page/pictures.h"
#include "page/run_comparison.h"
#include "page/run_report.h"

namespace slackline {
namespace {

/// One of two runs, analysed: by the model and, if it was measured, as it was, in a thread each.
struct Half {
  Half(const ModelQuestion& asked, const std::vector<std::int64_t>& ppm)
      : question(open_question(asked, CallDetail::named, GraphTime::later)),
        paths(question.trace()) {
    parallel_for(2, [&](std::size_t half) { half == 0 ? predict_run(ppm) : look_at_run(); });
  }
  ComparedPicture picture(const char* letter) const {
    return {std::string(letter) + ": " + question.opened.path,
            question.trace(),
            *matching,
            paths,
            {waits, measured->path, measured->monitor}};
  }
  ComparedRun compared() const {
    return {question.opened.path, question.trace(), paths, model, measured ? &*measured : nullptr};
  }

  OpenedQuestion question;
  CallPaths paths;
  Overview model{};
  std::optional<CallMatching> matching{};
  WaitStates waits{};
  std::optional<Diagnosis> measured{};

 private:
  void predict_run(const std::vector<std::int64_t>& ppm) {
    model = overview(question.trace(), complete(question), question.model, ppm);
  }
  void look_at_run() {
    if (!question.trace().timed()) return;
    matching.emplace(question.trace());
    const CausalOrder order(question.trace(), *matching);
    waits = wait_states(question.trace(), *matching, order, {.sends = &question.opened.sends});
    measured = diagnose(question.trace(), paths, *matching, order, waits);
  }
};

void answer_comparison(const ReportQuestion& question, const std::vector<std::int64_t>& ppm,
                       std::string_view command) {
  ModelQuestion second = question.question;
  second.trace = question.other;
  const Half a(question.question, ppm);
  const Half b(second, ppm);
  Report report = compare_runs(a.compared(), b.compared());
  const bool page = output_format(question.question.output) == OutputFormat::html;
  if (page && a.measured && b.measured) {
    report.sections.insert(report.sections.begin() + 1,
                           compared_timelines(a.picture("A"), b.picture("B")));
  }
  report.command = command;
  report.title = std::string(command) + ": " + subject(a.question.opened) + " and " +
                 subject(b.question.opened);
  report.options = to_json(a.question.model);
  report.options["degrade"] = degradations_to_json(ppm);
  report.input = {{"a", input_to_json(a.question.opened)}, {"b", input_to_json(b.question.opened)}};
  for (const Half* side : {&a, &b}) {
    report.findings.merge(side->question.trace().findings());
    report.findings.merge(side->question.graph.findings());
  }
  write_report(report, question.question.output);
}

}  // namespace

void add_report_question(CommandParser& parser, ReportQuestion& question) {
  add_model_question(parser, question.question, OverheadShortName::none);
  parser
      .add_option("other", question.other,
                  "A second trace: instead of all of the first the differences between the two")
      ->type_name("TRACE");
  add_degradations(parser, question.degradations);
  parser
      .add_option("--compare", question.compare,
                  "Show T(L) with these collectives, too; repeat for each")
      ->type_name("RULES")
      ->allow_extra_args(false)  // or it would swallow the trace that follows
      ->group("Model");
  add_network_options(parser, question.question.network);
  const char* simulation = "Simulation";
  add_platform_options(parser, question.machine, simulation);
  parser
      .add_option("--links", question.links,
                  "How many of the most contended links to show, and of the messages slowed most")
      ->type_name("N")
      ->capture_default_str()
      ->group(simulation);
  add_fix_clocks(parser, question.question.open);
}

void answer_report(const ReportQuestion& question, std::string_view command) {
  const std::vector<std::int64_t> ppm = parse_degradations(question.degradations);
  if (!question.other.empty()) {
    answer_comparison(question, ppm, command);
    return;
  }
  OpenedQuestion q = open_question(question.question, CallDetail::named, GraphTime::later);
  const GraphSource graph = [&]() -> const ExecutionGraph& { return complete(q); };
  const bool page = output_format(question.question.output) == OutputFormat::html;
  Json own = {{"degrade", degradations_to_json(ppm)}};
  RunReportOptions options{.degradations_ppm = ppm,
                           .scenarios = question.compare,
                           .pictures = page,
                           .sends = &q.opened.sends};
  if (!question.machine.given()) {
    answer(run_report(q.trace(), graph, q.model, options), command, q, question.question, own);
    return;
  }
  Findings findings;
  Machine machine = resolve_machine(question.machine, q.trace(), findings);
  machine.simulation.record = page;
  machine.simulation.link_usage = question.links > 0;
  machine.simulation.slowed_kept = question.links;
  const Simulation simulation =
      simulate(q.trace(), machine.platform, machine.hosts, machine.simulation);
  const SimulatedRun simulated{simulation, machine.platform,
                               std::filesystem::path(question.machine.platform).filename().string(),
                               question.links};
  options.simulated = &simulated;
  own["simulation"] = to_json(question.machine, machine.smpi);
  Report report = run_report(q.trace(), graph, q.model, options);
  report.findings.merge(findings);
  answer(std::move(report), command, q, question.question, own);
}

}  // namespace slackline
