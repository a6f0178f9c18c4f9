#include <memory>

#include "base/units.h"
#include "cli/commands.h"
#include "cli/run_question.h"
#include "diagnosis/monitor.h"

namespace slackline {
namespace {

struct MonitorCommandOptions {
  RunQuestion question{};
  std::optional<std::int32_t> rank{};
  std::size_t windows = 256;
  std::string causality = "dimemas";
};

int run_monitor(const MonitorCommandOptions& options) {
  MonitorOptions wanted;
  wanted.rank = options.rank;
  wanted.windows = options.windows;
  wanted.ideal.causality = parse_collective_causality(options.causality);
  const OpenedTrace opened = open_run(options.question.trace);
  const Monitor result =
      monitor(opened.trace, CallMatching(opened.trace), CallPaths(opened.trace), wanted);
  answer(describe(result), "monitor", opened, options.question.output,
         {{"rank", result.rank},
          {"windows", options.windows},
          {"collective_causality", options.causality}});
  return 0;
}

}  // namespace

Run setup_monitor(CLI::App& app) {
  auto options = std::make_shared<MonitorCommandOptions>();
  add_run_question(app, options->question);
  app.add_option("--rank", options->rank,
                 "Whose transfer efficiency is followed call by call; default: the rank with most "
                 "calls")
      ->type_name("RANK");
  app.add_option("--windows", options->windows, "Fixed windows that the run is cut into")
      ->check(CLI::Range(8, 4096))
      ->type_name("NUMBER")
      ->capture_default_str();
  app.add_option("--collective-causality", options->causality,
                 "What a collective waits for on the ideal network: dimemas or data")
      ->type_name("RULE")
      ->capture_default_str();
  examples(app, {"slackline monitor app.slk", "slackline monitor app.slk -o monitor.html"});
  return [options] { return run_monitor(*options); };
}

}  // namespace slackline
