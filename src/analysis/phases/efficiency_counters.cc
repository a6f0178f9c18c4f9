#include "analysis/phases/efficiency_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "calls/run_span.h"

namespace slackline {
namespace {

struct Curve {
  std::string_view name;
  double WindowEfficiency::*value;
};

constexpr std::array kCurves{Curve{"parallel efficiency", &WindowEfficiency::useful},
                             Curve{"load balance", &WindowEfficiency::load_balance},
                             Curve{"serialisation efficiency", &WindowEfficiency::serialisation},
                             Curve{"transfer efficiency", &WindowEfficiency::transfer}};

}  // namespace

std::vector<TimelineCounter> efficiency_counters(const Trace& trace,
                                                 const EfficiencyCurves& curves) {
  std::vector<TimelineCounter> counters;
  if (curves.windows.empty()) return counters;
  const std::int64_t start = run_span(trace).whole.begin_ns;
  for (const Curve& curve : kCurves) {
    TimelineCounter counter{std::string(curve.name), {}};
    for (std::size_t i = 0; i < curves.windows.size(); ++i) {
      counter.points.emplace_back(start + curves.border_ns[i], curves.windows[i].*curve.value);
    }
    counter.points.emplace_back(start + curves.border_ns.back(), counter.points.back().second);
    counters.push_back(std::move(counter));
  }
  TimelineCounter cumulative{fmt::format("cumulative transfer efficiency of rank {}", curves.rank),
                             {}};
  for (std::size_t i = 0; i < curves.transfer.time_ns.size(); ++i) {
    cumulative.points.emplace_back(start + curves.transfer.time_ns[i],
                                   curves.transfer.cumulative[i]);
  }
  counters.push_back(std::move(cumulative));
  return counters;
}

}  // namespace slackline
