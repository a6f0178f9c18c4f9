#include <fmt/format.h>

#include <memory>

#include "analysis/sensitivity.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/model_question.h"

namespace slackline {
namespace {

struct SensitivityOptions {
  ModelQuestion question;
  std::string parameter = "L";
  std::string from = "0";
  std::string to;
  bool pairs = false;
};

std::int64_t parse_value_fs(Parameter parameter, const std::string& text, const char* what) {
  return parameter == Parameter::gap_per_byte ? parse_gap_per_byte_fs(text, what)
                                              : parse_time_fs(text, what);
}

/// Ten times the model's own value, or ten microseconds (of G 1 ns/B) when that is nothing.
std::int64_t default_end_fs(Parameter parameter, std::int64_t base) {
  if (base > 0) return 10 * base;
  return parameter == Parameter::gap_per_byte ? kFemtosPerNano : 10'000 * kFemtosPerNano;
}

int run_sensitivity(const SensitivityOptions& options) {
  const VariedParameter parameter = parse_varied_parameter(options.parameter);
  const OpenedQuestion q = open_question(options.question, CallDetail::none);
  const std::int64_t from = parse_value_fs(parameter.kind, options.from, "--from");
  const std::int64_t to =
      options.to.empty()
          ? default_end_fs(parameter.kind, base_value_fs(q.graph, q.model, parameter))
          : parse_value_fs(parameter.kind, options.to, "--to");
  if (to <= from) {
    throw usage_error("the interval is empty", "--to must be larger than --from",
                      "Write it like --from 0us --to 20us.");
  }
  constexpr double kFsPerNs = static_cast<double>(kFemtosPerNano);
  Report report = describe(sensitivity(q.graph, q.model, parameter, from, to));
  add_pairwise(report, q, options.pairs);
  answer(std::move(report), "sensitivity", q, options.question,
         {{"param", options.parameter},
          {"from_ns", static_cast<double>(from) / kFsPerNs},
          {"to_ns", static_cast<double>(to) / kFsPerNs}});
  return 0;
}

}  // namespace

Run setup_sensitivity(CLI::App& app) {
  auto options = std::make_shared<SensitivityOptions>();
  add_model_question(app, options->question);
  add_network_options(app, options->question.network);
  app.add_flag("--pairs", options->pairs, kPairsHelp);
  app.add_option(
         "--param", options->parameter,
         "The parameter that varies: L, o or G, as L:inter-group or L[3][7] of some messages")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--from", options->from, "Where the interval begins")
      ->type_name("VALUE")
      ->capture_default_str();
  app.add_option("--to", options->to,
                 "Where it ends (default: ten times the parameter's own value)")
      ->type_name("VALUE");
  examples(app, {"slackline sensitivity slackline-trace --from 3us --to 13us",
                 "slackline sensitivity app.slk --param G --to 1ns/B --format csv"});
  return [options] { return run_sensitivity(*options); };
}

}  // namespace slackline
