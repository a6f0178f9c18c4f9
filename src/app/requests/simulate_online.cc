#include "app/requests/simulate_online.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "analysis/model/model_choice.h"
#include "analysis/simulation/simulation_report.h"
#include "app/load/machine.h"
#include "app/trace_writers.h"
#include "base/error.h"
#include "base/units.h"
#include "calls/call_matching.h"
#include "online/online_simulation.h"

namespace slackline {
namespace {

const TraceWriter& writer_of(const std::string& path) {
  const TraceWriter* const writer = writer_by_extension(path);
  if (writer != nullptr) return *writer;
  throw usage_error(fmt::format("cannot determine the format of '{}'", path),
                    "unknown file extension", "Write it as .slk and use 'slackline convert'.");
}

void write_trace(const Trace& trace, const TraceWriter& writer, const std::string& path) {
  OutputFiles files = output_of(writer, path);
  std::optional<CallMatching> kept;
  const auto matching = [&]() -> const CallMatching& {
    if (!kept) kept.emplace(trace);
    return *kept;
  };
  writer.write({trace, matching, files.path(), ModelChoice{}});
  files.commit();
}

Json options_to_json(const SimulateOnlineRequest& request, const SmpiOptions& smpi) {
  Json json = to_json(request.machine, smpi);
  json["ranks"] = request.ranks;
  json["compute"] = request.compute;
  json["processors"] = request.processors;
  return json;
}

std::optional<std::uint64_t> memory_limit(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_bytes(text, "--memory");
}

}  // namespace

SimulatedOnline execute(const SimulateOnlineRequest& request) {
  if (!request.trace.empty()) writer_of(request.trace);  // before the program runs
  Findings findings;
  Machine machine = resolve_machine(request.machine, Trace(request.ranks, false), findings);
  SimulationOptions options = machine.simulation;
  if (request.compute == "none") options.compute_scale = 0;
  options.slowed_kept = request.slowed;
  options.link_usage = request.links > 0 || request.slowed > 0;
  const online::OnlineRun run =
      online::simulate_online({.command = request.command,
                               .preload = request.preload,
                               .ranks = request.ranks,
                               .one_processor = request.processors == "one",
                               .memory = memory_limit(request.memory)},
                              machine.platform, machine.hosts, options);
  if (!request.trace.empty()) write_trace(run.trace, writer_of(request.trace), request.trace);
  SimulatedOnline done{describe(run.result, run.trace, machine.platform, request.links),
                       run.exit_status};
  Report& report = done.report;
  report.command = "simulate";
  report.title =
      fmt::format("simulate: {} on {}", fmt::join(request.command, " "), request.machine.platform);
  report.options = options_to_json(request, machine.smpi);
  Json rank_times = std::move(report.result["ranks"]);  // a new key may move the others
  report.result["rank_times"] = std::move(rank_times);
  report.result["ranks"] = request.ranks;
  report.result["calls"] = run.calls;
  report.result["exit_status"] = run.exit_status;
  report.input = {{"command", fmt::format("{}", fmt::join(request.command, " "))}};
  report.findings = run.trace.findings();
  report.findings.merge(run.result.findings);
  report.findings.merge(findings);
  return done;
}

}  // namespace slackline
