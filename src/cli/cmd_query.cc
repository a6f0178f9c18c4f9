#include <memory>

#include "app/requests/query.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_query(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<QueryRequest>>();
  QueryRequest& request = command->request;
  parser.add_option("trace", request.trace, "Trace file or recording folder")
      ->type_name("TRACE")
      ->required();
  parser
      .add_option("sql", request.sql,
                  "SQL statement over calls, messages, collectives, regions, "
                  "communicator_members, ranks and findings")
      ->type_name("SQL")
      ->required();
  add_reading_options(parser, request.reading);
  add_memory(parser, request.reading);
  add_output_options(parser, command->output);
  examples(parser,
           {"slackline query app.slk 'SELECT operation, count(*) FROM calls GROUP BY operation'",
            "slackline query app.slk 'SELECT * FROM calls WHERE rank = 0 LIMIT 10' --format csv",
            "slackline query app.slk 'SELECT source, sum(bytes) FROM messages GROUP BY source'"});
  return report_on<QueryRequest>(command);
}

}  // namespace slackline
