#include "oracle/all_paths.h"

#include <algorithm>
#include <set>

namespace slackline::oracle {
namespace {

Line cost_line(const Cost& cost, const LogGPS& model, Parameter parameter) {
  LogGPS fixed = model;
  if (parameter == Parameter::latency) fixed.latency_fs = 0;
  if (parameter == Parameter::overhead) fixed.overhead_fs = 0;
  if (parameter == Parameter::gap_per_byte) fixed.gap_per_byte_fs = 0;
  return {cost.at(fixed), cost.multiples(parameter)};
}

Wide scaled_value(const Line& line, const Stretch& at) {
  return line.intercept * at.begin_denominator + line.slope * at.begin_numerator;
}

}  // namespace

std::optional<std::vector<Line>> all_paths(const TimeSystem& system, const LogGPS& model,
                                           Parameter parameter, std::size_t limit) {
  std::vector<std::set<Line>> lines;
  const auto add = [&](std::set<Line>& to, const TimeSystem::Term& term) {
    const Line step = cost_line(term.cost, model, parameter);
    for (const Line& line : lines[term.from]) {
      to.insert({line.intercept + step.intercept, line.slope + step.slope});
    }
  };
  for (const auto& terms : system.points) {
    std::set<Line> mine;
    if (terms.empty()) mine.insert(Line{});
    for (const auto& term : terms) add(mine, term);
    if (mine.size() > limit) return std::nullopt;
    lines.push_back(std::move(mine));
  }
  std::set<Line> ends;
  for (const auto& end : system.ends) add(ends, end);
  return std::vector<Line>(ends.begin(), ends.end());
}

std::vector<Stretch> upper_envelope(const std::vector<Line>& lines, Wide to_fs) {
  std::vector<Stretch> result;
  Stretch now;
  // The highest line at 0, the steepest of equals; then of all steeper ones the one met first.
  now.line = *std::ranges::max_element(lines);
  for (;;) {
    result.push_back(now);
    std::optional<Stretch> next;
    for (const Line& line : lines) {
      if (line.slope <= now.line.slope) continue;
      const Stretch met{now.line.intercept - line.intercept, line.slope - now.line.slope, line};
      if (!next) {
        next = met;
        continue;
      }
      const Wide mine = met.begin_numerator * next->begin_denominator;
      const Wide best = next->begin_numerator * met.begin_denominator;
      const bool steeper = line.slope > next->line.slope;
      if (mine < best || (mine == best && steeper)) next = met;
    }
    if (!next || next->begin_numerator >= to_fs * next->begin_denominator) return result;
    if (scaled_value(next->line, *next) != scaled_value(now.line, *next)) return {};
    now = *next;
  }
}

}  // namespace slackline::oracle
