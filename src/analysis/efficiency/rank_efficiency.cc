#include "analysis/efficiency/rank_efficiency.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/runs/measured.h"
#include "base/ratio.h"
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

}  // namespace

RankEfficiency rank_efficiency(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank,
                               const RunSpan& run, const TimeInterval& analysed) {
  const auto r = static_cast<std::size_t>(rank);
  const OutsideTimes t = outside_times(calls);
  RankEfficiency of;
  of.calls = calls.size();
  of.useful_ns = t.useful_ns;
  of.outside_ns = t.outside_ns;
  of.ideal_end_ns = ideal.rank_end_ns[r];
  of.ideal_computation_ns = ideal.computation_ns[r];
  if (calls.empty()) return of;
  of.analysed_ns = measured_rank(calls, analysed);
  of.ideal = ideal_extent(calls, ideal, rank, run, analysed);
  return of;
}

Efficiency efficiency_of(std::span<const RankEfficiency> ranks, const RunSpan& run,
                         const TimeInterval& analysed) {
  Efficiency e;
  e.inputs = whole_inputs(ranks, run);
  e.analysed = analysed_inputs(ranks, run, analysed);
  e.interval = {analysed.begin_ns - run.whole.begin_ns, analysed.end_ns - run.whole.begin_ns};
  for (const RankEfficiency& rank : ranks) e.useful_ns.push_back(rank.useful_ns);
  if (!e.inputs.has_time()) e.findings.add(kNothingRan);
  return e;
}

}  // namespace slackline
