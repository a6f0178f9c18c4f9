#include "app/trace_writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "analysis/cube/profile_writers.h"
#include "analysis/cube/severity_cube.h"
#include "analysis/model/model_path.h"
#include "analysis/paths/run_path.h"
#include "analysis/phases/monitor.h"
#include "analysis/waits/wait_states.h"
#include "app/version.h"
#include "base/error.h"
#include "base/file.h"
#include "base/parallel.h"
#include "formats/arrow/writer.h"
#include "formats/goal/goal.h"
#include "formats/native/writer.h"
#include "formats/otf2/otf2.h"
#include "formats/paraver/paraver.h"
#include "formats/perfetto/perfetto.h"
#include "formats/sqlite/writer.h"
#include "formats/text/text.h"
#include "formats/ti/ti.h"
#include "graph/goal/goal_graph.h"
#include "page/events.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

Findings write_native_file(const WriteRequest& request) {
  write_native(request.trace, request.path,
               request.samples == nullptr ? Samples{} : *request.samples);
  return {};
}

Findings write_text_file(const WriteRequest& request) {
  OutputFile file(request.path);
  write_text_trace(request.trace, [&](std::string_view text) { file.write(text); },
                   {.rank = {}, .samples = request.samples});
  file.commit();
  return {};
}

/// The program itself when the input was one; else the trace with its collectives as messages.
GoalProgram goal_program(const WriteRequest& request, Findings& findings) {
  if (request.program != nullptr) return *request.program;
  return goal_of_trace(request.trace, request.model.graph, findings);
}

Findings write_goal_text_file(const WriteRequest& request) {
  Findings findings;
  const GoalProgram program = goal_program(request, findings);
  OutputFile file(request.path);
  write_goal_text(program, [&](std::string_view text) { file.write(text); });
  file.commit();
  return findings;
}

Findings write_goal_binary_file(const WriteRequest& request) {
  Findings findings;
  write_file(request.path, goal_binary(goal_program(request, findings)));
  return findings;
}

// OUT.otf2, or the folder OUT with traces.otf2 in it as Score-P has it.
Findings write_otf2_archive(const WriteRequest& request) {
  if (request.path.extension() == ".otf2") return write_otf2(request.trace, request.path);
  std::filesystem::create_directory(request.path);
  return write_otf2(request.trace, request.path / "traces.otf2");
}

/// What a timeline shows in addition to the calls (TimelineExtras refers to it).
struct RunExtras {
  std::vector<TimelineFlow> flows;
  std::vector<TimelineCounter> counters;
  std::vector<TimelineTrack> tracks;
  std::vector<std::string> names;
};

/// The critical path of a trace without times is the model's, if a model was given.
std::vector<TimelineFlow> model_flows(const WriteRequest& request, Findings& findings) {
  const LogGPS& model = request.model.model;
  if (model.latency_fs == 0 && model.overhead_fs == 0) return {};
  const ExecutionGraph graph = build_graph(request.trace, request.model.graph);
  findings.merge(graph.findings());
  return model_path_flows(graph, model_schedule(graph, picosecond_cost(graph, request.model)));
}

/// Names by number, each once.
class TrackNames {
 public:
  explicit TrackNames(std::vector<std::string>& names) : names_(names) {}
  std::uint32_t number(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
  }

 private:
  std::vector<std::string>& names_;
  std::map<std::string, std::uint32_t> numbers_;
};

TimelineTrack path_track(const Trace& trace, const CriticalPath& path, TrackNames& names) {
  const std::int64_t start_ns = run_span(trace).whole.begin_ns;
  TimelineTrack track{"critical path", -1, {}};
  for (const PathPiece& piece : path_pieces(path)) {
    if (piece.message || piece.end_ns <= piece.begin_ns) continue;
    const bool computes = piece.operation == Operation::none;
    const std::string_view what = computes ? "computation" : mpi_name(piece.operation);
    track.intervals.push_back({start_ns + piece.begin_ns, start_ns + piece.end_ns,
                               names.number(fmt::format("rank {}: {}", piece.rank, what))});
  }
  return track;
}

TimelineTrack phase_track(const Trace& trace, const Monitor& monitor, TrackNames& names) {
  const std::int64_t start_ns = run_span(trace).whole.begin_ns;
  TimelineTrack track{"phases", -1, {}};
  for (const FocusInterval& phase : monitor.intervals) {
    const std::string name = fmt::format("{} {}", to_string(phase.kind), phase.phase + 1);
    track.intervals.push_back(
        {start_ns + phase.begin_ns, start_ns + phase.end_ns, names.number(name)});
  }
  return track;
}

/// One a rank that waits. What threads of a rank wait at the same time stands there once.
std::vector<TimelineTrack> wait_tracks(const Trace& trace, const WaitStates& waits,
                                       TrackNames& names) {
  std::vector<std::vector<TimelineTrack::Interval>> by_rank(
      static_cast<std::size_t>(trace.ranks()));
  for (const WaitState& state : waits.states) {
    if (!state.effective || state.wait_ns <= 0) continue;
    const RankCalls& calls = trace.calls(state.rank);
    const std::int64_t begin = is_at_end(state.pattern) ? calls.end_ns(state.call) - state.wait_ns
                                                        : calls.begin_ns(state.call);
    by_rank[static_cast<std::size_t>(state.rank)].push_back(
        {begin, begin + state.wait_ns, names.number(std::string(name(state.pattern)))});
  }
  std::vector<TimelineTrack> tracks;
  for (std::size_t r = 0; r < by_rank.size(); ++r) {
    std::ranges::stable_sort(by_rank[r], {}, &TimelineTrack::Interval::begin_ns);
    TimelineTrack track{"wait states", static_cast<std::int32_t>(r), {}};
    for (const TimelineTrack::Interval& interval : by_rank[r]) {
      const std::int64_t over =
          track.intervals.empty() ? interval.begin_ns : track.intervals.back().end_ns;
      if (interval.begin_ns >= over) track.intervals.push_back(interval);
    }
    if (!track.intervals.empty()) tracks.push_back(std::move(track));
  }
  return tracks;
}

RunExtras extras_of_run(const Trace& trace, const CallMatching& matching, bool path) {
  RunExtras extras;
  const CausalOrder order(trace, matching);
  const CallPaths paths(trace);
  const WaitStates waits = wait_states(trace, matching, order, {});
  const CriticalPath critical = critical_path(trace, matching, paths, {});
  parallel_for(path ? 2 : 1, [&](std::size_t part) {
    if (part == 0) {
      const IdealRun ideal = ideal_run(trace, matching, {});
      const Monitor found = monitor(trace, MonitorInputs{ideal, waits, critical, paths}, {});
      extras.counters = efficiency_counters(trace, found);
      TrackNames names(extras.names);
      extras.tracks = wait_tracks(trace, waits, names);
      extras.tracks.push_back(path_track(trace, critical, names));
      extras.tracks.push_back(phase_track(trace, found, names));
    } else {
      extras.flows = critical_path_flows(critical_steps(Activities(trace, matching, order)));
    }
  });
  return extras;
}

Findings write_perfetto_file(const WriteRequest& request) {
  const Trace& trace = request.trace;
  const bool path = request.arrows == TimelineArrows::path;
  Findings findings;
  RunExtras extras;
  if (trace.timed() && trace.call_count() > 0) {
    extras = extras_of_run(trace, request.matching(), path);
  } else if (path) {
    extras.flows = model_flows(request, findings);
  }
  if (request.arrows == TimelineArrows::all) extras.flows = message_flows(request.matching());
  findings.merge(write_perfetto(trace, request.path,
                                {extras.flows, extras.counters, extras.tracks, extras.names}));
  return findings;
}

Findings write_chrome_file(const WriteRequest& request) {
  return write_chrome_json(request.trace, request.path);
}

Findings write_csv_file(const WriteRequest& request) {
  return write_operations_csv(request.trace, request.path);
}

Findings write_paraver_files(const WriteRequest& request) {
  return write_paraver(request.trace, request.matching(), request.path);
}

Findings write_ti_file(const WriteRequest& request) {
  return write_ti(request.trace, request.path);
}

Findings write_sqlite_file(const WriteRequest& request) {
  return write_sqlite(request.trace, request.matching(), request.path);
}

Findings write_arrow_file(const WriteRequest& request) {
  return write_arrow(request.trace, request.path);
}

/// Severities of the run, for formats that are profiles.
SeverityCube severities_of(const WriteRequest& request) {
  const Trace& trace = request.trace;
  if (!trace.timed()) {
    throw Error("cannot write a profile", "the trace has no timestamps",
                "Write the predicted one with --predicted.");
  }
  const CallPaths paths = CallPaths::of_regions_or_functions(trace);
  return severity_cube(trace, paths,
                       wait_states(trace, request.matching(), {.sends = request.sends}));
}

std::string program_of(const Trace& trace) {
  const std::string& program = trace.info().program;
  const std::string name =
      std::filesystem::path(program.substr(0, program.find(' '))).filename().string();
  return name.empty() ? "program" : name;
}

Findings write_cubex_file(const WriteRequest& request) {
  const Trace& trace = request.trace;
  ProfileOrigin origin{
      .creator = std::string("Slackline ") + version(), .program = program_of(trace), .hosts = {}};
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    origin.hosts.push_back(trace.rank_info(rank).host);
  }
  OutputFile file(request.path);
  write_cubex(severities_of(request), origin, [&](std::string_view bytes) { file.write(bytes); });
  file.commit();
  return {};
}

Findings write_hatchet_file(const WriteRequest& request) {
  OutputFile file(request.path);
  write_hatchet(severities_of(request), program_of(request.trace),
                [&](std::string_view text) { file.write(text); });
  file.commit();
  return {};
}

// Every format that can be written.
constexpr std::array kWriters{
    TraceWriter{"native", {".slk"}, "Slackline's native format", true, write_native_file},
    TraceWriter{"goal",
                {".goal"},
                "GOAL text, as read by LogGOPSim's converter",
                false,
                write_goal_text_file,
                false,
                false,
                true},
    TraceWriter{"goal-binary",
                {".bin"},
                "GOAL binary, as read by LogGOPSim",
                false,
                write_goal_binary_file,
                false,
                false,
                true},
    TraceWriter{"text", {".txt"}, "Slackline's text format", true, write_text_file},
    TraceWriter{"otf2",
                {".otf2"},
                "OTF2 archive, for Vampir and Score-P tools",
                true,
                write_otf2_archive,
                false,
                true,
                true,
                false},
    TraceWriter{"perfetto",
                {".pftrace", ".perfetto-trace"},
                "Perfetto's timeline",
                true,
                write_perfetto_file,
                true},
    TraceWriter{
        "chrome", {".json"}, "Chrome's timeline, for small traces", true, write_chrome_file},
    TraceWriter{"csv", {".csv"}, "table of operations", true, write_csv_file},
    TraceWriter{
        "paraver", {".prv"}, "Paraver trace", true, write_paraver_files, true, true, true, false},
    TraceWriter{
        "arrow", {".arrow", ".feather"}, "table of calls for Arrow", true, write_arrow_file},
    TraceWriter{"sqlite",
                {".sqlite", ".db"},
                "SQLite database",
                true,
                write_sqlite_file,
                true,
                false,
                false,
                false},
    TraceWriter{
        "cube", {".cubex"}, "profile for Cube and Scalasca's tools", true, write_cubex_file, true},
    TraceWriter{"hatchet", {".hatchet"}, "profile for Hatchet", true, write_hatchet_file, true},
    TraceWriter{
        "ti", {".ti"}, "SimGrid time-independent trace", false, write_ti_file, false, false, true},
};

}  // namespace

std::span<const TraceWriter> trace_writers() {
  return kWriters;
}

OutputFiles output_of(const TraceWriter& writer, const std::filesystem::path& path,
                      OutputFiles::Existing existing) {
  return OutputFiles(path, existing,
                     writer.one_file ? OutputFiles::Content::one_file : OutputFiles::Content::any);
}

const TraceWriter* writer_by_extension(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension.empty()) return nullptr;
  const auto* const found = std::ranges::find_if(kWriters, [&](const TraceWriter& writer) {
    return std::ranges::find(writer.extensions, extension) != writer.extensions.end();
  });
  return found == kWriters.end() ? nullptr : found;
}

}  // namespace slackline
