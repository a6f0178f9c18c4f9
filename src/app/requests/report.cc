#include "app/requests/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "app/load/input.h"
#include "app/load/loaded_graph.h"
#include "app/load/machine.h"
#include "app/load/path_analysis.h"
#include "app/load/run.h"
#include "app/load/run_analyses.h"
#include "app/options/option_values.h"
#include "app/options/shared_options.h"
#include "app/options/summary_options.h"
#include "app/report/large_run_report.h"
#include "app/report/run_comparison.h"
#include "app/report/run_report.h"
#include "app/report/sections.h"
#include "app/report/training_run_report.h"
#include "app/requests/advise.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/parallel.h"
#include "page/drawn_timeline.h"
#include "page/pictures.h"
#include "page/timeline.h"
#include "parallel/process_group.h"

namespace slackline {
namespace {

/// One of two runs to compare, analysed side by side: by the model, and as it was measured.
struct ReportedSide {
  ReportedSide(const ModelRequest& request, const std::vector<std::int64_t>& degradations_ppm,
               std::string analysed)
      : interval(std::move(analysed)),
        loaded(load_graph(request, CallDetail::named, GraphTime::later, KeepMatching::yes)),
        matching(matching_of(loaded.opened)),
        paths(loaded.trace()) {
    parallel_for(2, [&](std::size_t part) {
      part == 0 ? predict_run(degradations_ppm) : analyse_measured_run();
    });
  }
  ComparedPicture picture(const char* letter) const {
    return {std::string(letter) + ": " + loaded.opened.path,
            loaded.trace(),
            matching,
            paths,
            {waits, measured->path, measured->monitor}};
  }
  ComparedRun compared() const {
    return {loaded.opened.path, loaded.trace(), paths, model, measured ? &*measured : nullptr};
  }

  std::string interval;
  LoadedGraph loaded;
  const CallMatching& matching;
  CallPaths paths;
  Overview model{};
  WaitStates waits{};
  std::optional<Diagnosis> measured{};

 private:
  void predict_run(const std::vector<std::int64_t>& degradations_ppm) {
    model = overview(loaded.trace(), complete(loaded), loaded.model, degradations_ppm);
  }
  void analyse_measured_run() {
    if (!loaded.trace().timed()) return;
    const CausalOrder order(loaded.trace(), matching);
    waits = wait_states(loaded.trace(), matching, order, {.sends = &loaded.opened.sends});
    measured = diagnose(loaded.trace(), paths, matching, order, waits,
                        {.analysed = resolve_interval(interval, loaded.trace()),
                         .samples = &loaded.opened.samples});
  }
};

auto comparison_report(const ReportRequest& request, const std::vector<std::int64_t>& ppm) {
  ModelRequest other = request.input;
  other.trace = request.other;
  const ReportedSide a(request.input, ppm, request.interval);
  const ReportedSide b(other, ppm, request.interval);
  auto report = compare_runs(a.compared(), b.compared());
  if (request.pictures && a.measured && b.measured) {
    report.sections.insert(report.sections.begin() + 1,
                           compared_timelines(a.picture("A"), b.picture("B")));
  }
  for (const ReportedSide* side : {&a, &b}) {
    report.findings.merge(side->loaded.trace().findings());
    report.findings.merge(side->loaded.graph.findings());
  }
  return typed_report(
      "report", "report: " + subject(a.loaded.opened) + " and " + subject(b.loaded.opened),
      Object{to_json(a.loaded.model), "degrade"_key = ratios_of(ppm),
             "interval"_key = request.interval},
      Object{"a"_key = input_to_json(a.loaded.opened), "b"_key = input_to_json(b.loaded.opened)},
      std::move(report));
}

/// `platform`: of a simulation.
auto run_report_of(const ReportRequest& request, const std::vector<std::int64_t>& ppm,
                   const LoadedGraph& loaded, Described<RunReportJson> described,
                   const std::optional<PlatformJson>& platform) {
  return with_context(std::move(described), "report", loaded,
                      Object{"degrade"_key = ratios_of(ppm), "interval"_key = request.interval,
                             "simulation"_key.when(platform)});
}

auto large_run_report_of(const ReportRequest& request, const Run& run,
                         const MeasuredInStretches& measured) {
  return with_context(describe(measured, run.trace(), run.paths()), "report", run.loaded(),
                      Object{"interval"_key = request.interval});
}

using ReportReports = CommandReports<ReturnedBy<run_report_of>, ReturnedBy<large_run_report_of>,
                                     ReturnedBy<comparison_report>, TrainingRunReport>;

/// The report with the run simulated on a machine, too.
Report report_with_simulation(const ReportRequest& request, LoadedGraph& loaded,
                              RunReportOptions options) {
  Findings findings;
  Machine machine = resolve_machine(request.machine, loaded.trace(), findings);
  machine.simulation.record = request.pictures;
  machine.simulation.link_usage = request.links > 0;
  machine.simulation.slowed_kept = request.links;
  const Simulation simulation =
      simulate(loaded.program(), machine.platform, machine.hosts, machine.simulation);
  const SimulatedRun simulated{simulation, machine.platform,
                               std::filesystem::path(request.machine.platform).filename().string(),
                               request.links};
  options.simulated = &simulated;
  const GraphSource graph = [&]() -> const ExecutionGraph& { return complete(loaded); };
  auto described =
      run_report(loaded.trace(), matching_of(loaded.opened), graph, loaded.model, options);
  if (request.pictures) add_link_map(described.sections, simulated);
  described.findings.merge(findings);
  return ReportReports::untyped(run_report_of(request, options.degradations_ppm, loaded,
                                              std::move(described),
                                              to_json(request.machine, machine.smpi)));
}

/// The first screen, which is its sections only.
Report screen(const ReportRequest& request, LoadedGraph& loaded, const RunReportOptions& options) {
  const GraphSource graph = [&]() -> const ExecutionGraph& { return complete(loaded); };
  AdviceSource advise;
  if (is_measured(loaded, request.input)) {
    advise.on_run = [&](ScenarioRuns& runs, std::span<const LimitingCause> limits) {
      return advice_on(runs, limits, loaded, request.input, {.count = 1});
    };
  }
  advise.on_prediction = [&] {
    complete(loaded);  // in use by others, who must not see it change
    return advice_on(predicted_run(loaded), loaded, request.input, {.count = 1});
  };
  Report report = run_summary(loaded.trace(), matching_of(loaded.opened), graph, loaded.model,
                              options, loaded.opened.path, advise);
  report.command = "report";
  report.title = report_title("report", loaded.opened);
  report.findings.merge(loaded.opened.trace.findings());
  report.findings.merge(loaded.findings);
  report.findings.merge(loaded.graph.findings());
  return report;
}

Error no_summary(const std::string& path) {
  return Error(fmt::format("cannot write a summary of '{}'", path),
               "only traces with measured times have one",
               "Record the run with 'slackline record'.");
}

void refuse_summary_of_two(const ReportRequest& request) {
  if (request.summary.file.empty() || request.other.empty()) return;
  throw usage_error("cannot write a summary", "there are two runs",
                    "Write a summary of each: slackline report TRACE --summary FILE.json.");
}

/// Whether all that is asked for can be told of a run in stretches.
bool may_be_in_stretches(const ReportRequest& request) {
  return request.other.empty() && !request.machine.given() && request.summary.file.empty() &&
         request.compare.empty() && request.degradations.empty() && !request.every_call &&
         !request.input.model.given() && !request.input.network.given() &&
         std::ranges::all_of(request.sections, [](const std::string& name) {
           return std::ranges::find(kSectionsInStretches, name) != kSectionsInStretches.end();
         });
}

std::optional<Report> report_in_stretches(const ReportRequest& request, ProcessGroup& group) {
  group.set_unshared("only what a report says of the measured run is shared");
  if (!may_be_in_stretches(request)) return std::nullopt;
  RunRequest measured{.trace = request.input.trace, .reading = request.input.reading};
  if (!request.screen) measured.reading.bytes_per_call = bytes_per_call::kWholeReport;
  std::optional<Run> run = Run::open_in_stretches(
      measured, group, request.measured ? StretchUse::always : StretchUse::for_memory);
  if (!run) return std::nullopt;
  EfficiencyAnalysis efficiency({}, request.interval);
  WaitAnalysis waits({}, request.interval);
  PathAnalysis path({}, request.interval);
  if (!run->analyse_in_stretches({&efficiency, &waits, &path})) return std::nullopt;
  if (!group.is_first()) return Report();
  return ReportReports::untyped(
      large_run_report_of(request, *run, {efficiency.take(), waits.take(), path.take()}));
}

Report whole_report(const ReportRequest& request) {
  const std::vector<std::int64_t> ppm = parse_degradations(request.degradations);
  if (!request.other.empty()) return ReportReports::untyped(comparison_report(request, ppm));
  ModelRequest input = request.input;
  if (!request.screen) input.reading.bytes_per_call = bytes_per_call::kWholeReport;
  LoadedGraph loaded = load_graph(input, CallDetail::named, GraphTime::later, KeepMatching::yes);
  require_calls(loaded.opened, loaded.trace().call_count(), "nothing to report on");
  if (!request.summary.file.empty() && !loaded.trace().timed())
    throw no_summary(loaded.opened.path);
  RunReportOptions options{.degradations_ppm = ppm,
                           .scenarios = request.compare,
                           .pictures = request.pictures,
                           .every_call = request.every_call,
                           .sends = &loaded.opened.sends,
                           .analysed = resolve_interval(request.interval, loaded.trace()),
                           .samples = &loaded.opened.samples,
                           .identity = identity_of(request.summary)};
  if (!request.summary.file.empty()) {
    options.summarised = [&](const JobSummary& s) { write_summary(request.summary, s); };
  }
  if (request.machine.given()) return report_with_simulation(request, loaded, options);
  if (request.screen) return screen(request, loaded, options);
  const GraphSource graph = [&]() -> const ExecutionGraph& { return complete(loaded); };
  auto described =
      run_report(loaded.trace(), matching_of(loaded.opened), graph, loaded.model, options);
  return ReportReports::untyped(run_report_of(request, ppm, loaded, std::move(described), {}));
}

/// Options that would change nothing in the report of a training run.
void refuse_options_of_traces(const ReportRequest& request) {
  ReportRequest given = request;
  ReportRequest made;
  OptionList options;
  OptionList defaults;
  declare(options, given);
  declare(defaults, made);
  constexpr std::array<std::string_view, 2> kOfTraining{"trace", "--section"};
  for (const std::string& name : changed_options(options, defaults)) {
    if (std::ranges::find(kOfTraining, name) != kOfTraining.end()) continue;
    throw usage_error(fmt::format("cannot use {} here", name),
                      fmt::format("it has no effect on the profiles of a training run, as '{}'",
                                  request.input.trace),
                      "Omit it.");
  }
}

Error no_comparison(const std::string& path) {
  return Error("cannot compare the two runs", fmt::format("'{}' is a training run", path),
               "Report on each training run by itself.");
}

/// One of a run that fits in memory.
Report report_on_whole(const ReportRequest& request) {
  if (!request.other.empty()) {
    for (const std::string& path : {request.input.trace, request.other}) {
      if (is_training(path)) throw no_comparison(path);
    }
    return whole_report(request);
  }
  const std::string path = input_path(request.input.trace);
  if (!is_training(path)) return whole_report(request);
  refuse_options_of_traces(request);
  Report report = ReportReports::untyped(std::move(*training_run_report(path, request.pictures)));
  require_training_sections(request.sections, report);
  return report;
}

}  // namespace

void declare(OptionList& options, ReportRequest& request) {
  declare(options, request.input);
  options.add("other TRACE", request.other,
              "Second trace: report the differences between the two runs");
  declare_degradations(options, request.degradations);
  options.add("--compare RULES", request.compare,
              "Also show T(L) with these collective algorithms; may be repeated");
  declare(options, request.machine);
  options.add("--links N", request.links,
              "With --platform: number of most contended links and most delayed messages to show");
  declare_clocks(options, request.input.reading);
  describe_memory_of_stretches(options);
  declare_interval(options, request.interval);
  options.add("--measured", request.measured,
              "Only efficiency, wait states, critical path and imbalance of the measured run: "
              "takes half of the time, and processes under a launcher share it");
  options.add("--section NAMES", request.sections,
              "Sections to show, separated by commas: diagnosis, questions, timeline, time, "
              "machine, waits, phases, efficiency, path, imbalance, regions, collectives, "
              "matrices, model",
              {.separator = ','});
  declare(options, request.summary);
}

Report execute(const ReportRequest& request, ProcessGroup& group) {
  check_section_names(request.sections);
  refuse_summary_of_two(request);
  std::optional<Report> report = report_in_stretches(request, group);
  if (!report) report = group.is_first() ? report_on_whole(request) : Report();
  const bool asks_for_all = request.sections.empty() && request.measured;
  const std::vector<std::string> of_stretches(kSectionsInStretches.begin(),
                                              kSectionsInStretches.end());
  select_sections(asks_for_all ? of_stretches : request.sections, *report);
  return std::move(*report);
}

bool fits_in_a_file(const Report& report) {
  return std::ranges::none_of(report.sections, [](const Section& section) {
    return std::ranges::any_of(section.items, [](const Item& item) {
      const auto* picture = std::get_if<PicturePtr>(&item);
      const auto* drawn = picture ? dynamic_cast<const Timeline*>(picture->get()) : nullptr;
      return drawn != nullptr && !fits_in_a_file(drawn->calls);
    });
  });
}

bool fits_in_a_file(std::uint64_t calls) {
  return calls <= kExactCalls;
}

CommandSchema report_schema() {
  return ReportReports::schema();
}

}  // namespace slackline
