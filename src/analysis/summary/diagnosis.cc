#include "analysis/summary/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "analysis/paths/path_report.h"
#include "analysis/summary/judgement.h"
#include "analysis/summary/limits.h"
#include "analysis/summary/scenario_runs.h"
#include "analysis/waits/wait_states.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/statistics.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr std::size_t kPathsShown = 15;
constexpr std::size_t kStallsAsked = 8;

std::optional<ExampleWait> example_wait(const Trace& trace, const WaitStates& waits,
                                        const DelayCosts& delays) {
  if (delays.costs.empty()) return std::nullopt;
  const std::int32_t cause = delays.costs.front().of.rank;
  const WaitState* longest = nullptr;
  for (const WaitState& s : waits.states) {
    if (!s.effective || s.cause_rank != cause) continue;
    if (longest == nullptr || s.wait_ns > longest->wait_ns) longest = &s;
  }
  if (longest == nullptr) return std::nullopt;
  const std::int64_t begin = trace.calls(longest->rank).begin_ns(longest->call);
  return ExampleWait{*longest, begin - run_span(trace).whole.begin_ns};
}

/// What limits the run, and what the trace's call tree says of the waits and of the path.
void find_code(const Activities& run, const WaitStates& waits, const DiagnosisOptions& options,
               Diagnosis& d) {
  const Trace& trace = run.trace();
  const ComputationCode code(trace, options.samples);
  const OpenMPUse* const openmp = d.efficiency.openmp ? &*d.efficiency.openmp : nullptr;
  ScenarioRuns runs({trace, run.matching(), waits, run, code, d.shares, openmp});
  d.limits = limiting_causes(runs);
  if (options.limited) options.limited(runs, d.limits);
  if (trace.call_tree().empty() || options.detail == DiagnosisDetail::limits) return;
  const CallPaths functions = CallPaths::of_functions(trace);
  const CallActivities in_functions(trace, functions);
  const auto collector = collect_waits_by_code(trace, waits, in_functions);
  delay_costs(trace, run.matching(), waits, in_functions, collector.get());
  CodeCauses causes(collector->take(), trace.call_tree(), trace.ranks());
  d.waits.in_code = causes.take(causes.times_of(trace, in_functions, code, {}));
  const TimeInterval analysed{d.shares.begin_ns, d.shares.begin_ns + d.shares.length_ns};
  d.path_functions = path_functions(d.path, trace, code, analysed, true);
}

/// Parts of the ranks' time that most runs do not have.
struct RarePart {
  const char* name;
  std::int64_t RankTime::*ns;
  const char* explanation;
};
constexpr std::array kRareParts{
    RarePart{"without a processor", &RankTime::no_processor,
             "outside MPI, ready to compute, while others had the processor"},
    RarePart{"blocked outside MPI", &RankTime::blocked,
             "off the processor of its own accord: sleep, I/O, a device"},
    RarePart{"recording", &RankTime::recording,
             "outside MPI, in the recorder, at the mean cost of a call"},
    RarePart{"outside the program", &RankTime::outside,
             "in MPI_Init or MPI_Finalize, or after the recording of a rank ends"}};

std::vector<RarePart> rare_parts(const TimeShares& shares) {
  std::vector<RarePart> parts;
  for (const RarePart& part : kRareParts) {
    if (shares.share(shares.sum_ns.*part.ns) >= kShownPart) parts.push_back(part);
  }
  return parts;
}

Table rank_shares(const TimeShares& shares) {
  Table table{"rank_shares",
              "Computation by rank",
              {{"rank"},
               {"computation", Unit::ns},
               {"wait time", Unit::ns, "for other ranks"},
               {"MPI excl. waiting", Unit::ns, "data transfer and MPI library overhead"}},
              {}};
  const std::vector<RarePart> rare = rare_parts(shares);
  for (const RarePart& part : rare) {
    table.columns.push_back({part.name, Unit::ns, part.explanation});
  }
  for (const std::size_t r : largest_first(
           shares.ranks_ns.size(), [&](std::size_t r) { return shares.ranks_ns[r].compute; })) {
    if (table.rows.size() == kPathsShown) break;
    const RankTime& rank = shares.ranks_ns[r];
    table.rows.push_back({static_cast<std::int64_t>(r), rank.compute, rank.wait, rank.mpi});
    for (const RarePart& part : rare) table.rows.back().emplace_back(rank.*part.ns);
  }
  return table;
}

Table call_shares(const TimeShares& shares, const CallPaths& paths) {
  Table table{"mpi_calls",
              "MPI time by call path",
              {{"operation"},
               {"call path"},
               {"calls", Unit::count},
               {"MPI excl. waiting", Unit::ns, "data transfer and MPI library overhead, all ranks"},
               {"wait time", Unit::ns},
               {"bytes per call", Unit::bytes}},
              {}};
  for (const TimeShares::OfCalls& c : shares.calls) {
    if (table.rows.size() == kPathsShown) break;
    table.rows.push_back({std::string(mpi_name(c.operation)), paths.name(c.path),
                          static_cast<std::int64_t>(c.calls), c.inside_ns(), c.waiting_ns,
                          static_cast<double>(c.bytes) / static_cast<double>(c.calls)});
  }
  return table;
}

Section shares_section(const Diagnosis& d, const CallPaths& paths, const CallTree& tree) {
  const TimeShares& s = d.shares;
  Facts facts{
      {{"total run time", s.run_ns, Unit::ns, meaning_of_whole(s.ends)},
       {"analysed interval", s.length_ns, Unit::ns, meaning(s.extent, s.ends)},
       {"computation", s.share(s.sum_ns.compute), Unit::ratio, "share of rank time"},
       {"wait time", s.share(s.sum_ns.wait), Unit::ratio, "for other ranks, share of rank time"},
       {"MPI excl. waiting", s.share(s.sum_ns.mpi), Unit::ratio,
        "data transfer and MPI library overhead"},
       {"MPI processing (upper bound)", s.share(s.own_ns()), Unit::ratio,
        "as far as waiting is known"},
       {"unclassified MPI time", s.share(s.unknown_ns), Unit::ratio,
        "in calls for which no waiting is defined"},
       {"ideal-network run time", s.ideal_ns, Unit::ns,
        "zero latency, infinite bandwidth, same computation"}}};
  for (const RarePart& part : rare_parts(s)) {
    facts.facts.push_back({part.name, s.share(s.sum_ns.*part.ns), Unit::ratio, part.explanation});
    if (part.ns == &RankTime::recording) {
      facts.facts.push_back(
          {"recording per call", recording_per_call_ns(s), Unit::ns, "mean of all calls"});
    }
  }
  if (const PollGaps& polls = d.poll_gaps; s.share(polls.sum_ns) >= kShownPart) {
    facts.facts.push_back({"between failed polls", s.share(polls.sum_ns), Unit::ratio,
                           "of rank time, part of computation"});
    facts.facts.push_back({"most between failed polls", polls.rank_ns, Unit::ns,
                           fmt::format("rank {}, {}", polls.rank, mpi_name(polls.operation))});
  }
  if (s.processor_share) {
    facts.facts.push_back({"CPU utilisation", *s.processor_share, Unit::ratio,
                           "mean of the ranks: CPU time over the analysed interval"});
  }
  if (!s.on_processor.empty()) {
    const auto least = std::ranges::min_element(s.on_processor);
    facts.facts.push_back(
        {"least CPU share of computation", *least, Unit::ratio,
         fmt::format("rank {}: CPU time over wall time", least - s.on_processor.begin())});
    if (*least < kWholeProcessor) {
      facts.facts.push_back(
          {"oversubscribed below", kWholeProcessor, Unit::ratio, "CPU share of computation"});
    }
  }
  Section section{.id = "time_shares", .title = "Time breakdown"};
  section.items.emplace_back(std::move(facts));
  if (!d.limits.empty()) section.items.emplace_back(limits_table(d.limits, tree));
  section.items.emplace_back(rank_shares(s));
  if (!s.calls.empty()) section.items.emplace_back(call_shares(s, paths));
  return section;
}

auto rank_time_object(const RankTime& r, std::optional<double> on_processor) {
  return Object{"compute_ns"_key = r.compute, "waiting_ns"_key = r.wait,
                "inside_mpi_ns"_key = r.mpi,  "no_processor_ns"_key = r.no_processor,
                "blocked_ns"_key = r.blocked, "recording_ns"_key = r.recording,
                "outside_ns"_key = r.outside, "on_processor"_key = on_processor};
}

auto rank_time_objects(const TimeShares& s) {
  std::vector<ReturnedBy<rank_time_object>> ranks;
  for (std::size_t i = 0; i < s.ranks_ns.size(); ++i) {
    std::optional<double> on_processor;
    if (!s.on_processor.empty()) on_processor = s.on_processor[i];
    ranks.push_back(rank_time_object(s.ranks_ns[i], on_processor));
  }
  return ranks;
}

auto calls_object(const TimeShares::OfCalls& c, const CallPaths& paths) {
  return Object{"operation"_key = mpi_name(c.operation),
                "call_path"_key = paths.name(c.path),
                "calls"_key = c.calls,
                "bytes"_key = c.bytes,
                "inside_mpi_ns"_key = c.inside_ns(),
                "waiting_ns"_key = c.waiting_ns};
}

auto shares_object(const TimeShares& s, const CallPaths& paths) {
  return Object{
      "begin_ns"_key = s.begin_ns,
      "length_ns"_key = s.length_ns,
      "run_ns"_key = s.run_ns,
      "interval"_key = to_string(s.extent),
      "ideal_ns"_key = s.ideal_ns,
      "compute"_key = s.share(s.sum_ns.compute),
      "waiting"_key = s.share(s.sum_ns.wait),
      "inside_mpi"_key = s.share(s.sum_ns.mpi),
      "beside"_key = Object{"no_processor"_key = s.share(s.sum_ns.no_processor),
                            "blocked"_key = s.share(s.sum_ns.blocked),
                            "recording"_key = s.share(s.sum_ns.recording),
                            "outside"_key = s.share(s.sum_ns.outside)},
      "mpi_own_work"_key = s.share(s.own_ns()),
      "waiting_not_known"_key = s.share(s.unknown_ns),
      "efficiency"_key = factors_to_json(efficiency_inputs(s), EfficiencyVariant::multiplicative),
      "processor_share"_key = s.processor_share,
      "ranks"_key = rank_time_objects(s),
      "calls"_key =
          list_of(s.calls, [&](const TimeShares::OfCalls& c) { return calls_object(c, paths); })};
}

void append(std::vector<Section>& to, std::vector<Section> sections) {
  for (Section& s : sections) to.push_back(std::move(s));
}

TimeWindows waiting_over_time(const Trace& trace, const WaitStates& waits,
                              const TimeInterval& analysed) {
  TimeWindows windows(analysed);
  for (const WaitState& s : waits.states) {
    if (!s.effective) continue;
    const auto begin = static_cast<double>(trace.calls(s.rank).begin_ns(s.call));
    const auto wait = static_cast<double>(s.wait_ns);
    windows.add(begin, begin + wait, wait);
  }
  return windows;
}

auto diagnosis_object(const Diagnosis& d, const Trace& trace, const CallPaths& paths,
                      const WaitSummaryJson& waits, const CriticalPathJson& path,
                      const std::optional<PathFunctionsJson>& functions) {
  return Object{"diagnosis"_key = diagnosis_to_json(d.limits, trace.call_tree()),
                "measured"_key = Object{
                    "time_shares"_key = shares_object(d.shares, paths),
                    "efficiency"_key = efficiency_to_json(d.efficiency), "wait_states"_key = waits,
                    "critical_path"_key = Object{path, "by_function"_key.when(functions)},
                    "phases"_key = d.monitor.phases,
                    "iterations"_key = optional_of(d.monitor.iterations, kJsonBy<kIterations>),
                    "regions"_key = list_of(d.monitor.intervals, kJsonBy<kFocusIntervals>),
                    "windows"_key = windows_to_json(d.monitor)}};
}

}  // namespace

Findings new_findings(const Findings& all, const Findings& known) {
  Findings rest;
  for (const Findings::Entry& e : all.entries()) {
    if (std::ranges::find(known.entries(), e.name, &Findings::Entry::name) !=
        known.entries().end()) {
      continue;
    }
    const FindingKind kind{e.name, e.severity, e.sentence};
    for (const std::string& example : e.examples) rest.add(kind, example, 0);
    rest.add(kind, {}, e.count);
  }
  return rest;
}

std::int64_t Diagnosis::long_calls_ns() const {
  constexpr double kFewCalls = 0.05;  // of all calls: more are no exceptions
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < stalls.size(); ++i) {
    const auto all = static_cast<double>(shares.calls[i].calls);
    if (static_cast<double>(stalls[i].calls) <= kFewCalls * all) sum += stalls[i].sum_ns;
  }
  return sum;
}

Diagnosis diagnose(const Trace& trace, const CallPaths& paths,
                   const std::optional<TimeInterval>& analysed) {
  if (!trace.timed()) {
    throw Error("cannot diagnose an untimed trace", "it has no timestamps",
                "Record a run of the program.");
  }
  const CallMatching matching(trace);
  const CausalOrder order(trace, matching);
  return diagnose(trace, paths, matching, order, wait_states(trace, matching, order, {}),
                  {.analysed = analysed});
}

Diagnosis diagnose(const Trace& trace, const CallPaths& paths, const CallMatching& matching,
                   const CausalOrder& order, const WaitStates& of_run,
                   const DiagnosisOptions& options) {
  Diagnosis d;
  const TimeInterval analysed = options.analysed.value_or(run_span(trace).common);
  const WaitStates waits = waits_in_interval(trace, of_run, analysed);
  const CallActivities names(trace, paths);
  const Activities run(trace, matching, order);
  IdealRun ideal;
  const bool all = options.detail == DiagnosisDetail::all;
  const std::array<std::function<void()>, 2> halves{
      [&] {
        d.poll_gaps = poll_gaps(trace, analysed);
        if (!all) return;
        d.path = critical_path(run, names, {});
        d.imbalance = imbalance_metrics(trace, matching);
        d.waiting = waiting_over_time(trace, waits, analysed);
      },
      [&] {
        d.waits = summarize_states(trace, matching, names, waits, analysed);
        ideal = ideal_run(trace, matching, {});
        d.shares = time_shares(trace, matching, names, waits, ideal, analysed);
        if (all) {
          d.stalls = call_stalls(
              trace, names, waits, analysed,
              std::span(d.shares.calls).first(std::min(kStallsAsked, d.shares.calls.size())));
        }
        d.efficiency = efficiency_from(trace, matching, ideal, analysed);
      }};
  parallel_for(halves.size(), [&](std::size_t i) { halves[i](); });
  find_code(run, waits, options, d);
  d.monitor = monitor(trace, {ideal, waits, d.path, paths, efficiency_inputs(d.shares)},
                      {.analysed = analysed});
  if (all) {
    d.causes = root_causes(trace, waits, d.waits.delays, d.shares.present);
    add_late_ranks(trace, waits, d.waits.delays, d.monitor);
    d.example = example_wait(trace, waits, d.waits.delays);
  }
  d.findings = d.waits.findings;
  for (const Findings* own : {&d.efficiency.findings, &d.path.findings}) {
    d.findings.merge(new_findings(*own, d.findings));  // what matching found is in all of them
  }
  return d;
}

const JsonType& declared_type(const MeasuredJsonTag*) {
  return json_type_by<diagnosis_object>();
}

Described<MeasuredJson> describe(const Diagnosis& d, const Trace& trace, const CallPaths& paths) {
  auto waits = describe(d.waits, trace, paths);
  auto path = describe(d.path, d.imbalance, paths, "measured", PathDetail::sums);
  std::optional<PathFunctionsJson> functions;
  if (!d.path_functions.empty()) {
    functions = describe_functions(d.path_functions, d.path, trace, path.sections.front());
  }
  Described<MeasuredJson> report{
      diagnosis_object(d, trace, paths, waits.result, path.result, functions)};
  Efficiency program;
  program.inputs = efficiency_inputs(d.shares);
  Section efficiency{.id = "efficiency", .title = "Efficiency"};
  efficiency.items.emplace_back(
      Paragraph{"'slackline efficiency' adds the whole run, in all variants."});
  efficiency.items.emplace_back(
      efficiency_table(program, EfficiencyVariant::multiplicative, "analysed interval"));
  if (const std::optional<std::string> note = transfer_note(program.inputs)) {
    efficiency.items.emplace_back(Paragraph{*note});
  }
  report.sections.push_back(shares_section(d, paths, trace.call_tree()));
  if (d.efficiency.machine) {
    Section machine{.id = "machine", .title = "Interference from the machine"};
    machine.items.emplace_back(machine_facts(*d.efficiency.machine));
    report.sections.push_back(std::move(machine));
  }
  append(report.sections, std::move(waits.sections));
  report.sections.push_back(monitor_section(d.monitor, false));
  report.sections.push_back(std::move(efficiency));
  if (d.efficiency.openmp) report.sections.push_back(openmp_section(*d.efficiency.openmp));
  append(report.sections, std::move(path.sections));
  add_evidence(d, trace, paths, report.sections);
  report.findings = d.findings;
  return report;
}

}  // namespace slackline
