#include <fmt/format.h>

#include <memory>
#include <optional>

#include "analysis/model/loggops_prediction.h"
#include "analysis/model/sensitivity.h"
#include "analysis/model/thresholds.h"
#include "analysis/runs/comparison.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/loggops_options.h"
#include "cli/model_question.h"
#include "cli/reduced_question.h"
#include "graph/goal/goal_graph.h"

namespace slackline {
namespace {

constexpr int kComparedPoints = 11;
constexpr std::size_t kMostThresholds = 16;
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
  std::vector<std::string> scales;
  std::vector<std::string> at;
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

void require_collectives(const OpenedQuestion& q) {
  if (q.opened.format != "goal") return;
  throw usage_error("cannot compare collectives of a GOAL program",
                    "its collectives are messages already", "Take the trace it was made from.");
}

/// The trace and the others, at the model's own value of the parameter.
std::vector<ScaledComparison> compared_at_scales(const SensitivityOptions& options,
                                                 const OpenedQuestion& q,
                                                 const VariedParameter& parameter) {
  const std::vector<std::int64_t> base{base_value_fs(q.graph, q.model, parameter)};
  std::vector<ScaledComparison> scales;
  const auto add = [&](const OpenedQuestion& at) {
    require_collectives(at);
    scales.push_back(
        {at.trace().ranks(), compare_collectives(at.trace(), at.model, options.compare, parameter,
                                                 base, kComparedDegradations)});
  };
  add(q);
  for (const std::string& path : options.scales) {
    ModelQuestion other = options.question;
    other.trace = path;
    add(open_question(other, CallDetail::none));
  }
  return scales;
}

Report compared(const SensitivityOptions& options, const OpenedQuestion& q,
                const VariedParameter& parameter, std::int64_t from, std::int64_t to) {
  require_collectives(q);
  Report report = describe(compare_collectives(q.trace(), q.model, options.compare, parameter, from,
                                               to, kComparedPoints, kComparedDegradations));
  if (!options.scales.empty()) add_scales(report, compared_at_scales(options, q, parameter));
  return report;
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

/// T by the eager threshold, which has no intervals.
int run_thresholds(const SensitivityOptions& options) {
  std::vector<std::uint64_t> thresholds;
  for (const std::string& text : options.at) thresholds.push_back(parse_bytes(text, "--at"));
  OpenedQuestion q = open_question(options.question, CallDetail::none);
  const std::optional<OpenedGoal> goal =
      q.opened.format == "goal" ? open_goal(q.opened.path) : std::nullopt;
  const auto build = [&](const GraphOptions& graph) {
    return goal ? build_goal_graph(goal->program, goal->path, graph).graph
                : build_graph(q.trace(), graph);
  };
  answer(describe(sweep_thresholds(build, q.model, thresholds, kMostThresholds)), "sensitivity", q,
         options.question, {{"param", "S"}});
  return 0;
}

int run_sensitivity(const SensitivityOptions& options) {
  if (options.parameter == "S") return run_thresholds(options);
  if (!options.at.empty()) {
    throw usage_error("--at gives values of S", "--param is not S",
                      "Give the interval by --from and --to, or --param S.");
  }
  const VariedParameter parameter = parse_varied_parameter(options.parameter);
  if (!options.scales.empty() && options.compare.empty()) {
    throw usage_error("--scale has nothing to compare", "it belongs to --compare",
                      "Give --compare RULES for each alternative.");
  }
  if (options.loggops.wanted()) return run_loggops(options, parameter.kind);
  if (options.compare.empty() && !options.pairs) {
    if (const auto reduced = open_reduced(options.question, options.cache, parameter)) {
      const Interval interval =
          parse_interval(options, parameter.kind, value_fs(reduced->model.model, parameter.kind));
      MakespanFunction makespan = reduced->makespan(parameter.kind);
      answer(describe(sensitivity(makespan, parameter, interval.from_fs, interval.to_fs)),
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

Run setup_sensitivity(CommandParser& parser) {
  auto options = std::make_shared<SensitivityOptions>();
  add_model_question(parser, options->question);
  add_network_options(parser, options->question.network);
  add_loggops_options(parser, options->loggops);
  add_cache_option(parser, options->cache);
  parser.add_flag("--pairs", options->pairs, kPairsHelp);
  parser.add_option("--points", options->points, "loggops: number of latencies")
      ->in_range(2, 100'000)
      ->capture_default_str();
  parser
      .add_option("--param", options->parameter,
                  "The parameter that varies: L, o or G, as L:inter-group or L[3][7] of some "
                  "messages; or S")
      ->type_name("NAME")
      ->capture_default_str();
  parser.add_option("--from", options->from, "Where the interval begins")
      ->type_name("VALUE")
      ->capture_default_str();
  parser
      .add_option("--to", options->to,
                  "Where it ends (default: ten times the parameter's own value)")
      ->type_name("VALUE");
  parser.add_option("--at", options->at, "With --param S: the thresholds, as --at 0,4KiB,64KiB")
      ->type_name("BYTES")
      ->delimiter(',')
      ->allow_extra_args(false);
  parser
      .add_option("--compare", options->compare,
                  "Instead of one curve: T and lambda with these collectives; repeat for each")
      ->type_name("RULES")
      ->allow_extra_args(false);  // or it would swallow the trace that follows
  parser
      .add_option("--scale", options->scales,
                  "With --compare: a trace of the same program on another number of ranks; repeat")
      ->type_name("TRACE")
      ->allow_extra_args(false);
  examples(parser, {"slackline sensitivity slackline-trace --from 3us --to 13us",
                    "slackline sensitivity app.slk --param G --to 1ns/B --format csv",
                    "slackline sensitivity app.slk --compare allreduce=recursive_doubling"
                    " --compare allreduce=ring"});
  return [options] { return run_sensitivity(*options); };
}

}  // namespace slackline
