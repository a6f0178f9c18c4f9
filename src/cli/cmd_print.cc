#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/model_question.h"
#include "cli/output.h"
#include "formats/open/open.h"
#include "formats/text/text.h"

namespace slackline {
namespace {

struct PrintOptions {
  std::string trace;
  std::optional<std::int32_t> rank;
  OutputOptions output;
};

int run_print(const PrintOptions& options) {
  const OpenedTrace opened = open_trace(options.trace.empty() ? newest_recording() : options.trace);
  const std::int32_t ranks = opened.trace.ranks();
  if (options.rank && (*options.rank < 0 || *options.rank >= ranks)) {
    throw usage_error(fmt::format("there is no rank {}", *options.rank),
                      fmt::format("'{}' has {} ranks", opened.path, ranks),
                      fmt::format("Choose one from 0 to {}.", ranks - 1));
  }
  OutputSink sink(options.output);
  write_text_trace(opened.trace, [&](std::string_view text) { sink.write(text); },
                   {.rank = options.rank});
  sink.finish();
  return 0;
}

}  // namespace

Run setup_print(CommandParser& parser) {
  auto options = std::make_shared<PrintOptions>();
  parser
      .add_option("trace", options->trace,
                  "A trace file or recording folder; without it the newest slackline-trace* here")
      ->type_name("TRACE");
  parser.add_option("--rank", options->rank, "This rank only")->type_name("RANK");
  parser
      .add_option("-o,--output", options->output.file,
                  "Write to this file instead of standard output")
      ->type_name("FILE");
  examples(parser, {"slackline print app.slk", "slackline print app.slk --rank 3 -o rank3.txt",
                    "slackline print app.slk | grep -c isend"});
  return [options] { return run_print(*options); };
}

}  // namespace slackline
