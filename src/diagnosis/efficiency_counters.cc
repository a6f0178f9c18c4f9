#include "diagnosis/efficiency_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "diagnosis/run_span.h"

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

std::vector<TimelineCounter> efficiency_counters(const Trace& trace, const Monitor& monitor) {
  std::vector<TimelineCounter> counters;
  if (monitor.windows.empty()) return counters;
  const std::int64_t start = run_span(trace).begin_ns;
  for (const Curve& curve : kCurves) {
    TimelineCounter counter{std::string(curve.name), {}};
    for (std::size_t i = 0; i < monitor.windows.size(); ++i) {
      counter.points.emplace_back(start + monitor.border_ns[i], monitor.windows[i].*curve.value);
    }
    counter.points.emplace_back(start + monitor.border_ns.back(), counter.points.back().second);
    counters.push_back(std::move(counter));
  }
  TimelineCounter cumulative{fmt::format("cumulative transfer efficiency of rank {}", monitor.rank),
                             {}};
  const std::int64_t own_start = trace.calls(monitor.rank).start_ns();
  for (std::size_t i = 0; i < monitor.transfer.time_ns.size(); ++i) {
    cumulative.points.emplace_back(own_start + monitor.transfer.time_ns[i],
                                   monitor.transfer.cumulative[i]);
  }
  counters.push_back(std::move(cumulative));
  return counters;
}

}  // namespace slackline
