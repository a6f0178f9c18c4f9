#include "analysis/summary/headlines.h"

#include <algorithm>
#include <utility>

#include "analysis/efficiency/efficiency.h"
#include "analysis/paths/critical_path.h"
#include "base/arithmetic.h"

namespace slackline {
namespace {

bool analysed(const FocusInterval& r) {
  return r.kind != IntervalKind::startup && r.kind != IntervalKind::shutdown;
}

auto headline_objects(const std::vector<Headline>& headlines) {
  return list_of(headlines, [](const Headline& h) {
    return Object{"metric"_key = h.metric, "value"_key = h.value,
                  "interval"_key = Object{"begin_ns"_key = h.interval.begin_ns,
                                          "end_ns"_key = h.interval.end_ns}};
  });
}

}  // namespace

std::vector<Headline> headlines(const Diagnosis& d) {
  std::vector<Headline> all;
  const TimeShares& s = d.shares;
  if (s.length_ns <= 0) return all;
  const TimeInterval whole{s.begin_ns, s.begin_ns + s.length_ns};
  const auto add = [&](std::string_view metric, double value) {
    all.push_back({metric, value, whole});
  };
  const EfficiencyFactors f = factors(efficiency_inputs(s), EfficiencyVariant::multiplicative);
  add("run_time_ns", static_cast<double>(s.length_ns));
  add("parallel_efficiency", f.parallel);
  add("load_balance", f.load_balance);
  add("communication_efficiency", f.communication);
  add("serialisation_efficiency", f.serialisation);
  add("transfer_efficiency", f.transfer);
  add("wait_time_share", s.share(s.sum_ns.wait));
  add("mpi_share_excluding_waiting", s.share(s.sum_ns.mpi));
  add("ideal_network_run_time_ns", static_cast<double>(s.ideal_ns));
  const PathShares path = path_shares(d.path, whole);
  add("critical_path_computation_share",
      ratio_of(static_cast<double>(path.computation_ns), static_cast<double>(path.length_ns)));
  if (!d.causes.ranks.empty()) {
    add("largest_cause_of_wait_time", d.causes.ranks.front().share);
  }
  const auto phases = std::ranges::count_if(d.monitor.intervals, analysed);
  if (phases < 2) return all;
  for (const FocusInterval& r : d.monitor.intervals) {
    if (!analysed(r)) continue;
    const TimeInterval phase{r.begin_ns, r.end_ns};
    all.push_back({"parallel_efficiency", r.efficiency.useful, phase});
    all.push_back({"load_balance", r.efficiency.load_balance, phase});
    all.push_back({"serialisation_efficiency", r.efficiency.serialisation, phase});
    all.push_back({"transfer_efficiency", r.efficiency.transfer, phase});
  }
  return all;
}

const JsonType& declared_type(const HeadlinesJsonTag*) {
  return json_type_by<headline_objects>();
}

HeadlinesJson to_json(std::vector<Headline> headlines, const Overview& model,
                      const TimeInterval& program) {
  const auto& measured = model.prediction.measured;
  if (!headlines.empty() && measured && measured->makespan_ns > 0) {
    headlines.push_back({"predicted_over_measured_run_time",
                         model.prediction.makespan_ns / static_cast<double>(measured->makespan_ns),
                         program});
  }
  return headline_objects(headlines);
}

}  // namespace slackline
