#include <memory>

#include "analysis/model/loggops_prediction.h"
#include "analysis/model/pairwise.h"
#include "analysis/model/prediction.h"
#include "cli/commands.h"
#include "cli/loggops_options.h"
#include "cli/model_question.h"

namespace slackline {
namespace {

struct PredictOptions {
  ModelQuestion question;
  LogGOPSOptions loggops;
  bool left = false;
  bool pairs = false;
};

int run_loggops(const PredictOptions& options) {
  const LogGOPSQuestion q = open_loggops_question(options.question, options.loggops);
  answer(describe(simulate_loggops(q.program, q.model, q.path)), "predict", q, options.question);
  return 0;
}

int run_predict(const PredictOptions& options) {
  if (options.loggops.wanted()) return run_loggops(options);
  const OpenedQuestion q = open_question(options.question);
  const Side side = options.left ? Side::left : Side::right;
  const Prediction prediction = predict(q.trace(), q.graph, q.model, side);
  Report report = describe(prediction, q.trace());
  add_pairwise(report, q, options.pairs);
  answer(std::move(report), "predict", q, options.question,
         {{"derivative", options.left ? "left" : "right"}});
  return 0;
}

}  // namespace

Run setup_predict(CommandParser& parser) {
  auto options = std::make_shared<PredictOptions>();
  add_model_question(parser, options->question);
  add_network_options(parser, options->question.network);
  parser.add_flag("--pairs", options->pairs, kPairsHelp);
  add_loggops_options(parser, options->loggops);
  parser.add_flag("--left", options->left,
                  "Left derivatives where several paths are equally long (default: right)");
  examples(parser, {"slackline predict slackline-trace",
                    "slackline predict app.slk -L 3us -o 500ns -G 0.018ns/B -S 256KiB",
                    "slackline predict app.slk --topology fat-tree:k=16,tiers=3 --pairs",
                    "slackline predict app.slk --collectives allreduce=ring --format json",
                    "slackline predict app.goal --model loggops -g 100ns -S 4096"});
  return [options] { return run_predict(*options); };
}

}  // namespace slackline
