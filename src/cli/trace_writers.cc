#include "cli/trace_writers.h"

#include <array>
#include <limits>
#include <vector>

#include "analysis/path_flows.h"
#include "base/file.h"
#include "graph/goal/goal_of_graph.h"
#include "trace/goal/binary.h"
#include "trace/goal/text.h"
#include "trace/native/writer.h"
#include "trace/otf2/writer.h"
#include "trace/text/text.h"
#include "trace/writers/paraver/writer.h"
#include "trace/writers/perfetto/perfetto.h"
#include "trace/writers/ti/writer.h"

namespace slackline {
namespace {

constexpr FindingKind kMeasuredDetails{"measured_details_lost", Severity::notice,
                                       "Pauses between calls, hardware counters and the times "
                                       "after the last call are not kept by this "
                                       "format; useful time is then all time outside of MPI."};

// What a reader of other tools' traces knows and our own formats have no place for yet.
Findings without_details(const Trace& trace) {
  Findings lost;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    const bool stops_later = !calls.empty() && calls.stop_ns() > calls.end_ns(calls.size() - 1);
    if (stops_later || !calls.pauses().empty()) lost.add(kMeasuredDetails);
  }
  if (!trace.counters().empty()) lost.add(kMeasuredDetails);
  return lost;
}

Findings write_native_file(const WriteRequest& request) {
  write_native(request.trace, request.path);
  return without_details(request.trace);
}

Findings write_text_file(const WriteRequest& request) {
  OutputFile file(request.path);
  write_text_trace(request.trace, [&](std::string_view text) { file.write(text); });
  file.commit();
  return without_details(request.trace);
}

/// The program itself when the input was one; else the trace with its collectives as messages.
GoalProgram goal_program(const WriteRequest& request, Findings& findings) {
  if (request.program != nullptr) return *request.program;
  GraphOptions options = request.model.graph;
  options.eager_threshold_bytes = std::numeric_limits<std::uint64_t>::max();
  const ExecutionGraph graph = build_graph(request.trace, options);
  findings.merge(graph.findings());
  return goal_of_graph(graph);
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

/// With arrows for the messages of the model's critical path, where a model was chosen.
Findings write_perfetto_file(const WriteRequest& request) {
  const LogGPS& model = request.model.model;
  if (model.latency_fs == 0 && model.overhead_fs == 0) {
    return write_perfetto(request.trace, request.path);
  }
  const ExecutionGraph graph = build_graph(request.trace, request.model.graph);
  const std::vector<TimelineFlow> flows =
      critical_path_flows(graph, model_schedule(graph, picosecond_cost(graph, request.model)));
  Findings findings = write_perfetto(request.trace, request.path, {flows, {}});
  findings.merge(graph.findings());
  return findings;
}

Findings write_chrome_file(const WriteRequest& request) {
  return write_chrome_json(request.trace, request.path);
}

Findings write_csv_file(const WriteRequest& request) {
  return write_operations_csv(request.trace, request.path);
}

Findings write_paraver_files(const WriteRequest& request) {
  return write_paraver(request.trace, request.path);
}

Findings write_ti_file(const WriteRequest& request) {
  return write_ti(request.trace, request.path);
}

// Every format that can be written.
constexpr std::array kWriters{
    TraceWriter{"native", ".slk", "Slackline's own format", write_native_file},
    TraceWriter{"goal", ".goal", "GOAL text, as LogGOPSim's converter reads it",
                write_goal_text_file},
    TraceWriter{"goal-binary", ".bin", "GOAL binary, as LogGOPSim reads it",
                write_goal_binary_file},
    TraceWriter{"text", ".txt", "the text form of a trace", write_text_file},
    TraceWriter{"otf2", ".otf2", "an OTF2 archive, for Vampir and Score-P's tools",
                write_otf2_archive},
    TraceWriter{"perfetto", ".pftrace", "Perfetto's timeline", write_perfetto_file},
    TraceWriter{"chrome", ".json", "Chrome's timeline, for small traces", write_chrome_file},
    TraceWriter{"csv", ".csv", "a table of operations", write_csv_file},
    TraceWriter{"paraver", ".prv", "a Paraver trace", write_paraver_files},
    TraceWriter{"ti", ".ti", "a SimGrid time-independent trace", write_ti_file},
};

}  // namespace

std::span<const TraceWriter> trace_writers() {
  return kWriters;
}

}  // namespace slackline
