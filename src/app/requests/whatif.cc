#include "app/requests/model_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "analysis/model/interval.h"
#include "analysis/model/model_choice.h"
#include "analysis/runs/measured.h"
#include "analysis/runs/scheduled_calls.h"
#include "app/load/input.h"
#include "app/load/loaded_graph.h"
#include "app/load/machine.h"
#include "app/load/simulated_time.h"
#include "app/options/option_values.h"
#include "app/options/shared_options.h"
#include "app/report/run_comparison.h"
#include "app/requests/schemas.h"
#include "app/trace_writers.h"
#include "base/error.h"
#include "base/file.h"
#include "base/units.h"
#include "calls/cpu_time.h"
#include "calls/findings.h"
#include "calls/run_span.h"
#include "report/report.h"
#include "sim/simulation.h"
#include "timing/link_load.h"
#include "timing/model_schedule.h"
#include "whatif/actions.h"
#include "whatif/program_writer.h"
#include "whatif/scenario.h"

namespace slackline {
namespace {

Scenario read_scenario(const WhatifRequest& request) {
  Scenario scenario;
  if (!request.scenario.empty()) {
    const MappedFile file(request.scenario);
    scenario = parse_scenario(file.text(), request.scenario);
  }
  for (const std::string& text : request.edits) scenario.edits.push_back(parse_edit(text));
  if (!scenario.edits.empty()) return scenario;
  throw usage_error("no change given", "neither a scenario file nor an edit",
                    "Add a scenario file, or an edit with --set 'balance region=NAME'.");
}

/// A program with the times that a model or a simulation gives it.
struct TimedRun {
  Trace trace;
  double makespan_ns;
  Findings findings{};
  LinkDelay link{};  ///< that the time leaves out, if it is not negligible
};

/// `which`: of the two programs, for errors.
TimedRun run_on_platform(const Trace& program, const PlatformOptions& platform,
                         std::string_view which) {
  Findings findings;
  Machine machine = resolve_machine(platform, program, findings);
  machine.simulation.record = true;
  try {
    const Simulation result =
        simulate(program, machine.platform, machine.hosts, machine.simulation);
    findings.merge(result.findings);
    return {simulated_trace(program, result), ns_of_seconds(result.makespan), std::move(findings)};
  } catch (const Error& error) {
    throw Error(fmt::format("the program {} would not run on the platform", which), error.what());
  }
}

double predicted_ns(const ExecutionGraph& graph, const ModelChoice& choice) {
  return static_cast<double>(model_schedule(graph, picosecond_cost(graph, choice)).makespan_ps) /
         kPicosPerNano;
}

TimedRun run_under_model(const Trace& program, const ExecutionGraph& graph,
                         const ModelChoice& choice) {
  const PicosecondCost cost = picosecond_cost(graph, choice);
  const Schedule schedule = model_schedule(graph, cost);
  TimedRun run{modelled_trace(program, graph, schedule),
               static_cast<double>(schedule.makespan_ps) / kPicosPerNano};
  run.link = material_link_delay(graph, schedule, cost);
  return run;
}

/// An edited program with the computation that the model takes for the program.
Trace as_modelled(Trace edited, const LoadedGraph& loaded) {
  if (!loaded.cpu_time) return edited;
  return loaded.model.computation == "cpu" ? without_pauses(std::move(edited))
                                           : without_recording(std::move(edited));
}

/// A program, timed and analysed.
struct EvaluatedProgram {
  EvaluatedProgram(const Trace& program, const ModelChoice& choice, const WhatifRequest& request,
                   std::string_view which)
      : graph(build_graph(program, choice.graph)),
        model(overview(program, graph, choice, parse_degradations({}))),
        run(request.platform.given() ? run_on_platform(program, request.platform, which)
                                     : run_under_model(program, graph, choice)),
        paths(run.trace),
        diagnosis(diagnose(run.trace, paths, run_span(run.trace).analysed)) {}

  ComparedRun compared(std::string name) const {
    return {std::move(name), run.trace, paths, model, &diagnosis};
  }

  ExecutionGraph graph;
  Overview model;
  TimedRun run;
  CallPaths paths;
  Diagnosis diagnosis;
};

Section edits_section(const std::vector<AppliedEdit>& log) {
  Table table{.id = "edits",
              .title = "Applied edits",
              .columns = {{"edit"},
                          {"changed", Unit::count},
                          {"of selected", Unit::count},
                          {"unit"},
                          {"computation before", Unit::ns, "sum over all ranks"},
                          {"computation after", Unit::ns, "sum over all ranks"}},
              .rows = {}};
  for (const AppliedEdit& applied : log) {
    table.rows.push_back({to_string(applied.edit), static_cast<std::int64_t>(applied.changed),
                          static_cast<std::int64_t>(applied.selected), std::string(applied.unit),
                          applied.computation_before_ns, applied.computation_after_ns});
  }
  return {"edits", "Edits", {std::move(table)}};
}

auto edit_object(const AppliedEdit& applied) {
  return Object{"edit"_key = to_string(applied.edit),
                "changed"_key = applied.changed,
                "selected"_key = applied.selected,
                "unit"_key = applied.unit,
                "computation_before_ns"_key = applied.computation_before_ns,
                "computation_after_ns"_key = applied.computation_after_ns};
}

/// Run times under LogGOPS, of which only the whole is known.
struct LogGOPSTimes {
  double before_ns;
  double after_ns;
};

auto saving_object(const Interval& saved) {
  return Object{"low_ns"_key = saved.low, "high_ns"_key = saved.high};
}

auto loggops_object(const LogGOPSTimes& times) {
  return Object{"before_ns"_key = times.before_ns, "after_ns"_key = times.after_ns};
}

auto whatif_object(const RunComparisonJson& comparison, const Scenario& scenario,
                   const EditedProgram& edited, double before_ns, double after_ns,
                   const std::optional<LogGOPSTimes>& loggops,
                   const std::optional<Interval>& saved) {
  return Object{
      comparison,
      "scenario"_key = scenario.name,
      "edits"_key = list_of(edited.log, edit_object),
      "before"_key = Object{"makespan_ns"_key = before_ns},
      "after"_key = Object{"makespan_ns"_key = after_ns},
      "loggops"_key =
          known_if(loggops.has_value(), loggops_object(loggops.value_or(LogGOPSTimes{}))),
      "saved"_key = known_if(saved.has_value(), saving_object(saved.value_or(Interval{})))};
}

auto whatif_report(Described<ReturnedBy<whatif_object>> described, const LoadedGraph& loaded,
                   const WhatifRequest& request) {
  const bool simulated = request.platform.given();
  return with_context(std::move(described), "whatif", loaded,
                      Object{"evaluated_by"_key = simulated ? "simulation" : "model"});
}
using WhatifReports = CommandReports<ReturnedBy<whatif_report>>;

/// Why edits that selected something leave the run time as it is.
std::string why_unchanged(const std::vector<AppliedEdit>& log) {
  std::string selected;
  bool changed = false;
  for (const AppliedEdit& applied : log) {
    selected += fmt::format("{}{} of {} {}", selected.empty() ? "" : ", ", applied.changed,
                            applied.selected, applied.unit);
    changed = changed || applied.changed > 0;
  }
  if (!changed) return fmt::format("They change {} that they select.", selected);
  return fmt::format(
      "They change {} that they select; a critical path without what they shorten is as long.",
      selected);
}

Paragraph headline(double before_ns, double after_ns, std::string_view how,
                   const std::vector<AppliedEdit>& log) {
  const double saved = before_ns - after_ns;
  if (saved == 0) {
    return {fmt::format("The edits do not change the run time: {} {}. {}",
                        format_time_ns(before_ns), how, why_unchanged(log))};
  }
  return {fmt::format("The run time {} changes from {} to {}: {} {} ({}).", how,
                      format_time_ns(before_ns), format_time_ns(after_ns),
                      format_time_ns(std::abs(saved)), saved > 0 ? "less" : "more",
                      format_percent(std::abs(saved) / before_ns))};
}

/// Throws an Error where the edited program would hang or lose what the program does not.
/// `simulated`: which sends wait for their receivers, the platform says.
void require_runnable(const Findings& before, const Findings& after, bool simulated) {
  struct Defect {
    const FindingKind& kind;
    std::string_view why;
    std::string_view what_to_do = "Use other edits.";
  };
  const std::array defects{
      Defect{kRendezvousDeadlock, "sends wait for each other",
             "Use other edits, or a larger eager threshold: -S."},
      Defect{kSynchronousDeadlock, "synchronous sends wait for each other"},
      Defect{kUnmatchedReceive, "receives wait for messages that no one sends"},
      Defect{kUnmatchedSend, "no one receives some messages"},
      Defect{kCollectiveIncomplete, "some ranks never enter a collective"},
      Defect{kCollectiveMismatch, "ranks call different collectives"}};
  for (const auto& [kind, why, what_to_do] : defects) {
    if (after.count(kind) <= before.count(kind)) continue;
    if (simulated && kind.name == kRendezvousDeadlock.name) continue;
    const auto found = std::ranges::find(after.entries(), kind.name, &Findings::Entry::name);
    const std::string example =
        found->examples.empty() ? "" : fmt::format(" ({})", found->examples.back());
    throw Error("the edited program would not run", fmt::format("{}{}", why, example), what_to_do);
  }
}

std::optional<LogGOPSTimes> loggops_times(const LoadedGraph& loaded, const Trace& edited,
                                          const LogGOPSOptions& options) {
  Findings none;  // those are of platforms
  const SimulatedTime time = simulated_time(loaded, {}, options, none);
  if (!time.given()) return std::nullopt;
  return LogGOPSTimes{time.run_ns(untimed_copy(loaded.program())), time.run_ns(edited)};
}

Paragraph describe(const LogGOPSTimes& times) {
  return {fmt::format("Simulated under LogGOPS: from {} to {}.", format_time_ns(times.before_ns),
                      format_time_ns(times.after_ns))};
}

/// Reductions of the run time under the ends of the measured parameters' intervals.
std::optional<Interval> calibrated_saving(const ModelChoice& choice, const EvaluatedProgram& before,
                                          const EvaluatedProgram& after) {
  if (!choice.bounds) return std::nullopt;
  const double saved = before.run.makespan_ns - after.run.makespan_ns;
  Interval interval{saved, saved, saved};
  for (const LogGPS& model : {choice.bounds->low, choice.bounds->high}) {
    const ModelChoice end = with_model(choice, model);
    const double value = predicted_ns(before.graph, end) - predicted_ns(after.graph, end);
    interval.low = std::min(interval.low, value);
    interval.high = std::max(interval.high, value);
  }
  return interval;
}

Paragraph describe_saving(const Interval& saved) {
  const bool costs = saved.high < 0;
  return {fmt::format("At the ends of the 95 % intervals of L, o and G, the edits {} {} to {}.",
                      costs ? "cost" : "save", format_time_ns(costs ? -saved.high : saved.low),
                      format_time_ns(costs ? -saved.low : saved.high))};
}

/// How far the model is from the run as it was measured: what it says of the edited one is as far.
std::optional<Paragraph> model_error(const Trace& trace, double before_ns) {
  const std::optional<MeasuredRun> measured = measured_run(trace);
  if (!measured || measured->makespan_ns <= 0) return std::nullopt;
  const double ratio = before_ns / static_cast<double>(measured->makespan_ns);
  return Paragraph{
      fmt::format("Predicted run time before the edits / measured run time: {} ({} / {}).",
                  format_percent(ratio), format_time_ns(before_ns),
                  format_time_ns(static_cast<double>(measured->makespan_ns)))};
}

/// Returns what the format cannot hold.
Findings save_program(const std::string& path, const Program& program, const ModelChoice& model) {
  const TraceWriter* writer = writer_by_extension(path);
  if (writer == nullptr) {
    throw usage_error(fmt::format("cannot tell the format of '{}'", path),
                      "no trace format has its extension", "Example: edited.slk.");
  }
  OutputFiles files = output_of(*writer, path);
  std::optional<CallMatching> matching;  // found only if the format asks
  const auto matched = [&]() -> const CallMatching& { return matching.emplace(program.trace); };
  Findings lost = writer->write({program.trace, matched, files.path(), model, nullptr,
                                 TimelineArrows::path, &program.samples});
  files.commit_with_command();
  return lost;
}

}  // namespace

void declare(OptionList& options, WhatifRequest& request) {
  declare(options, request.input);
  options.add("scenario SCENARIO", request.scenario, "TOML file with edits");
  options.add("--set EDIT", request.edits,
              "Edit, applied after those of the scenario; may be repeated (actions: see 'man "
              "slackline-whatif' or --help-all)");
  options.add("--save FILE", request.save,
              "Write the edited program to this file; format by extension");
  declare(options, request.platform);
  options["--platform"].help =
      "Simulate on this platform (SimGrid XML or TOML) instead of using the model";
  declare(options, request.loggops);
  declare_clocks(options, request.input.reading);
}

Report execute(const WhatifRequest& request) {
  const Scenario scenario = read_scenario(request);
  LoadedGraph loaded = load_graph(request.input, CallDetail::named, GraphTime::later);
  // The edits apply to the run with its pauses, so that they are in what is saved.
  const EditedProgram edited = apply(scenario, {loaded.trace(), loaded.opened.samples});
  require_selected(edited);
  const Trace modelled = as_modelled(edited.trace, loaded);
  const EvaluatedProgram before(untimed_copy(loaded.program()), loaded.model, request,
                                "before the edits");
  const EvaluatedProgram after(modelled, loaded.model, request, "after the edits");
  require_runnable(before.graph.findings(), after.graph.findings(), request.platform.given());
  const std::optional<LogGOPSTimes> loggops = loggops_times(loaded, modelled, request.loggops);
  const std::optional<Interval> saved =
      request.platform.given() ? std::nullopt : calibrated_saving(loaded.model, before, after);
  Findings lost;
  if (!request.save.empty()) lost = save_program(request.save, edited, loaded.model);

  auto compared = compare_runs(before.compared("before"), after.compared("after"));
  const std::string_view how =
      request.platform.given() ? "simulated on the platform" : "predicted by the model";
  Section summary{.id = "whatif", .title = "Effect of the edits"};
  summary.items.emplace_back(
      headline(before.run.makespan_ns, after.run.makespan_ns, how, edited.log));
  if (after.run.link.longest_ps > before.run.link.longest_ps) {
    summary.items.emplace_back(
        Paragraph{"After the edits: " + sentence(after.run.link) + " Simulate it: --platform."});
  }
  if (saved) summary.items.emplace_back(describe_saving(*saved));
  if (loggops) summary.items.emplace_back(describe(*loggops));
  if (auto error = model_error(loaded.trace(), before.run.makespan_ns)) {
    summary.items.emplace_back(std::move(*error));
  }
  compared.sections.insert(compared.sections.begin(),
                           {std::move(summary), edits_section(edited.log)});
  Report report = WhatifReports::untyped(
      whatif_report({whatif_object(compared.result, scenario, edited, before.run.makespan_ns,
                                   after.run.makespan_ns, loggops, saved),
                     std::move(compared.sections)},
                    loaded, request));
  report.findings.merge(lost);
  for (const EvaluatedProgram* program : {&before, &after}) {
    report.findings.merge(program->run.findings);
    if (program->run.link.rank >= 0) {
      report.findings.add(kLinkExceeded, describe(program->run.link));
    }
    report.findings.merge(program->graph.findings());
  }
  return report;
}

std::vector<std::pair<std::string, std::string>> edit_summaries() {
  std::vector<std::pair<std::string, std::string>> summaries;
  for (const EditAction& action : edit_actions()) {
    summaries.emplace_back(action.name, action.summary);
  }
  return summaries;
}

CommandSchema whatif_schema() {
  return WhatifReports::schema();
}

}  // namespace slackline
