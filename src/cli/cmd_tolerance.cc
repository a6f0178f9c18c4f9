#include <memory>

#include "app/requests/tolerance.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_tolerance(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<ToleranceRequest>>();
  ToleranceRequest& request = command->request;
  add_model_request(parser, request.input, command->output);
  add_loggops_options(parser, request.loggops);
  add_network_options(parser, request.input.network);
  add_cache_option(parser, request.cache);
  CommandOption* parameter =
      parser
          .add_option("--param", request.parameter,
                      "Parameter to increase: L, o or G (of some messages: L:inter-group, L[3][7])")
          ->type_name("NAME")
          ->capture_default_str();
  add_degradations(parser, request.degradations);
  parser
      .add_option("--region", request.region,
                  "Two parameters, e.g. L,G: polygon of the tolerable values")
      ->type_name("NAME,NAME")
      ->delimiter(',')
      ->allow_extra_args(false)  // or it would swallow the trace that follows
      ->excludes(parameter);
  add_uncertainty(parser, request.also, request.bootstrap, request.seed);
  examples(parser,
           {"slackline tolerance slackline-trace",
            "slackline tolerance app.slk --degrade 1%,2%,5% -L 3us --overhead 500ns -G 0.018ns/B",
            "slackline tolerance app.slk --param G --format json",
            "slackline tolerance app.slk --topology dragonfly.toml --param L:inter-group",
            "slackline tolerance app.slk --region L,G --degrade 1%",
            "slackline tolerance run1.slk --also run2.slk --also run3.slk --bootstrap 200"});
  return report_on<ToleranceRequest>(command);
}

}  // namespace slackline
