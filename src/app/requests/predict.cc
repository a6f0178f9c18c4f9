#include "app/requests/predict.h"

#include <utility>

#include "analysis/model/loggops_prediction.h"
#include "analysis/model/prediction.h"
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

}  // namespace

Report execute(const PredictRequest& request) {
  if (request.loggops.wanted()) return predict_loggops(request);
  const LoadedGraph loaded = load_graph(request.input);
  const Side side = request.left ? Side::left : Side::right;
  Prediction prediction = predict(loaded.program(), loaded.graph, loaded.model, side);
  prediction.measured = measured_run(loaded.trace());
  Report report = describe(prediction, loaded.program());
  add_pairwise(report, loaded, request.pairs);
  return with_context(std::move(report), "predict", loaded,
                      {{"derivative", request.left ? "left" : "right"}});
}

}  // namespace slackline
