#include <fmt/format.h>

#include <memory>

#include "analysis/comparison.h"
#include "analysis/loggops_prediction.h"
#include "analysis/sensitivity.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/loggops_options.h"
#include "cli/model_question.h"
#include "cli/reduced_question.h"

namespace slackline {
namespace {

constexpr int kComparedPoints = 11;
const std::vector<std::int64_t> kComparedDegradations{10'000, 20'000, 50'000};

struct SensitivityOptions {
  ModelQuestion question;
  LogGOPSOptions loggops;
  CacheOptions cache;
  std::size_t points = 11;
  std::string parameter = "L";
  std::string from = "0";
  std::string to;
  bool pairs = false;
  std::vector<std::string> compare;
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

Report compared(const SensitivityOptions& options, const OpenedQuestion& q,
                const VariedParameter& parameter, std::int64_t from, std::int64_t to) {
  if (q.opened.format == "goal") {
    throw usage_error("cannot compare collectives of a GOAL program",
                      "its collectives are messages already", "Take the trace it was made from.");
  }
  return describe(compare_collectives(q.trace(), q.model, options.compare, parameter, from, to,
                                      kComparedPoints, kComparedDegradations));
}

struct Interval {
  std::int64_t from_fs;
  std::int64_t to_fs;

  Json to_json(const std::string& parameter) const {
    constexpr double kFsPerNs = static_cast<double>(kFemtosPerNano);
    return {{"param", parameter},
            {"from_ns", static_cast<double>(from_fs) / kFsPerNs},
            {"to_ns", static_cast<double>(to_fs) / kFsPerNs}};
  }
};

/// `base_fs`: the parameter's own value.
Interval parse_interval(const SensitivityOptions& options, Parameter parameter,
                        std::int64_t base_fs) {
  const std::int64_t from = parse_value_fs(parameter, options.from, "--from");
  const std::int64_t to = options.to.empty() ? default_end_fs(parameter, base_fs)
                                             : parse_value_fs(parameter, options.to, "--to");
  if (to <= from) {
    throw usage_error("the interval is empty", "--to must be larger than --from",
                      "Write it like --from 0us --to 20us.");
  }
  return {from, to};
}

int run_loggops(const SensitivityOptions& options, Parameter parameter) {
  if (parameter != Parameter::latency) {
    throw usage_error("--model loggops varies the latency only", "--param is not L",
                      "Leave --param out, or ask predict at the values that matter.");
  }
  const LogGOPSQuestion q = open_loggops_question(options.question, options.loggops);
  const Interval interval = parse_interval(options, parameter, q.model.latency_fs);
  Json own = interval.to_json(options.parameter);
  own["points"] = options.points;
  answer(describe(sweep_latency(q.program, q.model, interval.from_fs, interval.to_fs,
                                options.points, q.path)),
         "sensitivity", q, options.question, own);
  return 0;
}

int run_sensitivity(const SensitivityOptions& options) {
  const VariedParameter parameter = parse_varied_parameter(options.parameter);
  if (options.loggops.wanted()) return run_loggops(options, parameter.kind);
  if (options.compare.empty() && !options.pairs) {
    if (const auto reduced = open_reduced(options.question, options.cache, parameter)) {
      const Interval interval =
          parse_interval(options, parameter.kind, value_fs(reduced->model.model, parameter.kind));
      answer(describe(sensitivity(reduced->makespan(parameter.kind), parameter, interval.from_fs,
                                  interval.to_fs)),
             "sensitivity", *reduced, options.question, interval.to_json(options.parameter));
      return 0;
    }
  }
  const OpenedQuestion q = open_question(options.question, CallDetail::none);
  const Interval interval =
      parse_interval(options, parameter.kind, base_value_fs(q.graph, q.model, parameter));
  Report report =
      options.compare.empty()
          ? describe(sensitivity(q.graph, q.model, parameter, interval.from_fs, interval.to_fs))
          : compared(options, q, parameter, interval.from_fs, interval.to_fs);
  add_pairwise(report, q, options.pairs);
  answer(std::move(report), "sensitivity", q, options.question,
         interval.to_json(options.parameter));
  return 0;
}

}  // namespace

Run setup_sensitivity(CLI::App& app) {
  auto options = std::make_shared<SensitivityOptions>();
  add_model_question(app, options->question);
  add_network_options(app, options->question.network);
  add_loggops_options(app, options->loggops);
  add_cache_option(app, options->cache);
  app.add_flag("--pairs", options->pairs, kPairsHelp);
  app.add_option("--points", options->points, "loggops: number of latencies")
      ->check(CLI::Range(2, 100'000))
      ->capture_default_str();
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
  app.add_option("--compare", options->compare,
                 "Instead of one curve: T and lambda with these collectives; repeat for each")
      ->type_name("RULES")
      ->allow_extra_args(false);  // or it would swallow the trace that follows
  examples(app, {"slackline sensitivity slackline-trace --from 3us --to 13us",
                 "slackline sensitivity app.slk --param G --to 1ns/B --format csv",
                 "slackline sensitivity app.slk --compare allreduce=recursive_doubling"
                 " --compare allreduce=ring"});
  return [options] { return run_sensitivity(*options); };
}

}  // namespace slackline
