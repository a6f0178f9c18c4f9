#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/runs/modelled_trace.h"
#include "base/error.h"
#include "base/output_files.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/model_question.h"
#include "cli/output.h"
#include "cli/trace_writers.h"
#include "formats/open/open.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

struct ConvertOptions {
  ModelQuestion question{};
  std::string out{};
  std::string to{};
  bool force = false;
  bool predicted = false;
  std::string arrows = "path";
};

TimelineArrows arrows_of(const ConvertOptions& options) {
  if (options.arrows == "all") return TimelineArrows::all;
  return options.arrows == "none" ? TimelineArrows::none : TimelineArrows::path;
}

struct Conversion {
  std::string path;
  std::string_view format;
  std::uint64_t bytes = 0;
};

std::string names_of_formats() {
  std::string all;
  for (const TraceWriter& writer : trace_writers()) {
    all += fmt::format("{}{}", all.empty() ? "" : ", ", writer.name);
  }
  return all;
}

const TraceWriter& choose_writer(const ConvertOptions& options) {
  const auto writers = trace_writers();
  const auto named = std::ranges::find(writers, options.to, &TraceWriter::name);
  if (named != writers.end()) return *named;
  if (const TraceWriter* usual = writer_by_extension(options.out)) return *usual;
  const std::string extension = fs::path(options.out).extension().string();
  throw usage_error(fmt::format("cannot tell the format of '{}'", options.out),
                    extension.empty() ? "it has no extension"
                                      : fmt::format("no format has the extension {}", extension),
                    fmt::format("Name one with --to: {}.", names_of_formats()));
}

std::uint64_t size_below(const fs::path& path) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

Report describe(const Conversion& conversion, const OpenedTrace& opened) {
  Report report;
  report.command = "convert";
  report.title = fmt::format("convert: {}", opened.path);
  report.input = input_to_json(opened);
  report.result = {{"path", conversion.path},
                   {"format", std::string(conversion.format)},
                   {"bytes", conversion.bytes}};
  report.findings.merge(opened.trace.findings());
  Facts facts;
  facts.facts.push_back({"written", conversion.path});
  facts.facts.push_back({"format", std::string(conversion.format)});
  facts.facts.push_back({"size", static_cast<std::int64_t>(conversion.bytes), Unit::bytes});
  report.sections.push_back({"conversion", "Conversion", {std::move(facts)}});
  return report;
}

/// What is to be written: the trace as it was read, or with the model's times.
struct Source {
  OpenedTrace opened;
  ModelChoice model;
  std::optional<OpenedGoal> goal{};  ///< the program itself, when it was one and keeps its form
  Findings findings{};
};

Source read_source(const ConvertOptions& options) {
  const ModelQuestion& question = options.question;
  Source source{open_trace(question.trace, question.open), resolve_model(question.model)};
  source.model.graph.collectives.resolve_automatic(source.opened.trace.info().mpi_library);
  source.goal = open_goal(question.trace);
  return source;
}

Source predict_source(const ConvertOptions& options) {
  OpenedQuestion q = open_question(options.question);
  const Schedule schedule = model_schedule(q.graph, picosecond_cost(q.graph, q.model));
  q.opened.trace = modelled_trace(std::move(q.opened.trace), q.graph, schedule);
  return {std::move(q.opened), q.model, {}, q.graph.findings()};
}

int run_convert(const ConvertOptions& options) {
  const TraceWriter& writer = choose_writer(options);
  if (options.predicted && !writer.times) {
    throw usage_error("cannot write predicted times",
                      fmt::format("the format {} has none", writer.name),
                      "Leave --predicted away, or choose a format of traces.");
  }
  const Source source = options.predicted ? predict_source(options) : read_source(options);

  OutputFiles files(options.out, options.force ? OutputFiles::Existing::replace
                                               : OutputFiles::Existing::refuse_folders);
  const Findings lost =
      writer.write({source.opened.trace, files.path(), source.model,
                    source.goal ? &source.goal->program : nullptr, arrows_of(options)});
  const Conversion done{options.out, writer.name, size_below(files.path().parent_path())};
  files.commit();

  const OutputOptions& output = options.question.output;
  Report report = describe(done, source.opened);
  report.options = {{"to", std::string(writer.name)}, {"predicted", options.predicted}};
  if (options.predicted) report.options.update(to_json(source.model));
  report.findings.merge(source.findings);
  report.findings.merge(lost);
  if (!output.quiet) write_report(report, output);
  return 0;
}

}  // namespace

Run setup_convert(CommandParser& parser) {
  auto options = std::make_shared<ConvertOptions>();
  ModelQuestion& question = options->question;
  parser.add_option("trace", question.trace, "A trace file or recording folder")
      ->type_name("TRACE")
      ->required();
  parser.add_option("out", options->out, "The file or folder to make")
      ->type_name("OUT")
      ->required();
  std::vector<std::string> names;
  for (const TraceWriter& writer : trace_writers()) names.emplace_back(writer.name);
  parser.add_option("--to", options->to, "Its format; default: by OUT's extension")->one_of(names);
  parser.add_flag("--force", options->force, "Replace a folder that stands in the way");
  parser.add_flag("--predicted", options->predicted, "Write the times that the model predicts");
  parser
      .add_option(
          "--arrows", options->arrows,
          "Arrows in Perfetto's timeline: path (the run's critical path from rank to rank), all "
          "(messages) or none")
      ->type_name("WHICH")
      ->one_of({"path", "all", "none"})
      ->capture_default_str();
  add_fix_clocks(parser, question.open);
  add_model_options(parser, question.model);
  add_network_options(parser, question.network);
  parser.add_option("--format", question.output.format, "Form of what is said about it")
      ->one_of({"text", "json"});
  parser.add_flag("-q,--quiet", question.output.quiet, "Say nothing");
  examples(parser, {"slackline convert slackline-trace app.slk",
                    "slackline convert app.slk app.txt", "slackline convert app.slk app.otf2",
                    "slackline convert --predicted -L 10us app.slk slower.prv"});
  return [options] { return run_convert(*options); };
}

}  // namespace slackline
