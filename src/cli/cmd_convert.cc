#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/output_files.h"
#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/model_question.h"
#include "cli/output.h"
#include "cli/trace_writers.h"
#include "trace/open/open.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

struct ConvertOptions {
  std::string trace;
  std::string out;
  std::string to;
  bool force = false;
  OpenOptions open;
  ModelOptions model;
  OutputOptions output;
};

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
  const std::string extension = fs::path(options.out).extension().string();
  const auto writers = trace_writers();
  const auto chosen = std::ranges::find_if(writers, [&](const TraceWriter& w) {
    return options.to.empty() ? w.extension == extension : w.name == options.to;
  });
  if (chosen != writers.end()) return *chosen;
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

int run_convert(const ConvertOptions& options) {
  const TraceWriter& writer = choose_writer(options);
  ModelChoice model = resolve_model(options.model);
  const OpenedTrace opened = open_trace(options.trace, options.open);
  model.graph.collectives.resolve_automatic(opened.trace.info().mpi_library);

  OutputFiles files(options.out, options.force ? OutputFiles::Existing::replace
                                               : OutputFiles::Existing::refuse_folders);
  const std::optional<OpenedGoal> goal = open_goal(options.trace);
  const Findings lost =
      writer.write({opened.trace, files.path(), model, goal ? &goal->program : nullptr});
  const Conversion done{options.out, writer.name, size_below(files.path().parent_path())};
  files.commit();

  Report report = describe(done, opened);
  report.options = {{"to", std::string(writer.name)}};
  report.findings.merge(lost);
  if (!options.output.quiet) write_report(report, options.output);
  return 0;
}

}  // namespace

Run setup_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  app.add_option("trace", options->trace, "A trace file or recording folder")
      ->type_name("TRACE")
      ->required();
  app.add_option("out", options->out, "The file or folder to make")->type_name("OUT")->required();
  std::vector<std::string> names;
  for (const TraceWriter& writer : trace_writers()) names.emplace_back(writer.name);
  app.add_option("--to", options->to, "Its format; default: by OUT's extension")
      ->transform(CLI::IsMember(names));
  app.add_flag("--force", options->force, "Replace a folder that stands in the way");
  add_fix_clocks(app, options->open);
  add_model_options(app, options->model);
  app.add_option("--format", options->output.format, "Form of what is said about it")
      ->transform(CLI::IsMember({"text", "json"}));
  app.add_flag("-q,--quiet", options->output.quiet, "Say nothing");
  examples(app, {"slackline convert slackline-trace app.slk", "slackline convert app.slk app.txt",
                 "slackline convert app.slk app.otf2"});
  return [options] { return run_convert(*options); };
}

}  // namespace slackline
