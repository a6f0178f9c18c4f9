#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/efficiency/ideal_replay.h"
#include "analysis/model/model_choice.h"
#include "analysis/runs/scheduled_calls.h"
#include "app/load/computation.h"
#include "app/load/input.h"
#include "app/load/loaded_graph.h"
#include "app/load/loaded_run.h"
#include "app/options/option_values.h"
#include "app/options/shared_options.h"
#include "app/requests/schemas.h"
#include "app/requests/trace_requests.h"
#include "app/trace_writers.h"
#include "base/error.h"
#include "base/findings.h"
#include "base/units.h"
#include "calls/cpu_time.h"
#include "formats/open/open.h"
#include "formats/perfetto/perfetto.h"
#include "graph/goal/goal_graph.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "timing/model_schedule.h"
#include "trace/trace.h"
#include "training/collectives.h"

namespace slackline {
namespace {

constexpr FindingKind kPredictionDiffers{
    "prediction_differs", Severity::notice,
    "The written file predicts another run time than the trace, under the same model."};

constexpr double kTold = 1e-6;
constexpr std::uint64_t kMostMessages = 4'000'000;

/// More messages than the graph has: in a collective at most one from each rank to each other.
std::uint64_t most_messages(const Trace& trace) {
  const auto ranks = static_cast<std::uint64_t>(trace.ranks());
  std::uint64_t messages = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const OperationClass kind = operation_class(calls.operation(i));
      const bool collective = kind == OperationClass::collective ||
                              kind == OperationClass::icollective ||
                              kind == OperationClass::comm_create;
      messages += collective ? ranks : 1;
    }
  }
  return messages;
}

double makespan_ns(const ExecutionGraph& graph, const ModelChoice& model) {
  const Schedule schedule = model_schedule(graph, picosecond_cost(graph, model));
  return static_cast<double>(schedule.makespan_ps) / kPicosPerNano;
}

double makespan_ns_of_file(const std::filesystem::path& written, const ModelChoice& model,
                           std::string_view computation) {
  if (const std::optional<OpenedGoal> goal = open_goal(written)) {
    return makespan_ns(build_goal_graph(goal->program, goal->path, model.graph).graph, model);
  }
  const OpenedTrace opened = open_trace(written);
  const ComputationChoice choice = choose_computation(computation, opened.trace);
  return makespan_ns(build_graph(choice.cpu_time ? *choice.cpu_time : opened.trace, model.graph),
                     model);
}

/// Reads back what was written of `program` and predicts both under `model`. Adds the Finding
/// `prediction_differs` when the file's makespan is another one by a millionth or more, or when it
/// cannot be read. `computation` is what --computation says of the file. Does nothing for programs
/// of more than some 4 million messages, whose graphs are large. O(vertices + edges) of both
/// graphs.
void note_prediction_loss(const Trace& program, const std::filesystem::path& written,
                          const ModelChoice& model, std::string_view computation,
                          Findings& findings) {
  if (most_messages(program) > kMostMessages) return;
  const double before = makespan_ns(build_graph(program, model.graph), model);
  if (before <= 0) return;
  try {
    const double after = makespan_ns_of_file(written, model, computation);
    const double change = after / before - 1;
    if (std::abs(change) < kTold) return;
    findings.add(kPredictionDiffers,
                 fmt::format("{:+.2g} % of {}", 100 * change, format_time_ns(before)));
  } catch (const Error& error) {
    findings.add(kPredictionDiffers, fmt::format("it cannot be read: {}", error.what()));
  }
}

namespace fs = std::filesystem;

TimelineArrows arrows_of(const ConvertRequest& request) {
  if (request.arrows == "all") return TimelineArrows::all;
  return request.arrows == "none" ? TimelineArrows::none : TimelineArrows::path;
}

struct Conversion {
  std::string path;
  std::string_view format;
  std::optional<std::uint64_t> bytes{};  ///< none: of a stream
};

std::string names_of_formats() {
  return fmt::format("{}", fmt::join(writable_formats(), ", "));
}

const TraceWriter& choose_writer(const ConvertRequest& request) {
  const auto writers = trace_writers();
  const auto named = std::ranges::find(writers, request.to, &TraceWriter::name);
  if (named != writers.end()) return *named;
  if (const TraceWriter* usual = writer_by_extension(request.out)) return *usual;
  const std::string extension = fs::path(request.out).extension().string();
  throw usage_error(fmt::format("cannot determine the format of '{}'", request.out),
                    extension.empty() ? "it has no extension"
                                      : fmt::format("no format has the extension {}", extension),
                    fmt::format("Choose one with --to: {}.", names_of_formats()));
}

std::uint64_t size_below(const fs::path& path) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

auto conversion_object(const Conversion& conversion) {
  return Object{"path"_key = conversion.path, "format"_key = conversion.format,
                "bytes"_key.when(conversion.bytes)};
}

Section conversion_section(const Conversion& conversion) {
  Facts facts;
  facts.facts.push_back({"written", conversion.path});
  facts.facts.push_back({"format", std::string(conversion.format)});
  if (conversion.bytes) {
    facts.facts.push_back({"size", static_cast<std::int64_t>(*conversion.bytes), Unit::bytes});
  }
  return {"conversion", "Conversion", {std::move(facts)}};
}

/// `model`: that of predicted times.
auto convert_report(const Conversion& conversion, const OpenedTrace& opened,
                    const std::optional<ModelJson>& model, bool ideal) {
  Described described{conversion_object(conversion), {conversion_section(conversion)}};
  described.findings.merge(opened.trace.findings());
  return typed_report("convert", fmt::format("convert: {}", opened.path),
                      Object{"to"_key = conversion.format, "predicted"_key = model.has_value(),
                             "ideal"_key = ideal, model},
                      input_to_json(opened), std::move(described));
}
using ConvertReports = CommandReports<ReturnedBy<convert_report>>;

/// What is to be written: the trace as it was read, or with the model's times.
struct Source {
  OpenedTrace opened;
  ModelChoice model;
  std::optional<OpenedGoal> goal{};  ///< the program itself, when it was one and keeps its form
  Findings findings{};
  ComputationChoice computation{};
};

constexpr FindingKind kCpuTimeLost{
    "cpu_time_lost", Severity::notice,
    "The format does not hold for how long ranks were off their processors or recording took; "
    "predictions of the written file count that as computation."};

/// A program is written with what the model takes for computation, a measured run as it was.
const Trace& trace_to_write(const Source& source, const TraceWriter& writer, Findings& findings) {
  if (!source.computation.cpu_time) return source.opened.trace;
  if (!writer.times) {
    findings.merge(source.computation.findings);
    return *source.computation.cpu_time;
  }
  if (writer.loses_cpu_time) {
    const Trace& trace = source.opened.trace;
    const std::int64_t lost =
        source.computation.name == "cpu" ? paused_ns(trace) : recording_ns(trace);
    findings.add(kCpuTimeLost,
                 fmt::format("{} of all ranks", format_time_ns(static_cast<double>(lost))));
  }
  return source.opened.trace;
}

Source read_source(const ConvertRequest& request, KeepMatching keep) {
  const ModelRequest& input = request.input;
  const OpenOptions options =
      open_options(input.reading, ClockPolicy::as_read, keep == KeepMatching::yes);
  Source source{open_input(input.trace, options), resolve_model(input.model)};
  source.model.graph.collectives.resolve_automatic(source.opened.trace.info().mpi_library);
  source.goal = open_goal(source.opened.path);
  source.computation = choose_computation(input.model.computation, source.opened.trace);
  return source;
}

Source predict_source(const ConvertRequest& request, KeepMatching keep) {
  LoadedGraph loaded = load_graph(request.input, CallDetail::named, GraphTime::now, keep);
  const Schedule schedule =
      model_schedule(loaded.graph, picosecond_cost(loaded.graph, loaded.model));
  loaded.opened.trace = modelled_trace(loaded.take_program(), loaded.graph, schedule);
  loaded.findings.merge(loaded.graph.findings());
  return {std::move(loaded.opened), loaded.model, {}, std::move(loaded.findings), {}};
}

/// The measured run as the ideal network of `slackline efficiency` would have let it be.
Source ideal_source(const ConvertRequest& request) {
  const ModelRequest& input = request.input;
  LoadedRun run = load_run({.trace = input.trace, .on = "measured", .reading = input.reading});
  const IdealRun ideal = ideal_run(run.trace(), run.matching(),
                                   ideal_network("dimemas", kRendezvousFrom, input.model));
  run.opened.trace = with_ideal_times(std::move(run.opened.trace), ideal);
  return {std::move(run.opened), {}, {}, std::move(run.findings), {}};
}

Source source_of(const ConvertRequest& request, const TraceWriter& writer) {
  if ((request.predicted || request.ideal) && !writer.times) {
    throw usage_error(
        fmt::format("cannot write {} times", request.ideal ? "ideal" : "predicted"),
        fmt::format("the format {} has no timestamps", writer.name),
        fmt::format("Omit --{}, or choose a trace format.", request.ideal ? "ideal" : "predicted"));
  }
  const KeepMatching keep = writer.matches ? KeepMatching::yes : KeepMatching::no;
  if (request.ideal) return ideal_source(request);
  return request.predicted ? predict_source(request, keep) : read_source(request, keep);
}

/// Writes a profile of a training run, whose threads and streams only timelines hold.
Report convert_training(const ConvertRequest& request, OpenedTraining training) {
  const TraceWriter& writer = choose_writer(request);
  const bool other_times = request.predicted || request.ideal;
  if (writer.name != "perfetto" || other_times) {
    throw usage_error(
        fmt::format("cannot convert {}", training.path),
        other_times
            ? "predicted and ideal times are of calls of MPI, and it is a profile of a training run"
            : fmt::format("it is a profile of a training run, which the format {} cannot hold",
                          writer.name),
        "Write a file for Perfetto's timeline (.pftrace), without --predicted or --ideal.");
  }
  correct_clocks(training.run);
  OutputFiles files = output_of(writer, request.out, OutputFiles::Existing::refuse_folders);
  write_perfetto(training.run, files.path());
  Conversion done{request.out, writer.name};
  if (!files.is_stream()) done.bytes = size_below(files.path().parent_path());
  files.commit();
  Report report = ConvertReports::untyped(convert_report(done, without_calls(training), {}, false));
  report.findings.merge(training.run.findings);
  return report;
}

}  // namespace

void declare(OptionList& options, ConvertRequest& request) {
  ModelRequest& input = request.input;
  options.add("trace TRACE", input.trace, "Trace file or recording folder", {.required = true});
  options.add("out OUT", request.out, "Output file or folder", {.required = true});
  options.add("--to", request.to, "Output format; default: by OUT's extension",
              {.choices = writable_formats()});
  options.add("--force", request.force, "Overwrite an existing output folder");
  options.add("--predicted", request.predicted, "Write the times predicted by the model");
  options.add("--ideal", request.ideal,
              "Write the times of the run on a network of no latency and infinite bandwidth, by "
              "Dimemas' rules",
              {.excludes = "--predicted"});
  options.add("--arrows WHICH", request.arrows,
              "Arrows in Perfetto's timeline: path (critical path from rank to rank), all "
              "(messages) or none",
              {.choices = {"path", "all", "none"}});
  declare_clocks(options, input.reading);
  declare_memory(options, input.reading);
  declare(options, input.model);
  declare(options, input.network);
}

std::vector<std::string> writable_formats() {
  std::vector<std::string> names;
  for (const TraceWriter& writer : trace_writers()) names.emplace_back(writer.name);
  return names;
}

Report execute(const ConvertRequest& request) {
  if (auto training = open_training(input_path(request.input.trace))) {
    return convert_training(request, *std::move(training));
  }
  const TraceWriter& writer = choose_writer(request);
  Source source = source_of(request, writer);
  const auto matching = [&]() -> const CallMatching& { return matching_of(source.opened); };

  OutputFiles files = output_of(
      writer, request.out,
      request.force ? OutputFiles::Existing::replace : OutputFiles::Existing::refuse_folders);
  const Trace& trace = trace_to_write(source, writer, source.findings);
  const bool measured = !request.predicted && !request.ideal;
  const Findings lost = writer.write(
      {trace, matching, files.path(), source.model, source.goal ? &source.goal->program : nullptr,
       arrows_of(request), &source.opened.samples, measured ? &source.opened.sends : nullptr});
  // What went into a stream cannot be read again.
  if (writer.loses_prediction && measured && !source.goal && !files.is_stream()) {
    const auto& cpu_time = source.computation.cpu_time;
    note_prediction_loss(cpu_time ? *cpu_time : source.opened.trace, files.path(), source.model,
                         request.input.model.computation, source.findings);
  }
  Conversion done{request.out, writer.name};
  if (!files.is_stream()) done.bytes = size_below(files.path().parent_path());
  files.commit();

  std::optional<ModelJson> model;
  if (request.predicted) model = to_json(source.model);
  Report report =
      ConvertReports::untyped(convert_report(done, source.opened, model, request.ideal));
  report.findings.merge(source.findings);
  report.findings.merge(lost);
  return report;
}

CommandSchema convert_schema() {
  return ConvertReports::schema();
}

}  // namespace slackline
