#include <memory>

#include "app/requests/convert.h"
#include "base/output_target.h"
#include "cli/report_command.h"
#include "cli/shared_options.h"

namespace slackline {

Run setup_convert(CommandParser& parser) {
  auto command = std::make_shared<ReportCommand<ConvertRequest>>();
  ConvertRequest& request = command->request;
  ModelRequest& input = request.input;
  parser.add_option("trace", input.trace, "Trace file or recording folder")
      ->type_name("TRACE")
      ->required();
  parser.add_option("out", request.out, "Output file or folder")->type_name("OUT")->required();
  parser.add_option("--to", request.to, "Output format; default: by OUT's extension")
      ->one_of(writable_formats());
  parser.add_flag("--force", request.force, "Overwrite an existing output folder");
  parser.add_flag("--predicted", request.predicted, "Write the times predicted by the model");
  parser
      .add_option("--arrows", request.arrows,
                  "Arrows in Perfetto's timeline: path (critical path from rank to rank), all "
                  "(messages) or none")
      ->type_name("WHICH")
      ->one_of({"path", "all", "none"})
      ->capture_default_str();
  add_reading_options(parser, input.reading);
  add_memory(parser, input.reading);
  add_model_options(parser, input.model);
  add_network_options(parser, input.network);
  parser.add_option("--format", command->output.format, "Format of the summary")
      ->one_of({"text", "json"});
  parser.add_flag("-q,--quiet", command->output.quiet, "Suppress messages");
  examples(parser, {"slackline convert slackline-trace app.slk",
                    "slackline convert app.slk app.txt", "slackline convert app.slk traces.otf2",
                    "slackline convert --predicted -L 10us app.slk slower.prv"});
  return [command] {
    const Report report = execute(command->request);
    OutputOptions summary = command->output;
    if (is_standard_output(command->request.out)) {
      summary.file = "/dev/stderr";
      summary.quiet = true;  // nothing else may follow the trace
    }
    if (!command->output.quiet) write_report(report, summary);
    return 0;
  };
}

}  // namespace slackline
