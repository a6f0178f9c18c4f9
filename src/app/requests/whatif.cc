#include "app/requests/model_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/model/interval.h"
#include "analysis/model/model_choice.h"
#include "analysis/runs/measured.h"
#include "analysis/runs/scheduled_calls.h"
#include "analysis/summary/diagnosis.h"
#include "analysis/summary/scenario_runs.h"
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

/// A program with the times of a measurement, a model or a simulation.
struct TimedRun {
  Trace trace;
  double makespan_ns;
  Findings findings{};
  LinkDelay link{};                        ///< that the time leaves out, if it is not negligible
  const OpenedTrace* recording = nullptr;  ///< of a measured run, also one with edits
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

/// Gives a program its times.
using RunProgram = std::function<TimedRun(const Trace&, const ExecutionGraph&)>;
/// Told of a run while it is analysed.
using Limited = std::function<void(ScenarioRuns&, std::span<const LimitingCause>)>;

Diagnosis diagnosis_of(const TimedRun& run, const CallPaths& paths, const Limited& limited) {
  const CallMatching matching(run.trace);
  const CausalOrder order(run.trace, matching);
  const RunSpan span = run_span(run.trace);
  WaitOptions waits;
  DiagnosisOptions options{.analysed = span.analysed, .limited = limited};
  if (run.recording != nullptr) {
    waits.sends = &run.recording->sends;
    options.analysed = span.common;  // as all reports of a measured run
    options.samples = &run.recording->samples;
  }
  return diagnose(run.trace, paths, matching, order, wait_states(run.trace, matching, order, waits),
                  options);
}

/// A program, timed and analysed.
struct EvaluatedProgram {
  EvaluatedProgram(const Trace& program, const ModelChoice& choice, const RunProgram& run_program,
                   const Limited& limited = {})
      : graph(build_graph(program, choice.graph)),
        model(overview(program, graph, choice, parse_degradations({}))),
        run(run_program(program, graph)),
        paths(run.trace),
        diagnosis(diagnosis_of(run, paths, limited)) {}

  EvaluatedProgram(const EvaluatedProgram&) = delete;
  EvaluatedProgram& operator=(const EvaluatedProgram&) = delete;

  ComparedRun compared(std::string name) const {
    return {std::move(name), run.trace, paths, model, &diagnosis};
  }

  ExecutionGraph graph;
  Overview model;
  TimedRun run;
  CallPaths paths;
  Diagnosis diagnosis;
};

/// What an edited program with the same calls computes more before each of them.
GapChanges gap_changes(const Trace& before, const Trace& after) {
  GapChanges changes(static_cast<std::size_t>(before.ranks()));
  for (std::size_t r = 0; r < changes.size(); ++r) {
    const auto rank = static_cast<std::int32_t>(r);
    for (std::size_t i = 0; i <= before.calls(rank).size(); ++i) {
      changes[r].push_back(after.calls(rank).gap_ns(i) - before.calls(rank).gap_ns(i));
    }
  }
  return changes;
}

bool has_threads(const Trace& trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (trace.calls(r).has_threads()) return true;
  }
  return false;
}

/// The program before and after the edits.
struct Evaluated {
  std::string_view by;        ///< "measured_run", "model" or "simulation"
  std::string_view run_time;  ///< for people
  EvaluatedProgram before, after;
};

/// On the measured run, of which `edited` has all calls; `modelled`: what the model makes of that.
Evaluated on_measured_run(const LoadedGraph& loaded, const Trace& program, const Trace& edited,
                          const Trace& modelled) {
  const auto measured_ns = static_cast<double>(run_span(loaded.trace()).common.length_ns());
  std::optional<TimedRun> executed;
  const Limited execute_edited = [&](ScenarioRuns& runs, std::span<const LimitingCause>) {
    const RunScenario scenario{
        .gaps = std::make_shared<const GapChanges>(gap_changes(loaded.trace(), edited))};
    // The run as it was, executed, leaves out pauses between polls; so does the edited one.
    const double as_it_was_ns = runs.of(RunScenario()).run_ns;
    const double run_ns = runs.execute(std::span(&scenario, 1)).front().run_ns;
    executed = TimedRun{.trace = runs.execute(scenario, edited),
                        .makespan_ns = measured_ns - (as_it_was_ns - run_ns),
                        .recording = &loaded.opened};
  };
  const RunProgram before = [&](const Trace&, const ExecutionGraph&) {
    return TimedRun{
        .trace = loaded.trace(), .makespan_ns = measured_ns, .recording = &loaded.opened};
  };
  const RunProgram after = [&](const Trace&, const ExecutionGraph&) {
    return std::move(*executed);
  };
  return {"measured_run", "measured run time",
          EvaluatedProgram(program, loaded.model, before, execute_edited),
          EvaluatedProgram(modelled, loaded.model, after)};
}

Evaluated evaluate(const LoadedGraph& loaded, const WhatifRequest& request,
                   const Scenario& scenario, const Trace& edited, const Trace& modelled) {
  const Trace program = untimed_copy(loaded.program());
  if (request.platform.given()) {
    const auto run_on = [&](const Trace& of, std::string_view which) {
      const RunProgram run = [&](const Trace& given, const ExecutionGraph&) {
        return run_on_platform(given, request.platform, which);
      };
      return EvaluatedProgram(of, loaded.model, run);
    };
    return {"simulation", "run time simulated on the platform", run_on(program, "before the edits"),
            run_on(modelled, "after the edits")};
  }
  if (is_measured(loaded, request.input) && keeps_calls(scenario) && !has_threads(loaded.trace())) {
    return on_measured_run(loaded, program, edited, modelled);
  }
  const RunProgram under_model = [&](const Trace& of, const ExecutionGraph& graph) {
    return run_under_model(of, graph, loaded.model);
  };
  return {"model", "run time predicted by the model",
          EvaluatedProgram(program, loaded.model, under_model),
          EvaluatedProgram(modelled, loaded.model, under_model)};
}

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

/// Run times of the program before and after the edits.
struct BeforeAndAfter {
  double before_ns;
  double after_ns;
};

auto saving_object(const Interval& saved) {
  return Object{"low_ns"_key = saved.low, "high_ns"_key = saved.high};
}

auto run_times_object(const BeforeAndAfter& times) {
  return Object{"before_ns"_key = times.before_ns, "after_ns"_key = times.after_ns};
}

auto whatif_object(const RunComparisonJson& comparison, const Scenario& scenario,
                   const EditedProgram& edited, const BeforeAndAfter& run,
                   const std::optional<BeforeAndAfter>& loggops,
                   const std::optional<BeforeAndAfter>& measured,
                   const std::optional<Interval>& saved) {
  return Object{
      comparison,
      "scenario"_key = scenario.name,
      "edits"_key = list_of(edited.log, edit_object),
      "before"_key = Object{"makespan_ns"_key = run.before_ns},
      "after"_key = Object{"makespan_ns"_key = run.after_ns},
      "loggops"_key =
          known_if(loggops.has_value(), run_times_object(loggops.value_or(BeforeAndAfter{}))),
      "measured_run"_key =
          known_if(measured.has_value(), run_times_object(measured.value_or(BeforeAndAfter{}))),
      "saved"_key = known_if(saved.has_value(), saving_object(saved.value_or(Interval{})))};
}

auto whatif_report(Described<ReturnedBy<whatif_object>> described, const LoadedGraph& loaded,
                   std::string_view evaluated_by) {
  return with_context(std::move(described), "whatif", loaded,
                      Object{"evaluated_by"_key = evaluated_by});
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

Paragraph effect(const BeforeAndAfter& run, std::string_view which,
                 const std::vector<AppliedEdit>& log) {
  const double saved = run.before_ns - run.after_ns;
  if (saved == 0) {
    return {fmt::format("The edits do not change the {}: {}. {}", which,
                        format_time_ns(run.before_ns), why_unchanged(log))};
  }
  return {fmt::format("The {} changes from {} to {}: {} {} ({}).", which,
                      format_time_ns(run.before_ns), format_time_ns(run.after_ns),
                      format_time_ns(std::abs(saved)), saved > 0 ? "less" : "more",
                      format_percent(std::abs(saved) / run.before_ns))};
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

std::optional<BeforeAndAfter> loggops_times(const LoadedGraph& loaded, const Trace& edited,
                                            const LogGOPSOptions& options) {
  Findings none;  // those are of platforms
  const SimulatedTime time = simulated_time(loaded, {}, options, none);
  if (!time.given()) return std::nullopt;
  return BeforeAndAfter{time.run_ns(untimed_copy(loaded.program())), time.run_ns(edited)};
}

Paragraph describe(const BeforeAndAfter& times, std::string_view how) {
  return {fmt::format("{}: from {} to {}.", how, format_time_ns(times.before_ns),
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
  const Evaluated evaluated = evaluate(loaded, request, scenario, edited.trace, modelled);
  const EvaluatedProgram& before = evaluated.before;
  const EvaluatedProgram& after = evaluated.after;
  const bool by_model = evaluated.by == "model";
  const BeforeAndAfter run{before.run.makespan_ns, after.run.makespan_ns};
  const BeforeAndAfter predicted{before.model.prediction.makespan_ns,
                                 after.model.prediction.makespan_ns};
  const bool measured = evaluated.by == "measured_run";
  const BeforeAndAfter& named = measured ? predicted : run;
  require_runnable(before.graph.findings(), after.graph.findings(), request.platform.given());
  const std::optional<BeforeAndAfter> loggops = loggops_times(loaded, modelled, request.loggops);
  const std::optional<Interval> saved =
      by_model ? calibrated_saving(loaded.model, before, after) : std::nullopt;
  Findings lost;
  if (!request.save.empty()) lost = save_program(request.save, edited, loaded.model);

  auto compared = compare_runs(before.compared("before"), after.compared("after"));
  Section summary{.id = "whatif", .title = "Effect of the edits"};
  summary.items.emplace_back(effect(run, evaluated.run_time, edited.log));
  if (measured) summary.items.emplace_back(describe(predicted, "Predicted by the model"));
  if (after.run.link.longest_ps > before.run.link.longest_ps) {
    summary.items.emplace_back(
        Paragraph{"After the edits: " + sentence(after.run.link) + " Simulate it: --platform."});
  }
  if (saved) summary.items.emplace_back(describe_saving(*saved));
  if (loggops) summary.items.emplace_back(describe(*loggops, "Simulated under LogGOPS"));
  if (by_model) {
    if (auto error = model_error(loaded.trace(), before.run.makespan_ns)) {
      summary.items.emplace_back(std::move(*error));
    }
  }
  compared.sections.insert(compared.sections.begin(),
                           {std::move(summary), edits_section(edited.log)});
  Report report = WhatifReports::untyped(
      whatif_report({whatif_object(compared.result, scenario, edited, named, loggops,
                                   measured ? std::optional(run) : std::nullopt, saved),
                     std::move(compared.sections)},
                    loaded, evaluated.by));
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
