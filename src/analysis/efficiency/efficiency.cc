// POP's efficiencies: how much of ranks x time is computation, and what takes the rest.
//
// The tree has one product (parallel = load balance x communication) and one split that needs a
// second run: communication = serialisation x transfer, where the ideal run is how long it would
// take if messages took no time. Cost: one pass over the calls and one ideal replay.

#include "analysis/efficiency/efficiency.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/efficiency/rank_efficiency.h"
#include "base/error.h"
#include "base/ratio.h"
#include "calls/findings.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

/// A counter of all ranks' computation in an interval; computation that reaches over an end of it
/// counts with the part inside.
std::optional<double> counter_sum(const Trace& trace, std::string_view name,
                                  const TimeInterval& interval) {
  const auto& names = trace.counters();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  const auto which = static_cast<std::size_t>(found - names.begin());
  double sum = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i <= calls.size(); ++i) {
      const TimeInterval gap{i == 0 ? calls.start_ns() : calls.end_ns(i - 1),
                             i == calls.size() ? calls.stop_ns() : calls.begin_ns(i)};
      const TimeInterval inside{std::max(gap.begin_ns, interval.begin_ns),
                                std::min(gap.end_ns, interval.end_ns)};
      if (inside.begin_ns > inside.end_ns) continue;
      const double part = gap.length_ns() > 0 ? ratio_of(static_cast<double>(inside.length_ns()),
                                                         static_cast<double>(gap.length_ns()))
                                              : 1;
      sum += part * static_cast<double>(calls.counter(which, i));
    }
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

void add_counters(const Trace& trace, const TimeInterval& interval, EfficiencyInputs& in) {
  in.instructions = counter_sum(trace, "PAPI_TOT_INS", interval);
  in.cycles = counter_sum(trace, "PAPI_TOT_CYC", interval);
}

}  // namespace

std::string_view to_string(EfficiencyVariant variant) {
  switch (variant) {
    case EfficiencyVariant::multiplicative:
      return "multiplicative";
    case EfficiencyVariant::additive:
      return "additive";
    case EfficiencyVariant::basicanalysis:
      return "basicanalysis";
  }
  return "multiplicative";
}

EfficiencyFactors factors(const EfficiencyInputs& in, EfficiencyVariant variant) {
  EfficiencyFactors f;
  if (!in.has_time()) return f;
  const auto one_minus = [&in](double loss_ns) { return 1 - loss_ns / in.observed_ns; };
  if (variant == EfficiencyVariant::additive) {
    f.load_balance = one_minus(in.useful_max_ns - in.useful_mean_ns);
    f.communication = in.outside_max_ns / in.observed_ns;
    f.serialisation = one_minus(in.ideal_ns - in.outside_max_ns);
    f.transfer = in.ideal_ns / in.observed_ns;
    f.parallel = f.load_balance + f.communication - 1;
    return f;
  }
  f.load_balance = ratio_of(in.useful_mean_ns, in.useful_max_ns);
  f.communication = in.useful_max_ns / in.observed_ns;
  f.parallel = in.useful_mean_ns / in.observed_ns;
  if (variant == EfficiencyVariant::multiplicative) {
    f.serialisation = ratio_of(in.useful_max_ns, in.ideal_ns);
    f.transfer = in.ideal_ns / in.observed_ns;
  } else {
    f.serialisation = ratio_of(in.ideal_useful_max_ns, in.ideal_ns);
    f.transfer = ratio_of(f.communication, f.serialisation);
  }
  return f;
}

Efficiency efficiency(const Trace& trace, const CallMatching& matching, const IdealOptions& options,
                      const std::optional<TimeInterval>& analysed) {
  if (!trace.timed()) {
    throw Error("cannot compute the efficiency of an untimed trace", "it has no timestamps",
                "Record a run, or predict one with 'slackline predict'.");
  }
  return efficiency_from(trace, matching, ideal_run(trace, matching, options),
                         analysed.value_or(run_span(trace).common));
}

Efficiency efficiency_from(const Trace& trace, const CallMatching& matching, const IdealRun& ideal,
                           const TimeInterval& analysed) {
  const RunSpan run = run_span(trace);
  std::vector<RankEfficiency> ranks;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    ranks.push_back(rank_efficiency(trace.calls(r), ideal, r, run, analysed));
  }
  Efficiency e = efficiency_of(ranks, run, analysed);
  add_counters(trace,
               {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()},
               e.inputs);
  add_counters(trace, analysed, e.analysed);
  e.machine = machine_share(trace);
  std::vector<RankTime> times;
  for (const RankEfficiency& rank : ranks) times.push_back(rank.analysed_ns);
  e.openmp = openmp_use(trace, analysed, times);
  Findings findings;
  findings.merge(matching.findings());
  if (ideal.released > 0) findings.add(kReplayReleased, {}, ideal.released);
  findings.merge(e.findings);
  e.findings = std::move(findings);
  return e;
}

Scalability scalability(const EfficiencyInputs& in, const EfficiencyInputs& reference,
                        Scaling scaling) {
  const double growth = scaling == Scaling::weak ? ratio_of(in.ranks, reference.ranks) : 1;
  Scalability s;
  s.computation = growth * ratio_of(reference.useful_sum_ns(), in.useful_sum_ns());
  if (in.instructions && reference.instructions) {
    s.instructions = growth * *reference.instructions / *in.instructions;
  }
  if (in.instructions && reference.instructions && in.cycles && reference.cycles) {
    s.ipc = (*in.instructions / *in.cycles) / (*reference.instructions / *reference.cycles);
  }
  if (in.cycles && reference.cycles) {
    s.frequency =
        ratio_of(*in.cycles / in.useful_sum_ns(), *reference.cycles / reference.useful_sum_ns());
  }
  return s;
}

}  // namespace slackline
