#include <memory>

#include "analysis/prediction.h"
#include "cli/commands.h"
#include "cli/model_question.h"

namespace slackline {
namespace {

int run_critical_path(const ModelQuestion& question) {
  const OpenedQuestion q = open_question(question);
  const Prediction prediction = predict(q.trace(), q.graph, q.model);
  answer(describe_critical_path(prediction, q.trace()), "critical-path", q, question);
  return 0;
}

}  // namespace

Run setup_critical_path(CLI::App& app) {
  auto question = std::make_shared<ModelQuestion>();
  add_model_question(app, *question);
  add_network_options(app, question->network);
  examples(app, {"slackline critical-path slackline-trace",
                 "slackline critical-path app.slk -L 10us --format csv -O path.csv"});
  return [question] { return run_critical_path(*question); };
}

}  // namespace slackline
