#include <memory>

#include "app/requests/predict.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_predict(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<PredictRequest>>();
  PredictRequest& request = command->request;
  add_model_request(parser, request.input, command->output);
  add_network_options(parser, request.input.network);
  add_pairs(parser, request.pairs);
  add_loggops_options(parser, request.loggops);
  parser.add_flag("--left", request.left,
                  "Left derivatives where several paths are equally long (default: right)");
  add_uncertainty(parser, request.also, request.bootstrap, request.seed);
  examples(parser, {"slackline predict slackline-trace",
                    "slackline predict app.slk -L 3us --overhead 500ns -G 0.018ns/B -S 256KiB",
                    "slackline predict app.slk --topology fat-tree:k=16,tiers=3 --pairs",
                    "slackline predict app.slk --collectives allreduce=ring --format json",
                    "slackline predict run1.slk --also run2.slk --also run3.slk --bootstrap 200",
                    "slackline predict app.goal --model loggops -g 100ns -S 4096"});
  return report_on<PredictRequest>(command);
}

}  // namespace slackline
