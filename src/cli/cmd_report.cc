#include <memory>

#include "cli/commands.h"
#include "cli/report_question.h"

namespace slackline {

Run setup_report(CLI::App& app) {
  auto options = std::make_shared<ReportQuestion>();
  add_report_question(app, *options);
  examples(app,
           {"slackline report slackline-trace", "slackline report slackline-trace -o report.html",
            "slackline report before.slk after.slk",
            "slackline report app.slk --network shared-memory --format json",
            "slackline report app.slk --platform fat-tree.toml -o report.html"});
  return [options] {
    answer_report(*options, "report");
    return 0;
  };
}

}  // namespace slackline
