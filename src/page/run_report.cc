#include "page/run_report.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "analysis/comparison.h"
#include "analysis/model_functions.h"
#include "analysis/overview.h"
#include "base/parallel.h"
#include "base/units.h"
#include "diagnosis/judgement.h"
#include "page/answers.h"
#include "page/matrices.h"
#include "page/network_report.h"
#include "page/pictures.h"
#include "page/run_tables.h"

namespace slackline {
namespace {

constexpr int kScenarioPoints = 41;

void put_first(std::vector<Section>& sections, std::vector<Section> first) {
  sections.insert(sections.begin(), std::make_move_iterator(first.begin()),
                  std::make_move_iterator(first.end()));
}

/// What there is nothing to say of leaves no keys.
void add_result(Report& report, const Report& more) {
  if (more.result.is_object()) report.result.update(more.result);
}

void add(Report& report, Report more) {
  add_result(report, more);
  std::ranges::move(more.sections, std::back_inserter(report.sections));
}

/// The time line goes to the head, the matrices to the end. Numbers for scripts in any case.
void add_pictures(Report& report, const PictureInput& picture, const WaitStates* waits,
                  const RunReportOptions& options) {
  Report pairs;
  std::optional<Section> timeline;
  parallel_for(options.pictures ? 2 : 1, [&](std::size_t part) {
    if (part == 0) {
      pairs = matrices(picture.trace, picture.matching, waits, picture.graph, picture.schedule);
    } else {
      timeline = timeline_section(picture);
    }
  });
  if (!options.pictures) pairs.sections.clear();
  add(report, std::move(pairs));
  if (timeline) report.sections.insert(report.sections.begin(), std::move(*timeline));
}

/// The time line has the monitor's curves below it, on its own axis.
void drop_curves_over_time(std::vector<Section>& sections) {
  for (Section& section : sections) {
    std::erase_if(section.items, [](const Item& item) {
      const auto* series = std::get_if<Series>(&item);
      return series != nullptr && series->id == "windows";
    });
  }
}

/// T(L) of the run as it is and with other collective algorithms.
void add_scenarios(Report& report, const Trace& trace, const ModelChoice& choice,
                   const Overview& model, const RunReportOptions& options) {
  if (options.scenarios.empty() || model.sensitivity.pieces.empty()) return;
  std::vector<std::string> rules{choice.graph.collectives.to_string()};
  rules.insert(rules.end(), options.scenarios.begin(), options.scenarios.end());
  const auto end_fs = static_cast<std::int64_t>(model.sensitivity.pieces.back().to_ns *
                                                static_cast<double>(kFemtosPerNano));
  Report scenarios =
      describe(compare_collectives(trace, choice, rules, Parameter::latency, 0, end_fs,
                                   kScenarioPoints, options.degradations_ppm));
  report.result["scenarios"] = std::move(scenarios.result);
  for (Section& section : scenarios.sections) {
    section.title = "Other collective algorithms";
    report.sections.push_back(std::move(section));
  }
}

/// What the model says of a run.
struct ModelSide {
  ModelSide(const Trace& trace, const GraphSource& source, const ModelChoice& choice,
            const std::vector<std::int64_t>& degradations_ppm)
      : graph(source()), run(graph, choice) {
    const ModelFunctions functions(graph, choice);
    model = overview(trace, functions, run, degradations_ppm);
    network = network_report(functions, degradations_ppm);
  }

  const ExecutionGraph& graph;
  ModelledRun run;
  Overview model;
  Report network;
};

/// What a measured run says of itself, in the order in which it is found.
struct MeasuredSide {
  MeasuredSide(const Trace& trace, const CallMatching& matching, const CallPaths& paths,
               const SendRecords* sends)
      : order(trace, matching),
        waits(wait_states(trace, matching, order, {.sends = sends})),
        diagnosis(diagnose(trace, paths, matching, order, waits)) {}

  CausalOrder order;
  WaitStates waits;
  Diagnosis diagnosis;
};

}  // namespace

Report run_report(const Trace& trace, const GraphSource& source, const ModelChoice& choice,
                  const RunReportOptions& options) {
  std::optional<ModelSide> predicted;
  std::optional<CallMatching> matched;
  const CallPaths paths(trace);
  std::optional<MeasuredSide> measured;
  // Neither knows the other: the graph with the model's answers, and the measured run's.
  parallel_for(2, [&](std::size_t side) {
    if (side == 0) {
      predicted.emplace(trace, source, choice, options.degradations_ppm);
    } else {
      matched.emplace(trace);
      if (trace.timed()) measured.emplace(trace, *matched, paths, options.sends);
    }
  });
  const ExecutionGraph& graph = predicted->graph;
  const Overview& model = predicted->model;
  Report report = describe(model, trace);
  add(report, std::move(predicted->network));
  add_scenarios(report, trace, choice, model, options);
  if (model.prediction.measured && options.pictures) {
    overlay_measured(report.sections, static_cast<double>(model.prediction.measured->makespan_ns));
  }
  Report collectives = collectives_report(trace, choice);
  add_result(report, collectives);
  put_first(report.sections, std::move(collectives.sections));
  if (options.simulated != nullptr) {
    Report simulated = simulation_report(*options.simulated, trace, model.prediction);
    add_result(report, simulated);
    put_first(report.sections, std::move(simulated.sections));
    report.findings.merge(options.simulated->simulation.findings);
  }
  PictureInput picture{trace, graph, predicted->run.schedule, model.prediction, *matched, paths};
  picture.simulated = options.simulated;
  if (!measured) {
    add_pictures(report, picture, nullptr, options);
    add_answers(answers(model), report);
    add_judgement(judgement(model), report);
    return report;
  }
  const Diagnosis& found = measured->diagnosis;
  Report diagnosis = describe(found, trace, paths);
  if (options.pictures) drop_curves_over_time(diagnosis.sections);
  add_result(report, diagnosis);
  report.findings.merge(new_findings(diagnosis.findings, graph.findings()));
  Report regions = regions_report(found, trace, paths);
  add_result(report, regions);
  put_first(report.sections, std::move(regions.sections));
  put_first(report.sections, std::move(diagnosis.sections));
  picture.measured.emplace(MeasuredPictures{measured->waits, found.path, found.monitor});
  add_pictures(report, picture, &measured->waits, options);
  add_answers(answers(found, paths, model), report);
  add_judgement(judgement(found, trace, paths), report);
  return report;
}

}  // namespace slackline
