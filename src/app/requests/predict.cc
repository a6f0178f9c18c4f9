#include "app/requests/predict.h"

#include <utility>

#include "analysis/model/loggops_prediction.h"
#include "analysis/model/prediction.h"
#include "analysis/model/prediction_intervals.h"
#include "analysis/runs/measured.h"
#include "app/load/loaded_graph.h"
#include "app/load/loaded_program.h"
#include "report/report.h"

namespace slackline {
namespace {

Report predict_loggops(const PredictRequest& request) {
  const LoadedProgram loaded = load_program(request.input, request.loggops);
  return with_context(describe(simulate_loggops(loaded.program, loaded.model, loaded.path)),
                      "predict", loaded);
}

/// The same prediction of another run of the program.
Prediction predict_other(const PredictRequest& request, const std::string& trace, Side side) {
  ModelRequest input = request.input;
  input.trace = trace;
  const LoadedGraph loaded = load_graph(input, CallDetail::none);
  Prediction prediction = predict(loaded.program_or_none(), loaded.graph, loaded.model, side);
  prediction.measured = measured_run(loaded.opened.trace);
  return prediction;
}

/// Intervals as far as they are asked for, and the options that did.
Json add_uncertainty(Report& report, const PredictRequest& request, const LoadedGraph& loaded,
                     const Prediction& first, Side side) {
  Json own = Json::object();
  if (!request.also.empty()) {
    std::vector<Prediction> runs{first};
    for (const std::string& trace : request.also) {
      runs.push_back(predict_other(request, trace, side));
    }
    add_intervals(report, intervals_of_predictions(runs));
    own["also"] = request.also;
  }
  if (request.bootstrap > 0) {
    add_intervals(report, bootstrap_prediction(loaded.program(), loaded.graph, loaded.model,
                                               request.bootstrap, request.seed));
    own["bootstrap"] = request.bootstrap;
    own["seed"] = request.seed;
  }
  return own;
}

}  // namespace

Report execute(const PredictRequest& request) {
  if (request.loggops.wanted()) return predict_loggops(request);
  return execute(request, load_graph(request.input));
}

Report execute(const PredictRequest& request, const LoadedGraph& loaded) {
  const Side side = request.left ? Side::left : Side::right;
  Prediction prediction = predict(loaded.program_or_none(), loaded.graph, loaded.model, side);
  prediction.measured = measured_run(loaded.opened.trace);
  if (loaded.measured_ns) {
    prediction.measured =
        MeasuredRun{*loaded.measured_ns, {}, "from the first begin to the last end of all ranks"};
  }
  Report report = describe(prediction, loaded.program_or_none());
  add_pairwise(report, loaded, request.pairs);
  Json own = add_uncertainty(report, request, loaded, prediction, side);
  own["derivative"] = request.left ? "left" : "right";
  return with_context(std::move(report), "predict", loaded, std::move(own));
}

}  // namespace slackline
