// POP's efficiencies: how much of ranks x time is computation, and what takes the rest.
//
// The tree has one product (parallel = load balance x communication) and one split that needs a
// second run: communication = serialisation x transfer, where the ideal run is how long it would
// take if messages took no time. Cost: one pass over the calls and one ideal replay.

#include "analysis/efficiency/efficiency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/efficiency/rank_efficiency.h"
#include "base/arithmetic.h"
#include "base/error.h"
#include "base/units.h"
#include "calls/findings.h"
#include "calls/run_span.h"

namespace slackline {
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
  const EfficiencyPart whole = efficiency_part(trace, ideal, run, analysed);
  Efficiency e = efficiency_of(whole, trace, run, analysed);
  std::vector<RankTime> times;
  for (const RankEfficiency& rank : whole.ranks) times.push_back(rank.analysed_ns);
  e.openmp = openmp_use(trace, analysed, times);
  Findings findings;
  findings.merge(matching.findings());
  if (ideal.released > 0) findings.add(kReplayReleased, {}, ideal.released);
  findings.merge(e.findings);
  e.findings = std::move(findings);
  return e;
}

LikelyScaling likely_scaling(const std::vector<Efficiency>& runs) {
  const auto ranks = [](const Efficiency& run) { return run.analysed.ranks; };
  const auto [fewest, most] = std::ranges::minmax_element(runs, {}, ranks);
  if (runs.empty() || ranks(*fewest) < 1 || ranks(*fewest) == ranks(*most)) return {};
  const bool counted = std::ranges::all_of(runs, [](const Efficiency& run) {
    return run.analysed.instructions && *run.analysed.instructions > 0;
  });
  const auto work = [&](const Efficiency& run) {
    return counted ? *run.analysed.instructions / run.analysed.ranks : run.analysed.useful_mean_ns;
  };
  if (!(work(*fewest) > 0) || !(work(*most) > 0)) return {};
  // 0 where each rank keeps its work, -1 where all share that of the fewest.
  const double exponent = std::log(work(*most) / work(*fewest)) /
                          std::log(static_cast<double>(ranks(*most)) / ranks(*fewest));
  const Scaling scaling = exponent > -0.5 ? Scaling::weak : Scaling::strong;
  const auto shown = [&](const Efficiency& run) {
    return (counted ? format_count(static_cast<std::uint64_t>(work(run))) + " instructions"
                    : format_time_ns(work(run))) +
           " on " + count_of(static_cast<std::uint64_t>(ranks(run)), "rank");
  };
  return {scaling, fmt::format("{} scaling is assumed: the mean computation per rank is {} and {}. "
                               "Another kind: --scaling {}.",
                               scaling == Scaling::weak ? "Weak" : "Strong", shown(*fewest),
                               shown(*most), scaling == Scaling::weak ? "strong" : "weak")};
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
