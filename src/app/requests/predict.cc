#include "app/requests/model_requests.h"

#include <utility>

#include "analysis/model/loggops_prediction.h"
#include "analysis/model/prediction.h"
#include "analysis/model/prediction_intervals.h"
#include "analysis/runs/measured.h"
#include "app/load/distinct_runs.h"
#include "app/load/loaded_graph.h"
#include "app/load/loaded_program.h"
#include "app/load/stretched_model.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/file.h"
#include "calls/run_span.h"
#include "parallel/process_group.h"
#include "report/report.h"

namespace slackline {
namespace {

auto loggops_report(const LoadedProgram& loaded) {
  return with_context(describe(simulate_loggops(loaded.program, loaded.model, loaded.path)),
                      "predict", loaded);
}

/// The same prediction of other runs of the program, after `first`.
std::vector<Prediction> predict_all(const PredictRequest& request, const LoadedGraph& loaded,
                                    const Prediction& first, Side side, Findings& findings) {
  std::vector<Prediction> runs{first};
  DistinctRuns distinct;
  distinct.add(loaded.opened, findings);
  ModelRequest input = request.input;
  for (const std::string& trace : request.also) {
    input.trace = trace;
    const LoadedGraph other = load_graph(input, CallDetail::none);
    if (!distinct.add(other.opened, findings)) continue;
    runs.push_back(predict(other.program_or_none(), other.graph, other.model, side));
    runs.back().measured = measured_run(other.opened.trace);
  }
  distinct.require_several();
  return runs;
}

/// Intervals as far as they are asked for.
std::vector<PredictionIntervalsJson> add_uncertainty(std::vector<Section>& sections,
                                                     const PredictRequest& request,
                                                     const LoadedGraph& loaded,
                                                     const Prediction& first, Side side,
                                                     Findings& findings) {
  std::vector<PredictionIntervalsJson> intervals;
  if (!request.also.empty()) {
    intervals.push_back(add_intervals(
        sections, intervals_of_predictions(predict_all(request, loaded, first, side, findings))));
  }
  if (request.bootstrap > 0) {
    intervals.push_back(
        add_intervals(sections, bootstrap_prediction(loaded.program(), loaded.graph, loaded.model,
                                                     request.bootstrap, request.seed)));
  }
  if (loaded.model.bounds) {
    intervals.push_back(
        add_intervals(sections, calibrated_prediction(first, loaded.graph, loaded.model)));
  }
  return intervals;
}

auto predict_report(const PredictRequest& request, const LoadedGraph& loaded,
                    const Prediction& prediction, Side side) {
  auto described = describe(prediction, loaded.program_or_none());
  const auto pairwise = add_pairwise(described.sections, loaded, request.pairs);
  const auto intervals =
      add_uncertainty(described.sections, request, loaded, prediction, side, described.findings);
  const bool bootstrap = request.bootstrap > 0;
  return with_context(
      std::move(described).with(pairwise, "intervals"_key.when(!intervals.empty(), intervals)),
      "predict", loaded,
      Object{"also"_key.when(!request.also.empty(), request.also),
             "bootstrap"_key.when(bootstrap, request.bootstrap),
             "seed"_key.when(bootstrap, request.seed),
             "derivative"_key = request.left ? "left" : "right"});
}

using PredictReports = CommandReports<ReturnedBy<loggops_report>, ReturnedBy<predict_report>>;

/// Nothing where the trace is to be read whole.
std::optional<Report> execute_in_stretches(const PredictRequest& request, Side side,
                                           ProcessGroup& group) {
  group.set_unshared("intervals, --pairs, --linear-program and LogGOPS are not shared");
  const bool other_runs = !request.also.empty() || request.bootstrap > 0;
  if (other_runs || request.pairs || !request.linear_program.empty() || request.loggops.wanted()) {
    return std::nullopt;
  }
  std::optional<StretchedModel> model = StretchedModel::load(request.input, group);
  if (!model) return std::nullopt;
  std::optional<Prediction> prediction = predict(*model, side);
  if (!prediction) return std::nullopt;
  if (!group.is_first()) return Report();
  const RunSpan& span = model->span();
  prediction->measured =
      MeasuredRun{span.analysed.length_ns(), {}, meaning(AnalysedExtent::program, span.ends)};
  return PredictReports::untyped(predict_report(request, model->loaded(), *prediction, side));
}

Report execute_whole(const PredictRequest& request) {
  if (request.loggops.wanted()) {
    return PredictReports::untyped(loggops_report(load_program(request.input, request.loggops)));
  }
  return execute(request, load_graph(request.input));
}

}  // namespace

void declare(OptionList& options, PredictRequest& request) {
  declare(options, request.input);
  declare_pairs(options, request.pairs);
  declare(options, request.loggops);
  options.add("--left", request.left,
              "Left derivatives where several paths are equally long (default: right)");
  declare_uncertainty(options, request.also, request.bootstrap, request.seed);
  options.add("--linear-program FILE", request.linear_program,
              "Write the linear program of T as a function of L, for a solver of the LP format");
  declare_clocks(options, request.input.reading, OptionCallers::python);
  describe_memory_of_stretches(options);
}

Report execute(const PredictRequest& request, ProcessGroup& group) {
  if (request.loggops.wanted() && !request.linear_program.empty()) {
    throw usage_error("cannot write the linear program", "T under LogGOPS is not a longest path",
                      "Leave out the options of LogGOPS.");
  }
  const Side side = request.left ? Side::left : Side::right;
  if (auto report = execute_in_stretches(request, side, group)) return std::move(*report);
  return group.is_first() ? execute_whole(request) : Report();
}

Report execute(const PredictRequest& request, const LoadedGraph& loaded) {
  if (!request.linear_program.empty()) {
    write_output(request.linear_program,
                 linear_program(loaded.graph, loaded.model, Parameter::latency));
  }
  const Side side = request.left ? Side::left : Side::right;
  Prediction prediction = predict(loaded.program_or_none(), loaded.graph, loaded.model, side);
  prediction.measured = measured_run(loaded.opened.trace);
  if (loaded.measured_ns) {
    prediction.measured =
        MeasuredRun{*loaded.measured_ns, {}, "from the first begin to the last end of all ranks"};
  }
  return PredictReports::untyped(predict_report(request, loaded, prediction, side));
}

CommandSchema predict_schema() {
  return PredictReports::schema();
}

}  // namespace slackline
