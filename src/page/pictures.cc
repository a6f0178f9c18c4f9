#include "page/pictures.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/units.h"
#include "page/timeline.h"

namespace slackline {
namespace {

std::string explanation(const FocusRegion& region) {
  std::string text = "parallel efficiency " + format_percent(region.efficiency.useful);
  if (region.main_pattern) {
    text += "; most waiting: " + std::string(name(*region.main_pattern));
  }
  if (region.path_rank >= 0) {
    text += "; the critical path is on rank " + std::to_string(region.path_rank) + " for " +
            format_percent(region.path_share);
  }
  return text;
}

std::vector<Timeline::Phase> phases_of(const Monitor& monitor) {
  std::vector<Timeline::Phase> phases;
  for (const FocusRegion& r : monitor.regions) {
    phases.push_back({static_cast<double>(r.begin_ns), static_cast<double>(r.end_ns),
                      "phase " + std::to_string(r.phase + 1), std::string(to_string(r.kind)),
                      static_cast<std::int64_t>(r.phase), explanation(r)});
  }
  return phases;
}

std::vector<Timeline::Strip> strips_of(const Monitor& m) {
  if (m.border_ns.size() < 2) return {};
  const auto from = static_cast<double>(m.border_ns.front());
  const double width = (static_cast<double>(m.border_ns.back()) - from) /
                       static_cast<double>(m.border_ns.size() - 1);
  const auto strip = [&](std::string name, double WindowEfficiency::*part, std::string text) {
    Timeline::Strip s{std::move(name), from, width, {}, std::move(text), "measured"};
    for (const WindowEfficiency& w : m.windows) s.values.push_back(w.*part);
    return s;
  };
  return {strip("parallel efficiency", &WindowEfficiency::useful,
                "mean share of the time that ranks compute"),
          strip("load balance", &WindowEfficiency::load_balance,
                "computation of the mean rank over that of the busiest"),
          strip("serialisation", &WindowEfficiency::serialisation,
                "computation of the busiest rank over the time on an ideal network: what ranks "
                "lose by waiting for each other in turn"),
          strip("transfer", &WindowEfficiency::transfer,
                "time on an ideal network over the time it took: what messages cost")};
}

TimelineRun predicted_run(const PictureInput& input, std::int64_t offset_ns) {
  const Schedule schedule = model_schedule(input.graph, picosecond_cost(input.graph, input.choice));
  return {"predicted", "predicted by the model",
          scheduled_times(input.trace, input.graph, schedule, offset_ns),
          path_pieces(input.prediction.path, offset_ns)};
}

}  // namespace

Section timeline_section(const PictureInput& input) {
  const Trace& trace = input.trace;
  const bool measured = input.measured && trace.call_count() > 0;
  std::vector<TimelineRun> runs;
  if (measured) {
    runs.push_back({"measured", "measured", measured_times(trace),
                    path_pieces(input.measured->path), &input.measured->waits});
  }
  const std::int64_t offset_ns = measured ? program_offset_ns(trace) : 0;
  runs.push_back(predicted_run(input, offset_ns));
  std::optional<SimulatedRow> simulated;
  if (input.simulated != nullptr) {
    simulated.emplace(trace, input.matching, *input.simulated);
    runs.push_back(simulated->drawn(offset_ns));
  }
  Timeline drawn = timeline({trace, input.paths, input.matching}, runs);
  if (measured) {
    drawn.phases = phases_of(input.measured->monitor);
    drawn.strips = strips_of(input.measured->monitor);
  }
  if (input.simulated != nullptr) {
    std::ranges::move(link_strips(*input.simulated, offset_ns), std::back_inserter(drawn.strips));
  }
  Section section{.id = "timeline", .title = "Time line"};
  section.items.emplace_back(std::move(drawn));
  return section;
}

}  // namespace slackline
