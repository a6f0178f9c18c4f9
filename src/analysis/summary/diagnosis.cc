#include "analysis/summary/diagnosis.h"
#include "analysis/summary/limits_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "analysis/paths/path_report.h"
#include "analysis/waits/waits_in_interval.h"
#include "base/error.h"
#include "base/parallel.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr std::size_t kPathsShown = 15;
constexpr std::size_t kStallsAsked = 8;

std::optional<ExampleWait> example_wait(const Trace& trace, const WaitStates& waits,
                                        const DelayCosts& delays) {
  if (delays.costs.empty()) return std::nullopt;
  const std::int32_t cause = delays.costs.front().rank;
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
void find_code(const Trace& trace, const CallMatching& matching, const WaitStates& waits,
               const CallActivities& names, const Samples* samples, Diagnosis& d) {
  const ComputationCode code(trace, samples);
  if (trace.call_tree().empty()) {
    d.limits = limiting_causes({trace, matching, waits, names, d.waits.delays, code, d.shares});
    return;
  }
  const CallPaths functions = CallPaths::of_functions(trace);
  const CallActivities in_functions(trace, functions);
  const auto collector = collect_waits_in_code(trace, waits, in_functions, samples);
  const DelayCosts delays = delay_costs(trace, matching, waits, in_functions, collector.get());
  d.waits.in_code = collector->take();
  d.limits = limiting_causes({trace, matching, waits, in_functions, delays, code, d.shares});
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

constexpr double kShownPart = 0.0005;  // of the rank time: less shows as 0.0 %

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
  std::vector<std::size_t> order(shares.ranks_ns.size());
  for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
  std::ranges::stable_sort(order, std::greater{},
                           [&](std::size_t r) { return shares.ranks_ns[r].compute; });
  for (const std::size_t r : order) {
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
      {{"total run time", s.run_ns, Unit::ns, "including MPI_Init and MPI_Finalize"},
       {"analysed interval", s.length_ns, Unit::ns, std::string(meaning(s.extent))},
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
  }
  Section section{.id = "time_shares", .title = "Time breakdown"};
  section.items.emplace_back(std::move(facts));
  if (!d.limits.empty()) section.items.emplace_back(limits_table(d.limits, tree));
  section.items.emplace_back(rank_shares(s));
  if (!s.calls.empty()) section.items.emplace_back(call_shares(s, paths));
  return section;
}

Json shares_to_json(const TimeShares& s, const CallPaths& paths) {
  Json json{
      {"begin_ns", s.begin_ns},
      {"length_ns", s.length_ns},
      {"run_ns", s.run_ns},
      {"interval", to_string(s.extent)},
      {"ideal_ns", s.ideal_ns},
      {"compute", s.share(s.sum_ns.compute)},
      {"waiting", s.share(s.sum_ns.wait)},
      {"inside_mpi", s.share(s.sum_ns.mpi)},
      {"beside",
       {{"no_processor", s.share(s.sum_ns.no_processor)},
        {"blocked", s.share(s.sum_ns.blocked)},
        {"recording", s.share(s.sum_ns.recording)},
        {"outside", s.share(s.sum_ns.outside)}}},
      {"mpi_own_work", s.share(s.own_ns())},
      {"waiting_not_known", s.share(s.unknown_ns)},
      {"efficiency", factors_to_json(efficiency_inputs(s), EfficiencyVariant::multiplicative)},
      {"processor_share", s.processor_share ? Json(*s.processor_share) : Json(nullptr)},
      {"ranks", Json::array()},
      {"calls", Json::array()}};
  for (std::size_t i = 0; i < s.ranks_ns.size(); ++i) {
    const RankTime& r = s.ranks_ns[i];
    json["ranks"].push_back(
        {{"compute_ns", r.compute},
         {"waiting_ns", r.wait},
         {"inside_mpi_ns", r.mpi},
         {"no_processor_ns", r.no_processor},
         {"blocked_ns", r.blocked},
         {"recording_ns", r.recording},
         {"outside_ns", r.outside},
         {"on_processor", s.on_processor.empty() ? Json(nullptr) : Json(s.on_processor[i])}});
  }
  for (const TimeShares::OfCalls& c : s.calls) {
    json["calls"].push_back({{"operation", std::string(mpi_name(c.operation))},
                             {"call_path", paths.name(c.path)},
                             {"calls", c.calls},
                             {"bytes", c.bytes},
                             {"inside_mpi_ns", c.inside_ns()},
                             {"waiting_ns", c.waiting_ns}});
  }
  return json;
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
  IdealRun ideal;
  const std::array<std::function<void()>, 2> halves{
      [&] {
        d.path = critical_path(Activities(trace, matching, order), names, {});
        d.imbalance = imbalance_metrics(trace, matching);
        d.poll_gaps = poll_gaps(trace, analysed);
        d.waiting = waiting_over_time(trace, waits, analysed);
      },
      [&] {
        d.waits = summarize_states(trace, matching, names, waits, analysed);
        ideal = ideal_run(trace, matching, {});
        d.shares = time_shares(trace, matching, names, waits, ideal, analysed);
        d.stalls = call_stalls(
            trace, names, waits, analysed,
            std::span(d.shares.calls).first(std::min(kStallsAsked, d.shares.calls.size())));
        d.efficiency = efficiency_from(trace, matching, ideal, analysed);
      }};
  parallel_for(halves.size(), [&](std::size_t i) { halves[i](); });
  find_code(trace, matching, waits, names, options.samples, d);
  d.monitor = monitor(trace, {ideal, waits, d.path, paths, efficiency_inputs(d.shares)},
                      {.analysed = analysed});
  d.causes = root_causes(trace, waits, d.waits.delays, d.shares.present);
  add_late_ranks(trace, waits, d.waits.delays, d.monitor);
  d.example = example_wait(trace, waits, d.waits.delays);
  d.findings = d.waits.findings;
  for (const Findings* own : {&d.efficiency.findings, &d.path.findings}) {
    d.findings.merge(new_findings(*own, d.findings));  // what matching found is in all of them
  }
  return d;
}

Report describe(const Diagnosis& d, const Trace& trace, const CallPaths& paths) {
  Report report;
  Report waits = describe(d.waits, trace, paths);
  Report path = describe(d.path, d.imbalance, paths, "measured", PathDetail::sums);
  if (!d.path_functions.empty()) describe_functions(d.path_functions, d.path, trace, path);
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
  append(report.sections, std::move(path.sections));
  report.result["diagnosis"] = diagnosis_to_json(d.limits, trace.call_tree());
  report.result["measured"] = {{"time_shares", shares_to_json(d.shares, paths)},
                               {"efficiency", efficiency_to_json(d.efficiency)},
                               {"wait_states", std::move(waits.result)},
                               {"critical_path", std::move(path.result)},
                               {"phases", d.monitor.phases},
                               {"iterations", iterations_to_json(d.monitor)},
                               {"regions", intervals_to_json(d.monitor)},
                               {"windows", windows_to_json(d.monitor)}};
  report.findings = d.findings;
  return report;
}

}  // namespace slackline
