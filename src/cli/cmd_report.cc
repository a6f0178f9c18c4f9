#include <memory>

#include "cli/commands.h"
#include "cli/report_question.h"

namespace slackline {

Run setup_report(CommandParser& parser) {
  auto options = std::make_shared<ReportQuestion>();
  add_report_question(parser, *options);
  examples(parser,
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
