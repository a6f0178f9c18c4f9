#include "app/report/run_report.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <optional>
#include <utility>

#include "analysis/model/comparison.h"
#include "analysis/model/model_choice.h"
#include "analysis/model/overview.h"
#include "analysis/summary/headlines.h"
#include "analysis/summary/judgement.h"
#include "app/report/answers.h"
#include "app/report/network_report.h"
#include "app/report/pair_matrices.h"
#include "app/report/run_sections.h"
#include "base/parallel.h"
#include "base/units.h"
#include "page/pictures.h"

namespace slackline {
namespace {

constexpr int kScenarioPoints = 41;

void put_first(std::vector<Section>& sections, std::vector<Section> first) {
  sections.insert(sections.begin(), std::make_move_iterator(first.begin()),
                  std::make_move_iterator(first.end()));
}

/// What the parts of the report say for scripts.
struct RunResult {
  OverviewJson model;
  NetworkJson network;
  std::optional<ComparisonJson> scenarios{};
  std::optional<CollectivesJson> collectives{};
  std::optional<SimulatedRunJson> simulated{};
  std::optional<MeasuredJson> measured{};
  std::optional<RegionsJson> regions{};
  std::optional<MatricesJson> matrices{};
  std::optional<HeadlinesJson> headlines{};
  std::optional<AnswersJson> answers{};
  std::optional<JudgementJson> judgement{};
  std::optional<JobSummaryJson> summary{};
};

auto run_object(const RunResult& r) {
  return Object{"judgement"_key.when(r.judgement),
                r.model,
                r.network,
                "scenarios"_key.when(r.scenarios),
                r.collectives,
                r.simulated,
                r.measured,
                r.regions,
                *r.matrices,
                "headlines"_key.when(r.headlines),
                "answers"_key.when(r.answers),
                "summary"_key.when(r.summary)};
}

using RunDescription = Described<RunResult>;

/// What is drawn, and what the matrices say in numbers for scripts in any case.
struct Pictures {
  std::optional<Described<MatricesJson>> pairs;
  std::optional<Section> timeline;
};

Pictures draw(const PictureInput& picture, bool drawn) {
  Pictures p;
  parallel_for(drawn ? 2 : 1, [&](std::size_t part) {
    if (part == 0) {
      const WaitStates* waits = picture.measured ? &picture.measured->waits : nullptr;
      p.pairs = pair_matrices(picture.trace, picture.matching, waits, picture.graph,
                              picture.predicted.schedule);
    } else {
      p.timeline = timeline_section(picture);
    }
  });
  if (!drawn) p.pairs->sections.clear();
  return p;
}

/// The time line goes to the head, the matrices to the end.
void add_pictures(RunDescription& report, Pictures pictures) {
  report.result.matrices = std::move(pictures.pairs->result);
  std::ranges::move(pictures.pairs->sections, std::back_inserter(report.sections));
  if (pictures.timeline) {
    report.sections.insert(report.sections.begin(), std::move(*pictures.timeline));
  }
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
void add_scenarios(RunDescription& report, const Trace& trace, const ModelChoice& choice,
                   const Overview& model, const RunReportOptions& options) {
  if (options.scenarios.empty() || model.sensitivity.pieces.empty()) return;
  std::vector<std::string> rules{choice.graph.collectives.to_string()};
  rules.insert(rules.end(), options.scenarios.begin(), options.scenarios.end());
  const auto end_fs = static_cast<std::int64_t>(model.sensitivity.pieces.back().to_ns *
                                                static_cast<double>(kFemtosPerNano));
  auto scenarios = describe(compare_collectives(trace, choice, rules, Parameter::latency, 0, end_fs,
                                                kScenarioPoints, options.degradations_ppm));
  report.result.scenarios = std::move(scenarios.result);
  for (Section& section : scenarios.sections) {
    section.title = "Other collective algorithms";
    report.sections.push_back(std::move(section));
  }
}

/// What the model says of a run beside what happens at its own values, which are worked out while
/// the graph is reduced.
struct ModelAnswers {
  ModelAnswers(const Trace& trace, const ExecutionGraph& graph, const ModelChoice& choice,
               const std::shared_future<ModelledRun>& run,
               const std::vector<std::int64_t>& degradations_ppm) {
    const ModelFunctions functions(graph, choice);
    overview = slackline::overview(trace, functions, run.get(), degradations_ppm);
    network.emplace(network_report(functions, degradations_ppm));
  }

  Overview overview;
  std::optional<Described<NetworkJson>> network{};
};

/// What a measured run says of itself, in the order in which it is found.
struct MeasuredSide {
  MeasuredSide(const Trace& trace, const CallMatching& matching, const CallPaths& paths,
               const RunReportOptions& options, DiagnosisDetail detail = DiagnosisDetail::all,
               const AdviceSource& advise = {})
      : order(trace, matching),
        waits(wait_states(trace, matching, order, {.sends = options.sends})) {
    DiagnosisOptions how{
        .detail = detail, .analysed = options.analysed, .samples = options.samples};
    if (advise.on_run) {
      how.limited = [&](ScenarioRuns& runs, std::span<const LimitingCause> limits) {
        advice = advise.on_run(runs, limits);
      };
    }
    diagnosis = diagnose(trace, paths, matching, order, waits, how);
  }

  CausalOrder order;
  WaitStates waits;
  std::optional<Advice> advice{};
  Diagnosis diagnosis;
};

/// What the model says of the run, and the simulation if there is one.
RunDescription report_of_models(const Trace& trace, const ModelChoice& choice, ModelAnswers& model,
                                const RunReportOptions& options) {
  auto overview = describe(model.overview, trace);
  RunDescription report{{.model = std::move(overview.result), .network = model.network->result},
                        std::move(overview.sections)};
  std::ranges::move(model.network->sections, std::back_inserter(report.sections));
  add_scenarios(report, trace, choice, model.overview, options);
  const Prediction& prediction = model.overview.prediction;
  if (prediction.measured && options.pictures) {
    overlay_measured(report.sections, static_cast<double>(prediction.measured->makespan_ns));
  }
  if (auto collectives = collectives_report(trace, choice)) {
    report.result.collectives = std::move(collectives->result);
    put_first(report.sections, std::move(collectives->sections));
  }
  if (options.simulated != nullptr) {
    auto simulated = simulated_run_report(*options.simulated, trace, prediction);
    report.result.simulated = std::move(simulated.result);
    put_first(report.sections, std::move(simulated.sections));
    report.findings.merge(options.simulated->simulation.findings);
  }
  return report;
}

/// Puts what the measured run says of itself before everything else.
void add_measured(RunDescription& report, Described<MeasuredJson> diagnosis,
                  std::optional<Described<RegionsJson>> regions, const Findings& of_graph,
                  const RunReportOptions& options) {
  if (options.pictures) drop_curves_over_time(diagnosis.sections);
  report.result.measured = std::move(diagnosis.result);
  report.findings.merge(new_findings(diagnosis.findings, of_graph));
  if (regions) {
    report.result.regions = std::move(regions->result);
    put_first(report.sections, std::move(regions->sections));
  }
  put_first(report.sections, std::move(diagnosis.sections));
}

/// A part that is made in a thread of its own, or if none is to be had, when it is asked for. Who
/// needs it waits for it, and gets the exception that ended it.
template <class Make>
auto in_background(Make make) {
  return std::async(std::launch::async | std::launch::deferred, std::move(make));
}

JobSummary summary_of_run(const Trace& trace, const Diagnosis& diagnosis,
                          const RunReportOptions& options) {
  JobSummary summary =
      within_limit(job_summary(trace, diagnosis, options.samples, options.identity));
  if (options.summarised) options.summarised(summary);
  return summary;
}

}  // namespace

Report run_summary(const Trace& trace, const CallMatching& matching, const GraphSource& source,
                   const ModelChoice& choice, const RunReportOptions& options,
                   const std::string& path, const AdviceSource& advise) {
  const CallPaths paths(trace);
  const std::shared_future graph = in_background([&] { return &source(); });
  auto tolerated = in_background([&] {
    return tolerances(*graph.get(), choice, Parameter::latency, options.degradations_ppm);
  });
  std::optional<MeasuredSide> measured;
  // What is written as a summary has more than what is shown.
  const DiagnosisDetail detail =
      options.summarised ? DiagnosisDetail::all : DiagnosisDetail::limits;
  if (trace.timed()) measured.emplace(trace, matching, paths, options, detail, advise);
  const Tolerances latency = tolerated.get();
  std::optional<Overview> model;
  if (!measured || measured->diagnosis.shares.length_ns == 0) {
    model = overview(trace, *graph.get(), choice, options.degradations_ppm);
  }
  std::optional<Advice> advice;
  if (measured) advice = std::move(measured->advice);
  if (!advise.on_run) advice = advise.on_prediction();
  Report report;
  report.sections_only = true;
  report.sections.push_back(first_screen({.trace = trace,
                                          .path = path,
                                          .measured = measured ? &measured->diagnosis : nullptr,
                                          .latency = latency,
                                          .model = model ? &*model : nullptr,
                                          .advice = advice ? &*advice : nullptr}));
  if (measured) {
    if (options.summarised) summary_of_run(trace, measured->diagnosis, options);
    report.findings.merge(new_findings(measured->diagnosis.findings, graph.get()->findings()));
  }
  return report;
}

const JsonType& declared_type(const RunReportJsonTag*) {
  return json_type_by<run_object>();
}

Described<RunReportJson> run_report(const Trace& trace, const CallMatching& matching,
                                    const GraphSource& source, const ModelChoice& choice,
                                    const RunReportOptions& options) {
  const CallPaths paths(trace);
  const CallPaths drawn_paths = CallPaths::of_regions_or_functions(trace);
  // Everything begins when what it needs is there: the model's answers and the measured run know
  // nothing of each other, and the pictures nothing of the model's curves.
  const std::shared_future graph = in_background([&] { return &source(); });
  const std::shared_future predicted =
      in_background([&] { return ModelledRun(trace, *graph.get(), choice); });
  auto answered = in_background([&] {
    return ModelAnswers(trace, *graph.get(), choice, predicted, options.degradations_ppm);
  });
  const std::shared_future measured = in_background([&] {
    std::optional<MeasuredSide> side;
    if (trace.timed()) side.emplace(trace, matching, paths, options);
    return side;
  });
  auto pictures = in_background([&] {
    PictureInput picture{trace, *graph.get(), predicted.get(), matching, drawn_paths};
    picture.simulated = options.simulated;
    picture.samples = options.samples;
    picture.every_call = options.every_call;
    if (const auto& side = measured.get()) {
      picture.measured.emplace(
          MeasuredPictures{side->waits, side->diagnosis.path, side->diagnosis.monitor});
    }
    return draw(picture, options.pictures);
  });
  std::optional<Described<MeasuredJson>> diagnosis;
  std::optional<Described<RegionsJson>> regions;
  std::optional<Section> counters;
  if (const auto& side = measured.get()) {
    diagnosis = describe(side->diagnosis, trace, paths);
    regions = regions_report(side->diagnosis, trace, paths);
    counters = counters_section(trace, drawn_paths);
  }
  ModelAnswers model = answered.get();
  RunDescription report = report_of_models(trace, choice, model, options);
  if (counters) put_first(report.sections, {std::move(*counters)});
  if (measured.get()) {
    add_measured(report, std::move(*diagnosis), std::move(regions), graph.get()->findings(),
                 options);
  }
  add_pictures(report, pictures.get());
  if (const auto& side = measured.get()) {
    report.result.summary = JobSummaryJson(summary_of_run(trace, side->diagnosis, options));
    report.result.headlines =
        to_json(headlines(side->diagnosis), model.overview, side->diagnosis.shares.program);
    std::vector<Answer> all = answers(side->diagnosis, paths, model.overview);
    const Diagnosis& d = side->diagnosis;
    const RunInCode in_code{d.waits.in_code, d.shares.share(d.shares.sum_ns.wait),
                            d.path_functions};
    if (auto code = code_answer(in_code, trace.call_tree())) all.push_back(std::move(*code));
    report.result.answers = add_answers(all, report.sections);
    report.result.judgement =
        add_judgement(judgement(side->diagnosis, trace, paths), report.sections);
  } else {
    report.result.answers = add_answers(answers(model.overview), report.sections);
    report.result.judgement = add_judgement(judgement(model.overview), report.sections);
  }
  return {run_object(report.result), std::move(report.sections), std::move(report.findings)};
}

}  // namespace slackline
