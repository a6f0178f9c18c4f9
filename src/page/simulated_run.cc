#include "page/simulated_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/simulation/simulation_report.h"
#include "base/units.h"
#include "page/run_times.h"
#include "sim/simulated_trace.h"

namespace slackline {
namespace {

constexpr const char* kId = "simulated";
constexpr std::size_t kMostStrips = 4;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Tables and sections of a simulation beside those of other runs: ids of their own.
void name_apart(Section& section) {
  section.id = std::string(kId) + "-" + section.id;
  for (Item& item : section.items) {
    if (auto* table = std::get_if<Table>(&item)) table->id = std::string(kId) + "-" + table->id;
  }
}

std::string length_sentence(const SimulatedRun& run, const Prediction& prediction) {
  const double simulated_ns = ns_of_seconds(run.simulation.makespan);
  std::string sentence =
      fmt::format("On {} the run takes {}", run.machine, format_time_ns(simulated_ns));
  if (prediction.measured && prediction.measured->makespan_ns > 0) {
    const auto measured_ns = static_cast<double>(prediction.measured->makespan_ns);
    sentence += fmt::format(", {:+.1f} % against the {} that were measured",
                            100 * (simulated_ns / measured_ns - 1), format_time_ns(measured_ns));
  }
  return sentence +
         fmt::format("; the model below, with its own L and G and without contention, gives {}.",
                     format_time_ns(prediction.makespan_ns));
}

/// What contention costs, and where.
std::string contention_sentence(const SimulatedRun& run, const std::vector<LinkId>& links) {
  const Contention& c = run.simulation.contention;
  if (c.slowed == 0) return "No message was slowed down by others.";
  std::string sentence = fmt::format(
      "{} of {} messages were slowed down by others on their way, at worst {:.3g} times; all "
      "together they took {:.3g} times as long as each alone",
      format_percent(share(c.slowed, c.messages)), format_count(c.messages), c.worst_ratio,
      c.alone_seconds > 0 ? c.actual_seconds / c.alone_seconds : 1.0);
  if (links.empty() || run.simulation.links->lost_seconds(links.front()) <= 0) {
    return sentence + ".";
  }
  const LinkId worst = links.front();
  return sentence +
         fmt::format("; most was lost at the link {}: {} of messages' time.",
                     run.platform.link_name(worst),
                     format_time_ns(ns_of_seconds(run.simulation.links->lost_seconds(worst))));
}

std::vector<LinkId> shown_links(const SimulatedRun& run) {
  if (run.simulation.links == nullptr) return {};
  return most_contended_links(run.simulation, run.platform, run.links_shown);
}

}  // namespace

SimulatedRow::SimulatedRow(const Trace& trace, const CallMatching& matching,
                           const SimulatedRun& run)
    : name_("simulated on " + run.machine),
      timed_(simulated_trace(trace, run.simulation)),
      paths_(timed_),
      waits_(wait_states(timed_, matching)),
      path_(measured_path(timed_, matching, paths_, {})) {}

TimelineRun SimulatedRow::drawn(std::int64_t offset_ns) const {
  std::vector<PathPiece> pieces = path_pieces(path_);
  for (PathPiece& piece : pieces) {
    piece.begin_ns += offset_ns;
    piece.end_ns += offset_ns;
  }
  return {kId, name_, timed_run(timed_, offset_ns), std::move(pieces), &waits_};
}

std::vector<Timeline::Strip> link_strips(const SimulatedRun& run, std::int64_t offset_ns) {
  std::vector<Timeline::Strip> strips;
  for (const LinkId link : shown_links(run)) {
    if (strips.size() == kMostStrips) break;
    std::vector<double> use = link_use_over_time(run.simulation, run.platform, link);
    if (use.empty()) continue;
    const double lost_ns = ns_of_seconds(run.simulation.links->lost_seconds(link));
    strips.push_back({.name = "link " + run.platform.link_name(link),
                      .from_ns = static_cast<double>(offset_ns),
                      .width_ns = ns_of_seconds(run.simulation.links->stretch_seconds()),
                      .values = std::move(use),
                      .explanation = fmt::format(
                          "share of the link's bandwidth ({}/s) that messages use in the "
                          "simulated run; {} of their time was lost here",
                          format_bytes(run.platform.link(link).bandwidth), format_time_ns(lost_ns)),
                      .run = kId});
  }
  return strips;
}

Report simulation_report(const SimulatedRun& run, const Trace& trace,
                         const Prediction& prediction) {
  Report details = describe(run.simulation, trace, run.platform, run.links_shown);
  Section section{.id = "simulation", .title = "Simulated with contention"};
  section.items.emplace_back(Paragraph{length_sentence(run, prediction)});
  section.items.emplace_back(Paragraph{contention_sentence(run, shown_links(run))});
  std::vector<Section>& parts = details.sections;
  std::ranges::move(parts.front().items, std::back_inserter(section.items));
  parts.erase(parts.begin());
  // Where messages lose time comes first.
  std::ranges::stable_partition(parts, [](const Section& part) { return part.id == "links"; });
  for (Section& part : parts) {
    name_apart(part);
    section.children.push_back(std::move(part));
  }
  Report report;
  report.result["simulation"] = std::move(details.result);
  report.sections.push_back(std::move(section));
  return report;
}

Section simulated_timeline(const Trace& trace, const SimulatedRun& run) {
  const CallMatching matching(trace);
  const CallPaths paths(trace);
  const SimulatedRow row(trace, matching, run);
  const std::int64_t offset_ns = trace.timed() ? program_offset_ns(trace) : 0;
  std::vector<TimelineRun> runs;
  WaitStates waits;
  if (trace.timed()) {
    waits = wait_states(trace, matching);
    runs.push_back({"measured", "measured", measured_times(trace), {}, &waits});
  }
  runs.push_back(row.drawn(offset_ns));
  Timeline drawn = timeline({trace, paths, matching}, runs);
  drawn.strips = link_strips(run, offset_ns);
  Section section{.id = "timeline", .title = "Time line"};
  section.items.emplace_back(std::move(drawn));
  return section;
}

}  // namespace slackline
