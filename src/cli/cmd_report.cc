#include <memory>

#include "cli/report_request.h"

namespace slackline {

Run setup_report(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<ReportRequest>>();
  auto all = std::make_shared<bool>(false);
  add_report_request(parser, *command);
  parser.add_flag("--all", *all,
                  "All sections as text, not only the first screen (other formats have all)");
  examples(parser,
           {"slackline report slackline-trace", "slackline report slackline-trace -o report.html",
            "slackline report before.slk after.slk", "slackline report slackline-trace --all",
            "slackline report slackline-trace --section waits,path",
            "slackline report app.slk --network shared-memory --format json",
            "slackline report app.slk --platform fat-tree.toml -o report.html"});
  return [command, all] { return write_full_report(*command, *all); };
}

}  // namespace slackline
