#include <memory>

#include "base/units.h"
#include "cli/commands.h"
#include "cli/run_question.h"
#include "diagnosis/wait_summary.h"

namespace slackline {
namespace {

struct WaitStatesOptions {
  RunQuestion question{};
  std::string eager{};
};

int run_wait_states(const WaitStatesOptions& options) {
  WaitOptions wait;
  if (!options.eager.empty()) wait.eager_bytes = parse_bytes(options.eager, "--eager-threshold");
  const OpenedTrace opened = open_run(options.question.trace);
  const CallPaths paths(opened.trace);
  const WaitSummary summary =
      summarize_waits(opened.trace, CallMatching(opened.trace), paths, wait);
  const Json eager = wait.eager_bytes ? Json(*wait.eager_bytes) : Json(nullptr);
  answer(describe(summary, opened.trace, paths), "wait-states", opened, options.question.output,
         {{"eager_threshold_bytes", eager}});
  return 0;
}

}  // namespace

Run setup_wait_states(CLI::App& app) {
  auto options = std::make_shared<WaitStatesOptions>();
  add_run_question(app, options->question);
  app.add_option("--eager-threshold", options->eager,
                 "Sends of at most that size do not wait for their receiver. Without it, a send "
                 "that is still under way when its receive begins has waited")
      ->type_name("BYTES");
  examples(app, {"slackline wait-states app.slk", "slackline wait-states app.slk --format json"});
  return [options] { return run_wait_states(*options); };
}

}  // namespace slackline
