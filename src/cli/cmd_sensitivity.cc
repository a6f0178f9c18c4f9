#include <memory>

#include "app/requests/sensitivity.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_sensitivity(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<SensitivityRequest>>();
  SensitivityRequest& request = command->request;
  request.keep_on_interrupt = true;
  add_model_request(parser, request.input, command->output);
  add_network_options(parser, request.input.network);
  add_loggops_options(parser, request.loggops);
  add_cache_option(parser, request.cache);
  add_pairs(parser, request.pairs);
  parser.add_option("--points", request.points, "With --model loggops: number of latencies")
      ->in_range(2, 100'000)
      ->capture_default_str();
  parser
      .add_option("--param", request.parameter,
                  "Parameter to vary: L, o or G (of some messages: L:inter-group, L[3][7]), or S")
      ->type_name("NAME")
      ->capture_default_str();
  parser.add_option("--from", request.from, "Start of the interval")
      ->type_name("VALUE")
      ->capture_default_str();
  parser
      .add_option("--to", request.to, "End of the interval (default: ten times the current value)")
      ->type_name("VALUE");
  parser.add_option("--at", request.at, "With --param S: thresholds, e.g. --at 0,4KiB,64KiB")
      ->type_name("BYTES")
      ->delimiter(',')
      ->allow_extra_args(false);
  parser
      .add_option("--compare", request.compare,
                  "Compare T and lambda with these collective algorithms; may be repeated")
      ->type_name("RULES")
      ->allow_extra_args(false);  // or it would swallow the trace that follows
  parser
      .add_option(
          "--scale", request.scales,
          "With --compare: trace of the same program on another number of ranks; may be repeated")
      ->type_name("TRACE")
      ->allow_extra_args(false);
  examples(parser, {"slackline sensitivity slackline-trace --from 3us --to 13us",
                    "slackline sensitivity app.slk --param G --to 1ns/B --format csv",
                    "slackline sensitivity app.slk --compare allreduce=recursive_doubling"
                    " --compare allreduce=ring"});
  return report_on<SensitivityRequest>(command);
}

}  // namespace slackline
