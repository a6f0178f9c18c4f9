#include <memory>

#include "app/requests/sensitivity.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_sensitivity(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<SensitivityRequest>>();
  SensitivityRequest& request = command->request;
  add_model_request(parser, request.input, command->output);
  add_network_options(parser, request.input.network);
  add_loggops_options(parser, request.loggops);
  add_cache_option(parser, request.cache);
  add_pairs(parser, request.pairs);
  parser.add_option("--points", request.points, "loggops: number of latencies")
      ->in_range(2, 100'000)
      ->capture_default_str();
  parser
      .add_option("--param", request.parameter,
                  "The parameter that varies: L, o or G, as L:inter-group or L[3][7] of some "
                  "messages; or S")
      ->type_name("NAME")
      ->capture_default_str();
  parser.add_option("--from", request.from, "Where the interval begins")
      ->type_name("VALUE")
      ->capture_default_str();
  parser
      .add_option("--to", request.to,
                  "Where it ends (default: ten times the parameter's own value)")
      ->type_name("VALUE");
  parser.add_option("--at", request.at, "With --param S: the thresholds, as --at 0,4KiB,64KiB")
      ->type_name("BYTES")
      ->delimiter(',')
      ->allow_extra_args(false);
  parser
      .add_option("--compare", request.compare,
                  "Instead of one curve: T and lambda with these collectives; repeat for each")
      ->type_name("RULES")
      ->allow_extra_args(false);  // or it would swallow the trace that follows
  parser
      .add_option("--scale", request.scales,
                  "With --compare: a trace of the same program on another number of ranks; repeat")
      ->type_name("TRACE")
      ->allow_extra_args(false);
  examples(parser, {"slackline sensitivity slackline-trace --from 3us --to 13us",
                    "slackline sensitivity app.slk --param G --to 1ns/B --format csv",
                    "slackline sensitivity app.slk --compare allreduce=recursive_doubling"
                    " --compare allreduce=ring"});
  return report_on<SensitivityRequest>(command);
}

}  // namespace slackline
