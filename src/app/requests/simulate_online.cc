#include "app/requests/simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "analysis/model/model_choice.h"
#include "analysis/simulation/simulation_report.h"
#include "app/load/machine.h"
#include "app/requests/schemas.h"
#include "app/trace_writers.h"
#include "base/error.h"
#include "base/units.h"
#include "calls/call_matching.h"
#include "online/online_simulation.h"
#include "whatif/program_writer.h"

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
  files.commit_with_command();
}

std::optional<std::uint64_t> bytes_of(const std::string& text, const char* option) {
  if (text.empty()) return std::nullopt;
  return parse_bytes(text, option);
}

auto sampled_object(const online::SampledBlock& block) {
  return Object{"block"_key = block.name,         "ranks_together"_key = block.of_all_ranks,
                "executed"_key = block.runs,      "skipped"_key = block.skipped,
                "executed_ns"_key = block.run_ns, "charged_ns"_key = block.charged_ns};
}

Section sampled_section(const std::vector<online::SampledBlock>& blocks) {
  Table table{.id = "sampled",
              .title = "Sampled blocks, all ranks",
              .columns = {{"block"},
                          {"executed", Unit::count},
                          {"skipped", Unit::count},
                          {"mean time", Unit::ns, "CPU time per execution"},
                          {"charged", Unit::ns, "for skipped executions, sum over all ranks"}},
              .rows = {}};
  for (const online::SampledBlock& block : blocks) {
    table.rows.push_back({block.name, static_cast<std::int64_t>(block.runs),
                          static_cast<std::int64_t>(block.skipped),
                          block.runs == 0 ? 0.0 : block.run_ns / static_cast<double>(block.runs),
                          block.charged_ns});
  }
  return {"sampled", "Sampled blocks", {std::move(table)}};
}

constexpr std::uint64_t kLeastFolded = 65536;

/// Small allocations hold pointers and numbers that the program needs.
std::optional<std::uint64_t> fold_threshold(const std::string& text) {
  const std::optional<std::uint64_t> bytes = bytes_of(text, "--fold-above");
  if (bytes && *bytes < kLeastFolded) {
    throw usage_error("cannot fold allocations", fmt::format("--fold-above {} is too small", text),
                      "Give 64KiB or more.");
  }
  return bytes;
}

/// The simulation's result, with what there is of the program only.
auto online_object(const SimulationParts& parts, const SimulateOnlineRequest& request,
                   const online::OnlineRun& run) {
  return Object{parts.totals,
                "ranks"_key = request.ranks,
                parts.details,
                "rank_times"_key = parts.ranks,
                "calls"_key = run.calls,
                "sampled_blocks"_key.when(optional_of(
                    run.sampled.empty() ? nullptr : &run.sampled,
                    [](const auto& blocks) { return list_of(blocks, sampled_object); })),
                "exit_status"_key = run.exit_status};
}

auto simulate_online_report(const SimulateOnlineRequest& request, const online::OnlineRun& run,
                            const Platform& platform, const SmpiOptions& smpi) {
  const std::string command = fmt::format("{}", fmt::join(request.command, " "));
  // The times of the trace are the simulated ones: nothing was measured.
  const Trace program = untimed_copy(run.trace);
  auto simulated = describe(run.result, program, platform, request.links);
  if (!run.sampled.empty()) simulated.sections.push_back(sampled_section(run.sampled));
  const SimulationParts parts = parts_of(run.result, program, platform, request.links);
  return typed_report(
      "simulate", fmt::format("simulate: {} on {}", command, request.machine.platform),
      Object{to_json(request.machine, smpi), "ranks"_key = request.ranks,
             "fold_above"_key.when(!request.fold_above.empty(), request.fold_above),
             "compute"_key = request.compute, "processors"_key = request.processors},
      Object{"command"_key = command},
      Described{online_object(parts, request, run), std::move(simulated.sections)});
}
using SimulateOnlineReports = CommandReports<ReturnedBy<simulate_online_report>>;

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
                               .fold_above = fold_threshold(request.fold_above),
                               .call_paths = !request.trace.empty(),
                               .one_processor = request.processors == "one",
                               .memory = bytes_of(request.memory, "--memory")},
                              machine.platform, machine.hosts, options);
  if (!request.trace.empty()) write_trace(run.trace, writer_of(request.trace), request.trace);
  SimulatedOnline done{SimulateOnlineReports::untyped(
                           simulate_online_report(request, run, machine.platform, machine.smpi)),
                       run.exit_status};
  Report& report = done.report;
  report.findings = run.trace.findings();
  report.findings.merge(run.result.findings);
  report.findings.merge(findings);
  return done;
}

CommandSchema simulate_online_schema() {
  return SimulateOnlineReports::schema();
}

}  // namespace slackline
