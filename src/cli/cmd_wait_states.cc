#include <memory>

#include "analysis/waits/wait_summary.h"
#include "cli/commands.h"
#include "cli/run_choice.h"
#include "cli/run_question.h"

namespace slackline {
namespace {

struct WaitStatesOptions {
  RunQuestion question{};
  RunChoice run{};
};

int run_wait_states(const WaitStatesOptions& options) {
  WaitOptions wait;
  if (options.run.model.eager_threshold) {
    wait.eager_bytes = resolve_model(options.run.model).graph.eager_threshold_bytes;
  }
  const ChosenRun run = open_chosen_run(options.question.trace, options.run);
  if (run.eager_bytes) wait.eager_bytes = run.eager_bytes;
  if (run.on == "measured") wait.sends = &run.opened.sends;
  const CallPaths paths(run.trace());
  const WaitSummary summary = summarize_waits(run.trace(), CallMatching(run.trace()), paths, wait);
  const Json eager = wait.eager_bytes ? Json(*wait.eager_bytes) : Json(nullptr);
  answer(describe(summary, run.trace(), paths), "wait-states", run, options.question.output,
         {{"eager_threshold_bytes", eager}});
  return 0;
}

}  // namespace

Run setup_wait_states(CommandParser& parser) {
  auto options = std::make_shared<WaitStatesOptions>();
  add_run_question(parser, options->question);
  add_run_choice(parser, options->run);
  parser.get_option("--eager-threshold")
      ->description(
          "Messages of at most that size do not wait for their receiver. Without it, a measured "
          "send "
          "that is still under way when its receive begins has waited");
  examples(parser, {"slackline wait-states app.slk", "slackline wait-states app.slk --format json",
                    "slackline wait-states app.slk --on predicted -L 10us"});
  return [options] { return run_wait_states(*options); };
}

}  // namespace slackline
