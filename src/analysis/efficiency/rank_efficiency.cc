#include "analysis/efficiency/rank_efficiency.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/runs/measured.h"
#include "base/arithmetic.h"
#include "base/parallel.h"
#include "calls/gap_walk.h"

namespace slackline {
namespace {

constexpr FindingKind kNothingRan{"no_runtime", Severity::data_loss,
                                  "Run time is zero; efficiencies are undefined."};

struct OutsideTimes {
  std::int64_t useful_ns = 0;
  std::int64_t outside_ns = 0;
};

OutsideTimes outside_times(const RankCalls& calls) {
  OutsideTimes t;
  if (calls.empty()) return t;
  GapWalk gaps(calls);
  for (std::size_t i = 0; i <= calls.size(); ++i) {
    const GapWalk::Gap gap = gaps.next();
    t.useful_ns += gap.useful_ns;
    t.outside_ns += gap.outside_ns;
  }
  return t;
}

std::int64_t ideal_runtime(std::span<const RankEfficiency> ranks, const RunSpan& run) {
  std::int64_t end = run.whole.begin_ns;
  for (const RankEfficiency& rank : ranks) {
    if (rank.calls > 0) end = std::max(end, rank.ideal_end_ns);
  }
  return end - run.whole.begin_ns;
}

/// A counter of a rank's computation in an interval; computation that reaches over an end of it
/// counts with the part inside.
CounterSum counter_sum(const Trace& trace, const RankCalls& calls, std::string_view name,
                       const TimeInterval& interval) {
  CounterSum sum;
  const auto& names = trace.counters();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return sum;
  const auto which = static_cast<std::size_t>(found - names.begin());
  for (std::size_t i = 0; i <= calls.size(); ++i) {
    const TimeInterval gap{i == 0 ? calls.start_ns() : calls.end_ns(i - 1),
                           i == calls.size() ? calls.stop_ns() : calls.begin_ns(i)};
    const TimeInterval inside{std::max(gap.begin_ns, interval.begin_ns),
                              std::min(gap.end_ns, interval.end_ns)};
    if (inside.begin_ns > inside.end_ns) continue;
    const std::uint64_t gain = calls.counter(which, i);
    if (inside == gap || gap.length_ns() == 0) {
      sum.whole += gain;
    } else {
      sum.parts +=
          ratio_of(static_cast<double>(inside.length_ns()), static_cast<double>(gap.length_ns())) *
          static_cast<double>(gain);
    }
  }
  return sum;
}

RankEfficiency::Counters counters_of(const Trace& trace, const RankCalls& calls,
                                     const TimeInterval& interval) {
  return {counter_sum(trace, calls, "PAPI_TOT_INS", interval),
          counter_sum(trace, calls, "PAPI_TOT_CYC", interval)};
}

std::optional<double> total(std::span<const RankEfficiency> ranks,
                            RankEfficiency::Counters RankEfficiency::*extent,
                            CounterSum RankEfficiency::Counters::*counter) {
  CounterSum sum;
  for (const RankEfficiency& rank : ranks) sum += rank.*extent.*counter;
  const double all = static_cast<double>(sum.whole) + sum.parts;
  return all > 0 ? std::optional(all) : std::nullopt;
}

/// The inputs of the whole run.
EfficiencyInputs whole_inputs(std::span<const RankEfficiency> ranks, const RunSpan& run) {
  EfficiencyInputs in;
  double sum = 0;
  std::int64_t ideal_computation = std::numeric_limits<std::int64_t>::min();
  for (const RankEfficiency& rank : ranks) {
    ideal_computation = std::max(ideal_computation, rank.ideal_computation_ns);
    if (rank.calls == 0) continue;
    ++in.ranks;  // of others nothing is known
    sum += static_cast<double>(rank.useful_ns);
    in.useful_max_ns = std::max(in.useful_max_ns, static_cast<double>(rank.useful_ns));
    in.outside_max_ns = std::max(in.outside_max_ns, static_cast<double>(rank.outside_ns));
  }
  if (in.ranks == 0) in.ranks = static_cast<std::int32_t>(ranks.size());
  in.useful_mean_ns = ratio_of(sum, in.ranks);
  in.observed_ns = static_cast<double>(run.whole.length_ns());
  in.ideal_ns = static_cast<double>(ideal_runtime(ranks, run));
  if (!ranks.empty()) in.ideal_useful_max_ns = static_cast<double>(ideal_computation);
  return in;
}

/// As of the time shares of that interval (time_shares.h).
EfficiencyInputs analysed_inputs(std::span<const RankEfficiency> ranks, const RunSpan& run,
                                 const TimeInterval& analysed) {
  EfficiencyInputs in;
  std::int64_t sum = 0;
  std::vector<IdealExtent> ideal;
  for (const RankEfficiency& rank : ranks) {
    if (rank.calls == 0) continue;
    ++in.ranks;
    sum += rank.analysed_ns.compute;
    in.useful_max_ns = std::max(in.useful_max_ns, static_cast<double>(rank.analysed_ns.compute));
    ideal.push_back(rank.ideal);
  }
  if (in.ranks == 0) return in;
  in.observed_ns = static_cast<double>(analysed.length_ns());
  in.ideal_ns = static_cast<double>(ideal_length(ideal, run, analysed));
  in.useful_mean_ns = static_cast<double>(sum) / in.ranks;
  return in;
}

RankEfficiency rank_efficiency(const Trace& trace, const IdealRun& ideal, std::int32_t rank,
                               const RunSpan& run, const TimeInterval& analysed,
                               const RunPart& part) {
  const RankCalls& calls = trace.calls(rank);
  const auto r = static_cast<std::size_t>(rank);
  const OutsideTimes t = outside_times(calls);
  RankEfficiency of;
  of.useful_ns = t.useful_ns;
  of.outside_ns = t.outside_ns;
  of.ideal_end_ns = ideal.rank_end_ns[r];
  of.ideal_computation_ns = ideal.computation_ns[r];
  if (counts_interruptions(trace)) of.machine = rank_machine_time(trace, rank);
  if (calls.empty()) return of;
  of.calls = calls.size() - part.lead();
  if (!part.first) of.ideal_computation_ns -= calls.start_ns() - ideal.start_ns;
  const TimeInterval own = part.own_time(calls);
  of.analysed_ns = measured_rank(
      calls, {std::max(analysed.begin_ns, own.begin_ns), std::min(analysed.end_ns, own.end_ns)});
  of.ideal = ideal_extent(calls, ideal, rank, run, analysed, part);
  of.counters = counters_of(trace, calls, {-kTimeLimit_ns, kTimeLimit_ns});
  of.analysed_counters = counters_of(trace, calls, analysed);
  return of;
}

void append_rank(RankEfficiency& sum, RankEfficiency next, std::int64_t shift_ns) {
  sum.calls += next.calls;
  sum.useful_ns += next.useful_ns;
  sum.outside_ns += next.outside_ns;
  sum.ideal_end_ns = next.ideal_end_ns + shift_ns;
  sum.ideal_computation_ns += next.ideal_computation_ns;
  sum.analysed_ns += next.analysed_ns;
  for (IdealMark IdealExtent::*end : {&IdealExtent::begin, &IdealExtent::end}) {
    IdealMark& mark = next.ideal.*end;
    mark.move_by(shift_ns);
    if (mark.known) sum.ideal.*end = mark;
  }
  sum.machine += next.machine;
  sum.counters.instructions += next.counters.instructions;
  sum.counters.cycles += next.counters.cycles;
  sum.analysed_counters.instructions += next.analysed_counters.instructions;
  sum.analysed_counters.cycles += next.analysed_counters.cycles;
}

}  // namespace

CounterSum& CounterSum::operator+=(const CounterSum& other) {
  whole += other.whole;
  parts += other.parts;
  return *this;
}

EfficiencyPart efficiency_part(const Trace& trace, const IdealRun& ideal, const RunSpan& run,
                               const TimeInterval& analysed, const RunPart& part) {
  EfficiencyPart out;
  out.ranks.resize(static_cast<std::size_t>(trace.ranks()));
  parallel_for(out.ranks.size(), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    out.ranks[r] = rank_efficiency(trace, ideal, rank, run, analysed, part);
  });
  // All ranks leave the ends of a stretch at once.
  if (!part.first) out.ideal.begin_ns = ideal.end_ns.front().front();
  if (!part.last) out.ideal.end_ns = ideal.end_ns.front().back();
  return out;
}

void append_part(EfficiencyPart& before, EfficiencyPart next) {
  const std::int64_t shift = before.ideal.end_ns - next.ideal.begin_ns;
  for (std::size_t r = 0; r < before.ranks.size(); ++r) {
    append_rank(before.ranks[r], next.ranks[r], shift);
  }
  before.ideal.end_ns = next.ideal.end_ns + shift;
}

Efficiency efficiency_of(const EfficiencyPart& whole, const Trace& job, const RunSpan& run,
                         const TimeInterval& analysed) {
  const std::span<const RankEfficiency> ranks = whole.ranks;
  Efficiency e;
  e.inputs = whole_inputs(ranks, run);
  e.analysed = analysed_inputs(ranks, run, analysed);
  e.interval = {analysed.begin_ns - run.whole.begin_ns, analysed.end_ns - run.whole.begin_ns};
  e.interval_meaning = meaning(extent_of(run, analysed), run.ends);
  for (const RankEfficiency& rank : ranks) e.useful_ns.push_back(rank.useful_ns);
  using R = RankEfficiency;
  e.inputs.instructions = total(ranks, &R::counters, &R::Counters::instructions);
  e.inputs.cycles = total(ranks, &R::counters, &R::Counters::cycles);
  e.analysed.instructions = total(ranks, &R::analysed_counters, &R::Counters::instructions);
  e.analysed.cycles = total(ranks, &R::analysed_counters, &R::Counters::cycles);
  if (counts_interruptions(job)) {
    std::vector<RankMachineTime> machine;
    for (const RankEfficiency& rank : ranks) machine.push_back(rank.machine);
    e.machine = machine_share(machine, job.info());
  }
  if (!e.inputs.has_time()) e.findings.add(kNothingRan);
  return e;
}

}  // namespace slackline
