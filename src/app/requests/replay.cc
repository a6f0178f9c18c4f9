#include "app/requests/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <utility>

#include "analysis/cube/replay_error.h"
#include "app/load/computation.h"
#include "app/load/input.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "base/file.h"
#include "base/statistics.h"
#include "base/units.h"
#include "calls/run_span.h"
#include "formats/native/reader.h"
#include "formats/native/writer.h"
#include "replay/replay_file.h"
#include "replay/stripped_program.h"
#include "report/report.h"
#include "sim/platform/read_platform.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr std::size_t kPathsShown = 20;

constexpr FindingKind kSkipped{
    "replay_skipped", Severity::notice,
    "Calls that cannot be replayed; their time was replayed as computation."};

constexpr FindingKind kFilesNotAccessed{
    "replay_files_not_accessed", Severity::notice,
    "Calls of MPI-IO: files were not accessed, each call lasts as long as in the run."};
constexpr FindingKind kScratchFiles{
    "replay_scratch_files", Severity::info,
    "Calls of MPI-IO: each process read and wrote the recorded bytes in a file of its own, one "
    "call after the other, not where and with whom the program did."};
constexpr FindingKind kWindowsSimplified{
    "replay_windows_simplified", Severity::notice,
    "One-sided calls whose displacement, reduction operation and assertions a recording does not "
    "tell: transfers went to the begin of a window of the replay's own and were added, without "
    "assertions."};

Scenario scenario_of(const ReplayRequest& request) {
  Scenario scenario;
  if (!request.scenario.empty()) {
    const MappedFile file(request.scenario);
    scenario = parse_scenario(file.text(), request.scenario);
  }
  for (const std::string& text : request.edits) scenario.edits.push_back(parse_edit(text));
  return scenario;
}

double length_ns(const Trace& trace) {
  return static_cast<double>(run_span(trace).analysed.length_ns());
}

/// Values of the replays, from the smallest.
template <class Value>
std::vector<double> sorted_values(const std::vector<RecordedReplay>& replays, Value value) {
  std::vector<double> values;
  for (const RecordedReplay& replay : replays) values.push_back(value(replay));
  std::ranges::sort(values);
  return values;
}

/// What is said of the replays, with or without a run to compare with.
struct Summary {
  double measured_ns = 0;  ///< 0: the trace has no times
  std::vector<double> replayed_ns;
  bool identity;                       ///< the program is that of the run
  std::optional<ReplayError> error{};  ///< of the median replay
  std::vector<double> errors_by_call_path{};
  ReplayPace pace;
  bool disturbed = false;  ///< by other processes, the run or all replays: no error is told
};

Summary summarize(const PreparedReplay& prepared, const std::vector<RecordedReplay>& replays) {
  const Trace& measured = prepared.opened.trace;
  Summary summary{.replayed_ns = sorted_values(
                      replays, [](const RecordedReplay& r) { return length_ns(r.trace); }),
                  .identity = !prepared.edited.has_value(),
                  .pace = {}};
  const std::size_t chosen = median_replay(replays);
  summary.pace = replays[chosen].pace;
  if (!measured.timed()) return summary;
  summary.measured_ns = length_ns(measured);
  for (const RecordedReplay& replay : replays) {
    ReplayError error = replay_error(measured, replay.trace);
    summary.errors_by_call_path.push_back(error.by_call_path);
    if (&replay == &replays[chosen]) summary.error = std::move(error);
  }
  std::ranges::sort(summary.errors_by_call_path);
  return summary;
}

Paragraph headline(const Summary& s) {
  const double replayed = median_of(s.replayed_ns);
  if (s.measured_ns <= 0) {
    return {fmt::format("The replay took {}.", format_time_ns(replayed))};
  }
  const double change = replayed / s.measured_ns - 1;
  if (s.identity && s.disturbed) {
    return {
        fmt::format("The replay took {}, the measured run {}. Other processes disturbed "
                    "the run or the replay: no error is given.",
                    format_time_ns(replayed), format_time_ns(s.measured_ns))};
  }
  if (s.identity) {
    return {fmt::format("The replay took {}, the measured run {}: {:+.2f} %.",
                        format_time_ns(replayed), format_time_ns(s.measured_ns), 100 * change)};
  }
  return {fmt::format("The edited program took {} in the replay, the measured run {}: {} {} ({}).",
                      format_time_ns(replayed), format_time_ns(s.measured_ns),
                      format_time_ns(std::abs(replayed - s.measured_ns)),
                      change <= 0 ? "less" : "more", format_percent(std::abs(change)))};
}

Facts facts_of(const Summary& s) {
  Facts facts;
  if (s.measured_ns > 0) facts.facts.push_back({"measured", s.measured_ns, Unit::ns});
  facts.facts.push_back({"replayed", median_of(s.replayed_ns), Unit::ns,
                         "median of the replays; from the first return from MPI_Init to the last "
                         "entry into MPI_Finalize"});
  if (s.replayed_ns.size() > 1) {
    facts.facts.push_back({"spread", s.replayed_ns.back() - s.replayed_ns.front(), Unit::ns,
                           "longest replay less the shortest"});
  }
  if (s.identity && s.error && !s.disturbed) {
    facts.facts.push_back({"error by call path", median_of(s.errors_by_call_path), Unit::ratio,
                           "sum of the absolute differences of all call paths and ranks, of the "
                           "time of all ranks"});
  }
  facts.facts.push_back({"behind", static_cast<double>(s.pace.behind_ns), Unit::ns,
                         "by how much the latest rank was late at the end of its computation"});
  facts.facts.push_back({"most behind", static_cast<double>(s.pace.behind_most_ns), Unit::ns});
  facts.facts.push_back({"own cost of a call", static_cast<double>(s.pace.call_ns), Unit::ns,
                         "measured before the start, and taken off the computation"});
  return facts;
}

std::optional<Paragraph> differing_operations(const Summary& s, std::int32_t ranks,
                                              double tolerance) {
  if (!s.identity || !s.error || s.disturbed) return std::nullopt;
  std::string names;
  for (const ComparedTime& time : s.error->operations) {
    const double share = std::abs(time.difference_ns()) / (s.measured_ns * ranks);
    if (share <= tolerance) continue;
    names += fmt::format("{}{} ({:+.2f} %)", names.empty() ? "" : ", ", time.name,
                         100 * time.difference_ns() / (s.measured_ns * ranks));
  }
  if (names.empty()) return std::nullopt;
  return Paragraph{fmt::format("Differ by more than {} of the time of all ranks: {}.",
                               format_percent(tolerance), names)};
}

Table times_table(std::string id, std::string title, bool by_rank,
                  const std::vector<ComparedTime>& times) {
  Table table{.id = std::move(id), .title = std::move(title), .columns = {}, .rows = {}};
  table.columns = {{by_rank ? "call path" : "operation"}};
  if (by_rank) table.columns.push_back({"rank", Unit::count});
  table.columns.push_back({"measured", Unit::ns});
  table.columns.push_back({"replayed", Unit::ns});
  table.columns.push_back({"difference", Unit::ns});
  for (const ComparedTime& time : times) {
    if (by_rank && table.rows.size() == kPathsShown) break;
    std::vector<Value> row{time.name};
    if (by_rank) row.emplace_back(static_cast<std::int64_t>(time.rank));
    row.insert(row.end(), {time.measured_ns, time.replayed_ns, time.difference_ns()});
    table.rows.push_back(std::move(row));
  }
  return table;
}

auto time_object(const ComparedTime& time) {
  return Object{"name"_key = time.name, "measured_ns"_key = time.measured_ns,
                "replayed_ns"_key = time.replayed_ns};
}

auto path_time_object(const ComparedTime& time) {
  return Object{"name"_key = time.name, "rank"_key = time.rank,
                "measured_ns"_key = time.measured_ns, "replayed_ns"_key = time.replayed_ns};
}

std::vector<AppliedEdit> edits_of(const PreparedReplay& prepared) {
  return prepared.edited ? prepared.edited->log : std::vector<AppliedEdit>();
}

auto replayed_edit_object(const AppliedEdit& applied) {
  return Object{"edit"_key = to_string(applied.edit), "changed"_key = applied.changed};
}

auto replay_object(const PreparedReplay& prepared, const Summary& s, const ComparedRuns& runs) {
  std::vector<ComparedTime> operations;
  std::vector<ComparedTime> call_paths;
  if (s.error) {
    operations = s.error->operations;
    call_paths = s.error->call_paths;
    call_paths.resize(std::min(kPathsShown, call_paths.size()));
  }
  const auto* compared = s.identity && s.error && !s.disturbed ? &s : nullptr;
  return Object{
      "measured_ns"_key = known_if(s.measured_ns > 0, s.measured_ns),
      "replayed_ns"_key = median_of(s.replayed_ns),
      "replays_ns"_key = s.replayed_ns,
      "error_total"_key = optional_of(
          compared, [](const auto& c) { return median_of(c.replayed_ns) / c.measured_ns - 1; }),
      "error_by_call_path"_key =
          optional_of(compared, [](const auto& c) { return median_of(c.errors_by_call_path); }),
      "disturbed_runs"_key = runs.disturbed,
      "left_out_runs"_key = runs.left_out,
      "behind_ns"_key = s.pace.behind_ns,
      "behind_most_ns"_key = s.pace.behind_most_ns,
      "call_cost_ns"_key = s.pace.call_ns,
      "files"_key =
          Object{"reads"_key = s.pace.file_reads, "read_bytes"_key = s.pace.read_bytes,
                 "writes"_key = s.pace.file_writes, "written_bytes"_key = s.pace.written_bytes},
      "memory_bytes"_key = s.pace.memory_bytes,
      "streamed_bytes"_key = s.pace.streamed_bytes,
      "calls"_key = prepared.file.steps,
      "program_bytes"_key = prepared.file.bytes,
      "edits"_key = list_of(edits_of(prepared), replayed_edit_object),
      "operations"_key = list_of(operations, time_object),
      "call_paths"_key = list_of(call_paths, path_time_object)};
}

bool is_cpu_time(const std::string& computation, const Trace& trace) {
  if (computation != "auto") return computation == "cpu";
  return choose_computation(computation, trace).cpu_time.has_value();
}

/// What the replay does not do as the program did.
void add_simplifications(OpenedTrace& opened, bool files_accessed) {
  std::map<OperationClass, std::uint64_t> calls;
  for (std::int32_t r = 0; r < opened.trace.ranks(); ++r) {
    for (const Operation operation : opened.trace.calls(r).operations()) {
      ++calls[operation_class(operation)];
    }
  }
  const std::uint64_t files = calls[OperationClass::io];
  const std::uint64_t windows = calls[OperationClass::one_sided];
  if (files + windows == 0) return;
  TraceBuilder said = std::move(opened.trace);
  if (files > 0) {
    said.findings().add(files_accessed ? kScratchFiles : kFilesNotAccessed, {}, files);
  }
  if (windows > 0) said.findings().add(kWindowsSimplified, {}, windows);
  opened.trace = std::move(said).build();
}

/// The trace as it is to be replayed, checked.
PreparedReplay open_program(const ReplayRequest& request) {
  PreparedReplay prepared{.opened = open_input(request.trace, open_options(request.reading))};
  if (request.skip_unsupported) {
    SkippedCalls skipped = without_unsupported({prepared.opened.trace, prepared.opened.samples});
    prepared.skipped = skipped.count;
    if (skipped.count > 0) {
      TraceBuilder kept = std::move(skipped.program.trace);
      kept.findings().add(kSkipped, skipped.example, skipped.count);
      prepared.opened.trace = std::move(kept).build();
      prepared.opened.samples = std::move(skipped.program.samples);
    }
  }
  add_simplifications(prepared.opened, request.options.files);
  const Scenario scenario = scenario_of(request);
  prepared.scenario = scenario.name;
  check_replayable(prepared.opened.trace, CallMatching(prepared.opened.trace));
  if (!scenario.edits.empty()) {
    prepared.edited = apply(scenario, {prepared.opened.trace, prepared.opened.samples});
    require_selected(*prepared.edited);
  }
  return prepared;
}

auto replay_report(Described<ReturnedBy<replay_object>> described, const ReplayRequest& request,
                   const PreparedReplay& prepared, std::size_t repeat) {
  const bool cpu_time = is_cpu_time(request.computation, prepared.opened.trace);
  return with_context(
      std::move(described), "replay", prepared.opened,
      Object{"scenario"_key = request.scenario, "repeat"_key = repeat,
             "wildcards"_key = request.options.free_wildcards ? "free" : "recorded",
             "start"_key = request.options.common_start ? "common" : "recorded",
             "computation"_key = cpu_time ? "cpu" : "wall", "files"_key = request.options.files,
             "memory_bytes_per_s"_key = request.options.memory_rate,
             "skip_unsupported"_key = request.skip_unsupported,
             "tolerance"_key = request.tolerance});
}
using ReplayReports = CommandReports<ReturnedBy<replay_report>>;

}  // namespace

PreparedReplay prepare_replay(const ReplayRequest& request, const std::filesystem::path& file) {
  PreparedReplay prepared = open_program(request);
  const CallMatching matching(prepared.program());
  ReplayOptions options = request.options;
  options.cpu_time = is_cpu_time(request.computation, prepared.opened.trace);
  prepared.file = write_replay_file(prepared.program(), matching, options, file);
  return prepared;
}

void export_skeleton(const ReplayRequest& request, const std::filesystem::path& path) {
  write_native(skeleton(open_program(request).program()), path);
}

std::uint64_t memory_rate(const std::string& text) {
  constexpr double kMost = 1e13;
  const double rate = parse_bandwidth(text, "memory bandwidth");
  if (rate >= 1 && rate <= kMost) return static_cast<std::uint64_t>(rate);
  throw usage_error(fmt::format("cannot use '{}' as memory bandwidth", text),
                    "it is not between 1 B/s and 10 TB/s", "Example: --memory-bandwidth 4GB/s.");
}

ReplayPace read_pace(const std::filesystem::path& report) {
  ReplayPace pace;
  std::ifstream in(report);
  std::string name;
  std::int64_t value = 0;
  while (in >> name >> value) {
    if (name == "behind_ns") pace.behind_ns = value;
    if (name == "behind_most_ns") pace.behind_most_ns = value;
    if (name == "tail_ns") pace.call_ns = value;
    if (name == "file_reads") pace.file_reads = value;
    if (name == "read_bytes") pace.read_bytes = value;
    if (name == "file_writes") pace.file_writes = value;
    if (name == "written_bytes") pace.written_bytes = value;
    if (name == "memory_bytes") pace.memory_bytes = value;
    if (name == "streamed_bytes") pace.streamed_bytes = value;
  }
  return pace;
}

RecordedReplay recorded_replay(const PreparedReplay& prepared, const std::filesystem::path& trace,
                               const std::filesystem::path& report) {
  const MappedFile file(trace);
  const Trace recorded = read_native(file.bytes(), trace.string());
  if (recorded.ranks() != prepared.ranks()) {
    throw Error("the replay is incomplete",
                fmt::format("{} of {} ranks were recorded", recorded.ranks(), prepared.ranks()),
                "See the messages of the job above.");
  }
  return {replayed_trace(prepared.program(), prepared.file, recorded), read_pace(report),
          disturbance_of(recorded)};
}

ComparedRuns leave_out_disturbed(std::vector<RecordedReplay>& replays) {
  std::vector<Disturbance> disturbances;
  for (const RecordedReplay& replay : replays) disturbances.push_back(replay.disturbance);
  ComparedRuns runs;
  const std::vector<bool> kept = undisturbed(disturbances, runs);
  std::size_t next = 0;
  std::erase_if(replays, [&](const RecordedReplay&) { return !kept[next++]; });
  return runs;
}

void save_replay(const RecordedReplay& replay, const std::filesystem::path& path) {
  if (path.extension() != ".slk") {
    throw usage_error(fmt::format("cannot write '{}'", path.string()),
                      "a replay is written as a native trace", "Example: replayed.slk.");
  }
  write_native(replay.trace, path);
}

std::size_t median_replay(const std::vector<RecordedReplay>& replays) {
  std::vector<std::size_t> order(replays.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return length_ns(replays[i].trace); });
  return order[(order.size() - 1) / 2];
}

Report report_replay(const ReplayRequest& request, const PreparedReplay& prepared,
                     const std::vector<RecordedReplay>& replays, const ComparedRuns& runs) {
  Summary summary = summarize(prepared, replays);
  Section section{.id = "replay", .title = "Replay", .items = {}};
  constexpr std::string_view kConsequence = "differences are not attributable to the replay";
  ComparedRuns measured;
  measured.add(disturbance_of(prepared.opened.trace));
  summary.disturbed = measured.disturbed > 0 || runs.disturbed > runs.left_out;
  for (const std::string& caution :
       {disturbance_sentence(measured, kConsequence, "the measured run"),
        disturbance_sentence(runs, kConsequence, "the replay")}) {
    if (!caution.empty()) section.items.emplace_back(Paragraph{caution});
  }
  section.items.emplace_back(headline(summary));
  if (auto differing = differing_operations(summary, prepared.ranks(), request.tolerance)) {
    section.items.emplace_back(std::move(*differing));
  }
  section.items.emplace_back(facts_of(summary));
  if (summary.error) {
    section.items.emplace_back(
        times_table("operations", "Time by operation", false, summary.error->operations));
    section.items.emplace_back(times_table("call_paths", "Largest differences by call path", true,
                                           summary.error->call_paths));
  }
  Described report{replay_object(prepared, summary, runs), {std::move(section)}};
  for (const RecordedReplay& replay : replays) {
    if (&replay == &replays[median_replay(replays)]) report.findings.merge(replay.trace.findings());
  }
  return ReplayReports::untyped(
      replay_report(std::move(report), request, prepared, replays.size()));
}

CommandSchema replay_schema() {
  return ReplayReports::schema();
}

}  // namespace slackline
