#include <memory>

#include "analysis/phases/monitor.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/run_choice.h"
#include "cli/run_question.h"

namespace slackline {
namespace {

struct MonitorCommandOptions {
  RunQuestion question{};
  RunChoice run{};
  std::optional<std::int32_t> rank{};
  std::size_t windows = 256;
  std::string causality = "dimemas";
};

int run_monitor(const MonitorCommandOptions& options) {
  MonitorOptions wanted;
  wanted.rank = options.rank;
  wanted.windows = options.windows;
  wanted.ideal.causality = parse_collective_causality(options.causality);
  const ChosenRun run = open_chosen_run(options.question.trace, options.run);
  const Monitor result =
      monitor(run.trace(), CallMatching(run.trace()), CallPaths(run.trace()), wanted);
  answer(describe(result), "monitor", run, options.question.output,
         {{"rank", result.rank},
          {"windows", options.windows},
          {"collective_causality", options.causality}});
  return 0;
}

}  // namespace

Run setup_monitor(CommandParser& parser) {
  auto options = std::make_shared<MonitorCommandOptions>();
  add_run_question(parser, options->question);
  parser
      .add_option("--rank", options->rank,
                  "Whose transfer efficiency is followed call by call; default: the rank with most "
                  "calls")
      ->type_name("RANK");
  parser.add_option("--windows", options->windows, "Fixed windows that the run is cut into")
      ->in_range(8, 4096)
      ->type_name("NUMBER")
      ->capture_default_str();
  parser
      .add_option("--collective-causality", options->causality,
                  "What a collective waits for on the ideal network: dimemas or data")
      ->type_name("RULE")
      ->capture_default_str();
  add_run_choice(parser, options->run);
  examples(parser, {"slackline monitor app.slk", "slackline monitor app.slk -o monitor.html",
                    "slackline monitor app.slk --on simulated --platform cluster.xml"});
  return [options] { return run_monitor(*options); };
}

}  // namespace slackline
