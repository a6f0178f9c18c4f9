#include <memory>

#include "analysis/sensitivity.h"
#include "cli/commands.h"
#include "cli/degradations.h"
#include "cli/loggops_options.h"
#include "cli/model_question.h"

namespace slackline {
namespace {

struct ToleranceOptions {
  ModelQuestion question;
  LogGOPSOptions loggops;
  std::string parameter = "L";
  std::vector<std::string> degradations;
};

int run_tolerance(const ToleranceOptions& options) {
  refuse_loggops(options.loggops);
  const VariedParameter parameter = parse_varied_parameter(options.parameter);
  const std::vector<std::int64_t> ppm = parse_degradations(options.degradations);
  const OpenedQuestion q = open_question(options.question, CallDetail::none);
  answer(describe(tolerances(q.graph, q.model, parameter, ppm)), "tolerance", q, options.question,
         {{"param", options.parameter}, {"degrade", degradations_to_json(ppm)}});
  return 0;
}

}  // namespace

Run setup_tolerance(CLI::App& app) {
  auto options = std::make_shared<ToleranceOptions>();
  add_model_question(app, options->question);
  add_loggops_options(app, options->loggops);
  add_network_options(app, options->question.network);
  app.add_option(
         "--param", options->parameter,
         "The parameter that may grow: L, o or G, as L:inter-group or L[3][7] of some messages")
      ->type_name("NAME")
      ->capture_default_str();
  add_degradations(app, options->degradations);
  examples(app, {"slackline tolerance slackline-trace",
                 "slackline tolerance app.slk --degrade 1%,2%,5% -L 3us -o 500ns -G 0.018ns/B",
                 "slackline tolerance app.slk --param G --format json",
                 "slackline tolerance app.slk --topology dragonfly.toml --param L:inter-group"});
  return [options] { return run_tolerance(*options); };
}

}  // namespace slackline
