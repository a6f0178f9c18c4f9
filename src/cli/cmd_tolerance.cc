#include <fmt/format.h>

#include <memory>

#include "analysis/model/region.h"
#include "analysis/model/sensitivity.h"
#include "analysis/model/uncertainty.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/degradations.h"
#include "cli/loggops_options.h"
#include "cli/model_question.h"
#include "cli/reduced_question.h"

namespace slackline {
namespace {

struct ToleranceOptions {
  ModelQuestion question;
  LogGOPSOptions loggops;
  CacheOptions cache;
  std::string parameter = "L";
  std::vector<std::string> degradations;
  std::vector<std::string> region;
  std::vector<std::string> also;
  std::size_t bootstrap = 0;
  std::uint64_t seed = 1;
};

/// Two parameters at once: a polygon instead of a number.
int run_region(const ToleranceOptions& options, const std::vector<std::int64_t>& ppm) {
  if (options.region.size() != 2) {
    throw usage_error(fmt::format("--region has {} parameters", options.region.size()),
                      "two are needed", "Write it like --region L,G.");
  }
  const VariedParameter x = parse_varied_parameter(options.region[0]);
  const VariedParameter y = parse_varied_parameter(options.region[1]);
  const OpenedQuestion q = open_question(options.question, CallDetail::none);
  answer(describe(tolerance_regions(q.graph, q.model, x, y, ppm)), "tolerance", q, options.question,
         {{"region", options.region}, {"degrade", degradations_to_json(ppm)}});
  return 0;
}

/// The same question of other runs of the program.
ToleranceIntervals of_all_runs(const ToleranceOptions& options, const VariedParameter& parameter,
                               const std::vector<std::int64_t>& ppm, const Tolerances& first) {
  std::vector<Tolerances> runs{first};
  for (const std::string& trace : options.also) {
    ModelQuestion question = options.question;
    question.trace = trace;
    const OpenedQuestion q = open_question(question, CallDetail::none);
    runs.push_back(tolerances(q.graph, q.model, parameter, ppm));
  }
  return intervals_of_runs(runs);
}

Json own_options(const ToleranceOptions& options, const std::vector<std::int64_t>& ppm) {
  return {{"param", options.parameter}, {"degrade", degradations_to_json(ppm)}};
}

int run_tolerance(const ToleranceOptions& options) {
  refuse_loggops(options.loggops);
  const std::vector<std::int64_t> ppm = parse_degradations(options.degradations);
  if (!options.region.empty()) return run_region(options, ppm);
  const VariedParameter parameter = parse_varied_parameter(options.parameter);
  const bool resampled = options.bootstrap > 0;
  if (options.also.empty() && !resampled) {
    if (const auto reduced = open_reduced(options.question, options.cache, parameter)) {
      MakespanFunction makespan = reduced->makespan(parameter.kind);
      answer(describe(tolerances(makespan, parameter, ppm)), "tolerance", *reduced,
             options.question, own_options(options, ppm));
      return 0;
    }
  }
  const OpenedQuestion q =
      open_question(options.question, resampled ? CallDetail::named : CallDetail::none);
  const Tolerances found = tolerances(q.graph, q.model, parameter, ppm);
  Report report = describe(found);
  Json own = own_options(options, ppm);
  if (!options.also.empty()) {
    add_intervals(report, of_all_runs(options, parameter, ppm, found));
    own["also"] = options.also;
  }
  if (resampled) {
    add_intervals(report, bootstrap_tolerances(q.trace(), q.graph, q.model, parameter, ppm,
                                               options.bootstrap, options.seed));
    own["bootstrap"] = options.bootstrap;
    own["seed"] = options.seed;
  }
  answer(std::move(report), "tolerance", q, options.question, std::move(own));
  return 0;
}

}  // namespace

Run setup_tolerance(CommandParser& parser) {
  auto options = std::make_shared<ToleranceOptions>();
  add_model_question(parser, options->question);
  add_loggops_options(parser, options->loggops);
  add_network_options(parser, options->question.network);
  add_cache_option(parser, options->cache);
  CommandOption* parameter = parser
                                 .add_option("--param", options->parameter,
                                             "The parameter that may grow: L, o or G, as "
                                             "L:inter-group or L[3][7] of some messages")
                                 ->type_name("NAME")
                                 ->capture_default_str();
  add_degradations(parser, options->degradations);
  parser
      .add_option("--region", options->region,
                  "Two parameters at once, as L,G: the polygon of the values allowed")
      ->type_name("NAME,NAME")
      ->delimiter(',')
      ->allow_extra_args(false)  // or it would swallow the trace that follows
      ->excludes(parameter);
  parser
      .add_option("--also", options->also,
                  "Another run of the same program, for an interval; may be repeated")
      ->type_name("TRACE")
      ->allow_extra_args(false);
  parser
      .add_option("--bootstrap", options->bootstrap,
                  "Intervals from this many replicates with resampled computation")
      ->type_name("N");
  parser.add_option("--seed", options->seed, "Of the resampling")
      ->type_name("N")
      ->capture_default_str();
  examples(parser,
           {"slackline tolerance slackline-trace",
            "slackline tolerance app.slk --degrade 1%,2%,5% -L 3us -o 500ns -G 0.018ns/B",
            "slackline tolerance app.slk --param G --format json",
            "slackline tolerance app.slk --topology dragonfly.toml --param L:inter-group",
            "slackline tolerance app.slk --region L,G --degrade 1%",
            "slackline tolerance run1.slk --also run2.slk --also run3.slk --bootstrap 200"});
  return [options] { return run_tolerance(*options); };
}

}  // namespace slackline
