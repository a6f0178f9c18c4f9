#include <algorithm>
#include <memory>

#include "analysis/model/prediction.h"
#include "analysis/paths/path_report.h"
#include "base/error.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/model_question.h"
#include "cli/run_choice.h"
#include "cli/run_question.h"

namespace slackline {
namespace {

struct CriticalPathOptions {
  ModelQuestion question{};
  std::string on = "model";
  RunChoice run{};  ///< of a simulated one its platform; all else is the question's
  std::string algorithm = "dag";
  std::string delta{};
  std::string threshold{};
};

constexpr std::string_view kIntervals = "intervals";

PathAlgorithm parse_algorithm(const std::string& name) {
  const auto* const found =
      std::ranges::find(kPathAlgorithms, name, [](PathAlgorithm a) { return to_string(a); });
  if (found != kPathAlgorithms.end()) return *found;
  throw usage_error("unknown algorithm '" + name + "'", "no such name",
                    "Known are dag, dijkstra, delta-stepping, splits and intervals.");
}

std::int64_t parse_ns(const std::string& text, std::string_view what) {
  return text.empty() ? 0 : parse_time_fs(text, what) / kFemtosPerNano;
}

/// On the run's own times, measured or simulated.
int run_timed(const CriticalPathOptions& options) {
  RunChoice choice = options.run;
  choice.on = options.on;
  choice.open = options.question.open;
  const ChosenRun run = open_chosen_run(options.question.trace, choice);
  const Trace& trace = run.trace();
  const CallMatching matching(trace);
  const ImbalanceMetrics imbalance = imbalance_metrics(trace, matching);
  Json effective{{"algorithm", options.algorithm}};
  if (options.algorithm == kIntervals) {
    const std::int64_t threshold = parse_ns(options.threshold, "--threshold");
    effective["threshold_ns"] = threshold;
    answer(describe(interval_path(trace, threshold), imbalance, trace), "critical-path", run,
           options.question.output, effective);
    return 0;
  }
  const CallPaths paths(trace);
  const PathOptions path{.algorithm = parse_algorithm(options.algorithm),
                         .delta_ns = parse_ns(options.delta, "--delta")};
  effective["delta_ns"] = path.delta_ns;
  const OutputOptions& output = options.question.output;
  const PathDetail detail = tells_result(output) ? PathDetail::segments : PathDetail::sums;
  answer(describe(measured_path(trace, matching, paths, path), imbalance, paths, detail),
         "critical-path", run, output, effective);
  return 0;
}

int run_critical_path(const CriticalPathOptions& options) {
  if (options.on == "measured" || options.on == "simulated") return run_timed(options);
  if (options.on != "model" && options.on != "predicted") {
    throw usage_error("there is no critical path on '" + options.on + "'", "no such name",
                      "Known are model (or predicted), measured and simulated.");
  }
  const OpenedQuestion q = open_question(options.question);
  const Prediction prediction = predict(q.trace(), q.graph, q.model);
  answer(describe_critical_path(prediction, q.trace()), "critical-path", q, options.question);
  return 0;
}

}  // namespace

Run setup_critical_path(CommandParser& parser) {
  auto options = std::make_shared<CriticalPathOptions>();
  add_model_question(parser, options->question);
  add_network_options(parser, options->question.network);
  parser
      .add_option("--on", options->on,
                  "The run whose path is asked for: model (predicted), measured (as it was) or "
                  "simulated (on a platform)")
      ->type_name("RUN")
      ->capture_default_str();
  parser
      .add_option("--algorithm", options->algorithm,
                  "Measured, simulated: dag, dijkstra, delta-stepping, splits, or intervals")
      ->type_name("NAME")
      ->capture_default_str();
  parser
      .add_option("--delta", options->delta, "Width of delta-stepping's buckets; default: chosen")
      ->type_name("TIME");
  parser
      .add_option("--threshold", options->threshold,
                  "Intervals: computations shorter than that are left out")
      ->type_name("TIME");
  add_fix_clocks(parser, options->question.open);
  add_platform_options(parser, options->run.platform, kSimulatedRuns);
  examples(parser, {"slackline critical-path slackline-trace",
                    "slackline critical-path app.slk --on measured",
                    "slackline critical-path app.slk -L 10us --format csv -O path.csv"});
  return [options] { return run_critical_path(*options); };
}

}  // namespace slackline
