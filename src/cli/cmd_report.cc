#include <memory>

#include "cli/commands.h"
#include "cli/degradations.h"
#include "cli/model_question.h"
#include "page/run_report.h"

namespace slackline {
namespace {

struct ReportOptions {
  ModelQuestion question;
  std::vector<std::string> degradations;
};

int run_report(const ReportOptions& options) {
  const std::vector<std::int64_t> ppm = parse_degradations(options.degradations);
  const OpenedQuestion q = open_question(options.question);
  const bool page = output_format(options.question.output) == OutputFormat::html;
  answer(run_report(q.trace(), q.graph, q.model, {.degradations_ppm = ppm, .pictures = page}),
         "report", q, options.question, {{"degrade", degradations_to_json(ppm)}});
  return 0;
}

}  // namespace

Run setup_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  add_model_question(app, options->question, OverheadShortName::none);
  add_degradations(app, options->degradations);
  add_fix_clocks(app, options->question.open);
  examples(app,
           {"slackline report slackline-trace", "slackline report slackline-trace -o report.html",
            "slackline report app.slk --network shared-memory --format json"});
  return [options] { return run_report(*options); };
}

}  // namespace slackline
