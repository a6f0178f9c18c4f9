#include "diagnosis/efficiency_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

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

/// Where the monitor's times count from.
std::int64_t run_start(const Trace& trace) {
  std::int64_t start = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (!trace.calls(r).empty()) start = std::min(start, trace.calls(r).start_ns());
  }
  return start;
}

}  // namespace

std::vector<TimelineCounter> efficiency_counters(const Trace& trace, const Monitor& monitor) {
  std::vector<TimelineCounter> counters;
  if (monitor.windows.empty()) return counters;
  const std::int64_t start = run_start(trace);
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
