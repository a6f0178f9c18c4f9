#include "app/requests/simulate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/model/model_choice.h"
#include "analysis/simulation/simulation_report.h"
#include "app/load/machine.h"
#include "app/requests/schemas.h"
#include "app/trace_writers.h"
#include "base/error.h"
#include "base/text_parsing.h"
#include "base/units.h"
#include "calls/call_matching.h"
#include "online/online_simulation.h"
#include "sim/experiments.h"
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
  return Object{"block"_key = block.name,
                "ranks_together"_key = block.of_all_ranks,
                "executed"_key = block.runs,
                "skipped"_key = block.skipped,
                "executed_ns"_key = block.run_ns,
                "charged_ns"_key = block.charged_ns,
                "charged_error_ns"_key = block.error_ns};
}

Section sampled_section(const std::vector<online::SampledBlock>& blocks, double error_s) {
  Facts facts;
  facts.facts.push_back({"uncertainty of the run time", ns_of_seconds(error_s), Unit::ns,
                         "plus or minus, with 95 % probability, if skipped executions are as the "
                         "executed ones were"});
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
  return {"sampled", "Sampled blocks", {std::move(facts), std::move(table)}};
}

std::vector<std::string> functions_to_sample(const SimulateOnlineRequest& request) {
  if (request.sample_functions.empty()) return {};
  if (request.compute == "none") {
    throw usage_error("cannot sample functions", "with --compute none computation takes no time",
                      "Use one of --sample-function and --compute none.");
  }
  return request.sample_functions;
}

std::int32_t ranks_in_process(const SimulateOnlineRequest& request) {
  if (request.ranks_per_process < 1) {
    throw usage_error("cannot share processes between ranks",
                      fmt::format("--ranks-per-process is {}", request.ranks_per_process),
                      "Give 1 or more.");
  }
  if (request.ranks_per_process == 1) return 1;
  for (const auto& [given, option] :
       {std::pair{!request.fold_above.empty(), "--fold-above"},
        std::pair{!request.sample_functions.empty(), "--sample-function"}}) {
    if (!given) continue;
    throw usage_error(fmt::format("cannot use {}", option), "ranks share processes",
                      "Use it without --ranks-per-process.");
  }
  return request.ranks_per_process;
}

constexpr std::uint64_t kLeastFolded = 65536;
constexpr std::uint64_t kFoldedIfNeeded = std::uint64_t{1} << 20;
constexpr const char* kIfNeeded = "auto";

/// Small allocations hold pointers and numbers that the program needs.
std::optional<std::uint64_t> fold_threshold(const std::string& text) {
  if (text == kIfNeeded) return kFoldedIfNeeded;
  if (text.empty()) return std::nullopt;
  const std::uint64_t bytes = parse_bytes(text, "--fold-above", "64KiB, 1MiB or auto");
  if (bytes < kLeastFolded || text == "unlimited") {
    throw usage_error(
        "cannot fold allocations",
        fmt::format("--fold-above {} is too {}", text, bytes < kLeastFolded ? "small" : "large"),
        "Give 64KiB or more, or auto.");
  }
  return bytes;
}

SweepAxis ranks_axis(const std::vector<std::int32_t>& ranks) {
  SweepAxis axis{std::string(kRanksAxis), {}};
  for (const std::int32_t n : ranks) axis.values.push_back(std::to_string(n));
  return axis;
}

/// The simulation's result, with what there is of the program only.
auto online_object(const SimulationParts& parts, const SimulateOnlineRequest& request,
                   const online::OnlineRun& run) {
  return Object{
      parts.totals,
      "ranks"_key = request.ranks.front(),
      parts.details,
      "rank_times"_key = parts.ranks,
      "calls"_key = run.calls,
      "sampled_blocks"_key.when(
          optional_of(run.sampled.empty() ? nullptr : &run.sampled,
                      [](const auto& blocks) { return list_of(blocks, sampled_object); })),
      "sampling_error_ns"_key.when(!run.sampled.empty(), ns_of_seconds(run.sampling_error)),
      "exit_status"_key = run.exit_status};
}

/// `ranks`: their number, or all numbers.
template <class Result, class Ranks>
auto simulate_online_report(const SimulateOnlineRequest& request, const SmpiOptions& smpi,
                            const Ranks& ranks, Described<Result> described) {
  const std::string command = fmt::format("{}", fmt::join(request.command, " "));
  return typed_report(
      "simulate", fmt::format("simulate: {} on {}", command, request.machine.platform),
      Object{
          to_json(request.machine, smpi), "ranks"_key = ranks,
          "sweep"_key.when(!request.sweep.empty(), request.sweep),
          "fold_above"_key.when(!request.fold_above.empty(), request.fold_above),
          "sample_functions"_key.when(!request.sample_functions.empty(), request.sample_functions),
          "ranks_per_process"_key = request.ranks_per_process, "compute"_key = request.compute,
          "processors"_key = request.processors},
      Object{"command"_key = command}, std::move(described));
}
using OnlineObject = ReturnedBy<online_object>;
using SimulateOnlineReports =
    CommandReports<ReturnedBy<simulate_online_report<OnlineObject, std::int32_t>>,
                   ReturnedBy<simulate_online_report<SweepJson, std::vector<std::int32_t>>>>;

Machine machine_of(const SimulateOnlineRequest& request, std::int32_t ranks, Findings& findings) {
  Machine machine = resolve_machine(request.machine, Trace(ranks, false), findings);
  machine.simulation.slowed_kept = request.slowed;
  machine.simulation.link_usage = request.links > 0 || request.slowed > 0;
  if (request.compute == "none") machine.simulation.compute_scale = 0;
  return machine;
}

online::OnlineRun run_on(const Machine& machine, const SimulationOptions& options,
                         const SimulateOnlineRequest& request) {
  return online::simulate_online({.command = request.command,
                                  .preload = request.preload,
                                  .ranks = static_cast<std::int32_t>(machine.hosts.size()),
                                  .fold_above = fold_threshold(request.fold_above),
                                  .fold_if_needed = request.fold_above == kIfNeeded,
                                  .sampled_functions = functions_to_sample(request),
                                  .program = request.program,
                                  .call_paths = !request.trace.empty(),
                                  .ranks_per_process = ranks_in_process(request),
                                  .one_processor = request.processors == "one",
                                  .memory = bytes_of(request.memory, "--memory")},
                                 machine.platform, machine.hosts, options);
}

Described<OnlineObject> describe_run(const SimulateOnlineRequest& request,
                                     const online::OnlineRun& run, const Platform& platform) {
  // The times of the trace are the simulated ones: nothing was measured.
  const Trace program = untimed_copy(run.trace);
  auto simulated = describe(run.result, program, platform, request.links);
  if (!run.sampled.empty())
    simulated.sections.push_back(sampled_section(run.sampled, run.sampling_error));
  const SimulationParts parts = parts_of(run.result, program, platform, request.links);
  return {online_object(parts, request, run), std::move(simulated.sections)};
}

SimulatedOnline simulate_once(const SimulateOnlineRequest& request) {
  if (!request.trace.empty()) writer_of(request.trace);  // before the program runs
  Findings findings;
  const Machine machine = machine_of(request, request.ranks.front(), findings);
  const online::OnlineRun run = run_on(machine, machine.simulation, request);
  if (!request.trace.empty()) write_trace(run.trace, writer_of(request.trace), request.trace);
  SimulatedOnline done{SimulateOnlineReports::untyped(
                           simulate_online_report(request, machine.smpi, request.ranks.front(),
                                                  describe_run(request, run, machine.platform))),
                       run.exit_status};
  done.report.findings = run.trace.findings();
  done.report.findings.merge(run.result.findings);
  done.report.findings.merge(findings);
  return done;
}

void require_table_alone(const SimulateOnlineRequest& request) {
  const SimulateOnlineRequest none;
  if (request.links != none.links || request.slowed != none.slowed) {
    throw usage_error("cannot use --links or --slowed", "the program is simulated several times",
                      "Use them with one number of ranks and without --sweep.");
  }
  if (request.trace.empty()) return;
  throw usage_error(fmt::format("cannot write '{}'", request.trace),
                    "the program is simulated several times",
                    "Use --trace with one number of ranks and without --sweep.");
}

/// One simulation after the other, each as if it were the only one: processes have a processor for
/// themselves. A signal ends the whole; what is complete by then stands in the table.
SimulatedOnline simulate_all(const SimulateOnlineRequest& request) {
  require_table_alone(request);
  std::vector<SweepAxis> axes;
  if (!request.sweep.empty()) axes = parse_sweep(request.sweep);
  Findings findings;
  std::vector<Machine> machines;
  for (const std::int32_t n : request.ranks) {
    Findings of_machine;
    machines.push_back(machine_of(request, n, of_machine));
    machines.back().simulation.link_usage = false;
    if (machines.size() == 1) findings.merge(of_machine);
  }
  std::vector<SweepCase> cases;
  SimulatedOnline done;
  bool interrupted = false;
  // All are read before the first run.
  std::vector<SweepSetting> settings;
  for (std::size_t i = 0; i < combinations(axes) * machines.size(); ++i) {
    const Machine& machine = machines[i % machines.size()];
    settings.push_back(sweep_setting(axes, i / machines.size(), machine.smpi, machine.simulation));
  }
  for (std::size_t i = 0; i < settings.size() && !interrupted; ++i) {
    const Machine& machine = machines[i % machines.size()];
    SweepSetting& setting = settings[i];
    online::OnlineRun run = run_on(machine, setting.options, request);
    findings.merge(run.trace.findings());
    findings.merge(run.result.findings);
    done.exit_status = std::max(done.exit_status, run.exit_status);
    interrupted = run.interrupted != 0;
    if (interrupted && !cases.empty()) break;
    run.result.calls.clear();  // only the trace has a use for them
    if (machines.size() > 1) {
      setting.values.insert(setting.values.begin(), std::to_string(machine.hosts.size()));
    }
    cases.push_back({std::move(setting.values), std::move(run.result)});
  }
  if (machines.size() > 1) axes.insert(axes.begin(), ranks_axis(request.ranks));
  done.report = SimulateOnlineReports::untyped(
      simulate_online_report(request, machines.front().smpi, request.ranks, describe(cases, axes)));
  done.report.findings = std::move(findings);
  return done;
}

}  // namespace

std::vector<std::int32_t> parse_rank_counts(const std::string& text) {
  constexpr std::int32_t kMost = 65536;
  std::vector<std::int32_t> counts;
  std::string_view rest(text);
  for (;;) {
    const std::optional<std::int32_t> count = take_number<std::int32_t>(rest);
    if (!count || *count < 1 || *count > kMost || (!rest.empty() && rest.front() != ',')) {
      throw usage_error(fmt::format("cannot simulate '{}' ranks", text),
                        fmt::format("it is not a list of numbers from 1 to {}", kMost),
                        "Example: -n 16, or -n 8,16,32.");
    }
    counts.push_back(*count);
    if (rest.empty()) return counts;
    rest.remove_prefix(1);
  }
}

SimulatedOnline execute(const SimulateOnlineRequest& request) {
  const bool once = request.ranks.size() == 1 && request.sweep.empty();
  return once ? simulate_once(request) : simulate_all(request);
}

CommandSchema simulate_online_schema() {
  return SimulateOnlineReports::schema();
}

}  // namespace slackline
