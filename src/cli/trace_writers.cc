#include "cli/trace_writers.h"

#include <array>
#include <limits>

#include "base/file.h"
#include "graph/goal/goal_of_graph.h"
#include "trace/goal/binary.h"
#include "trace/goal/text.h"
#include "trace/native/writer.h"
#include "trace/otf2/writer.h"
#include "trace/text/text.h"

namespace slackline {
namespace {

Findings write_native_file(const WriteRequest& request) {
  write_native(request.trace, request.path);
  return {};
}

Findings write_text_file(const WriteRequest& request) {
  OutputFile file(request.path);
  write_text_trace(request.trace, [&](std::string_view text) { file.write(text); });
  file.commit();
  return {};
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
};

}  // namespace

std::span<const TraceWriter> trace_writers() {
  return kWriters;
}

}  // namespace slackline
