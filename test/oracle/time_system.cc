#include "oracle/time_system.h"

#include <algorithm>

namespace slackline::oracle {

Wide Cost::at(const LogGPS& model) const {
  constexpr Wide kFemtos = 1'000'000;
  return ns * kFemtos + Wide{latency} * model.latency_fs + Wide{overhead} * model.overhead_fs +
         Wide{bytes} * model.gap_per_byte_fs;
}

std::int64_t Cost::multiples(Parameter parameter) const {
  if (parameter == Parameter::latency) return latency;
  return parameter == Parameter::overhead ? overhead : bytes;
}

TimeSystem::Point TimeSystem::zero() {
  return maximum({});
}

TimeSystem::Point TimeSystem::maximum(std::vector<Term> terms) {
  points.push_back(std::move(terms));
  return static_cast<Point>(points.size() - 1);
}

std::vector<Wide> evaluate(const TimeSystem& system, const LogGPS& model) {
  std::vector<Wide> value;
  for (const auto& terms : system.points) {
    Wide latest = 0;
    for (const auto& t : terms) latest = std::max(latest, value[t.from] + t.cost.at(model));
    value.push_back(latest);
  }
  return value;
}

std::vector<Wide> end_times(const TimeSystem& system, const LogGPS& model) {
  const std::vector<Wide> value = evaluate(system, model);
  std::vector<Wide> ends;
  for (const auto& end : system.ends) ends.push_back(value[end.from] + end.cost.at(model));
  return ends;
}

Wide makespan(const TimeSystem& system, const LogGPS& model) {
  const std::vector<Wide> ends = end_times(system, model);
  return ends.empty() ? Wide{0} : *std::ranges::max_element(ends);
}

}  // namespace slackline::oracle
