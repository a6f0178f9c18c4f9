#include "app/load/input.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "app/load/clock_report.h"
#include "base/error.h"
#include "base/stage.h"
#include "base/units.h"
#include "report/command_names.h"

namespace slackline {

namespace fs = std::filesystem;

std::string newest_recording() {
  fs::path newest;
  for (const fs::directory_entry& entry : fs::directory_iterator(".")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || !name.starts_with("slackline-trace")) continue;
    if (newest.empty() || entry.last_write_time() > fs::last_write_time(newest)) {
      newest = entry.path();
    }
  }
  if (newest.empty()) {
    throw usage_error("no trace was given", "the current folder has no slackline-trace*",
                      "Name a trace, or record one: slackline record -- mpirun -n 4 ./app");
  }
  return newest.filename().string();
}

std::string input_path(const std::string& trace) {
  return trace.empty() ? newest_recording() : trace;
}

OpenedTrace open_input(const std::string& trace, const OpenOptions& options) {
  begin_stage("reading the trace");
  return open_trace(input_path(trace), options);
}

Json input_to_json(const OpenedTrace& opened) {
  const Trace& trace = opened.trace;
  Json json;
  json["path"] = opened.path;
  json["format"] = opened.format;
  json["bytes"] = opened.bytes;
  json["checksum"] = opened.checksum;
  json["ranks"] = trace.ranks();
  json["calls"] = opened.calls;
  json["timed"] = trace.timed();
  json["program"] = trace.info().program;
  json["mpi"] =
      trace.info().mpi_version.empty() ? trace.info().mpi_library : trace.info().mpi_version;
  return json;
}

std::string subject(const OpenedTrace& opened) {
  const std::string& program = opened.trace.info().program;
  const std::string first = program.substr(0, program.find(' '));
  const std::string name = fs::path(program.empty() ? opened.path : first).filename().string();
  const std::int32_t ranks = opened.trace.ranks();
  return fmt::format("{} ({})", name, count_of(static_cast<std::uint64_t>(ranks), "rank"));
}

Report with_context(Report report, std::string_view command, const OpenedTrace& opened,
                    Json options) {
  report.command = command;
  report.title = fmt::format("{}: {}", present_command_name(command), subject(opened));
  report.options = std::move(options);
  report.input = input_to_json(opened);
  report.findings.merge(opened.trace.findings());
  if (opened.clocks.corrected) add_clocks(opened.clocks.estimate, opened.trace, report);
  return report;
}

}  // namespace slackline
