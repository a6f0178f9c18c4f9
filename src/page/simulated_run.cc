#include "page/simulated_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analysis/simulation/simulation_report.h"
#include "base/units.h"
#include "calls/run_span.h"
#include "page/drawn_links.h"
#include "page/run_times.h"
#include "sim/simulation.h"

namespace slackline {
namespace {

constexpr const char* kId = "simulated";
constexpr std::size_t kMostStrips = 4;
constexpr std::size_t kMostLinksDrawn = 2048;
constexpr std::size_t kMostDrawings = 8;

/// Where a link is in a map, if it is there.
struct LinkPlace {
  std::size_t group = 0;
  std::optional<std::size_t> number{};
};

/// Adds the shapes of the platform's clusters, with the links that are in the map.
void add_drawings(const Platform& platform, const std::vector<LinkPlace>& places, LinkMap& map) {
  std::vector<std::size_t> first{0};  // number of each group's links
  for (const LinkMap::Group& group : map.groups) first.push_back(first.back() + group.links.size());
  for (NetworkDrawing& network : network_drawings(platform)) {
    LinkMap::Drawing drawing;
    drawing.network = std::move(network);
    for (const NetworkDrawing::Line& line : drawing.network.lines) {
      auto& links = drawing.links.emplace_back();
      for (const LinkId link : line.links) {
        if (places[link].number) links.push_back(first[places[link].group] + *places[link].number);
      }
    }
    if (std::ranges::all_of(drawing.links, [](const auto& links) { return links.empty(); })) {
      continue;
    }
    if (map.drawings.size() < kMostDrawings) {
      map.drawings.push_back(std::move(drawing));
    } else {
      ++map.undrawn;
    }
  }
}

/// Groups in the order of their first link.
LinkMap link_map(const SimulatedRun& run) {
  const LinkUsage& used = *run.simulation.links;
  std::vector<bool> drawn(run.platform.link_count());
  for (const LinkId link : most_contended_links(run.simulation, run.platform, kMostLinksDrawn)) {
    drawn[link] = true;
  }
  LinkMap map;
  std::map<std::string, std::size_t> places;
  std::vector<LinkPlace> links(run.platform.link_count());
  for (LinkId link = 0; link < run.platform.link_count(); ++link) {
    const std::string& name = run.platform.group_of(link).name;
    const auto [place, is_new] = places.try_emplace(name, map.groups.size());
    if (is_new) map.groups.push_back({.name = name});
    LinkMap::Group& group = map.groups[place->second];
    if (used.bytes(link) <= 0) {
      ++group.unused;
    } else if (!drawn[link]) {
      ++group.left_out;
    } else {
      const std::vector<double> use = link_use_over_time(run.simulation, run.platform, link);
      const double mean =
          used.bytes(link) / (run.platform.link(link).bandwidth * run.simulation.makespan);
      const double peak = use.empty() ? mean : std::ranges::max(use);
      links[link] = {place->second, group.links.size()};
      group.links.push_back(
          {run.platform.link_name(link), mean, peak, ns_of_seconds(used.lost_seconds(link))});
    }
  }
  add_drawings(run.platform, links, map);
  return map;
}

}  // namespace

std::vector<LinkId> most_contended(const SimulatedRun& run) {
  if (run.simulation.links == nullptr) return {};
  return most_contended_links(run.simulation, run.platform, run.links_shown);
}

SimulatedRow::SimulatedRow(const Trace& trace, const CallMatching& matching,
                           const SimulatedRun& run)
    : name_("simulated on " + run.machine),
      timed_(simulated_trace(trace, run.simulation)),
      paths_(timed_),
      waits_(wait_states(timed_, matching)),
      path_(critical_path(timed_, matching, paths_, {})) {}

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
  for (const LinkId link : most_contended(run)) {
    if (strips.size() == kMostStrips) break;
    std::vector<double> use = link_use_over_time(run.simulation, run.platform, link);
    if (use.empty()) continue;
    const double lost_ns = ns_of_seconds(run.simulation.links->lost_seconds(link));
    strips.push_back({.name = "link " + run.platform.link_name(link),
                      .from_ns = static_cast<double>(offset_ns),
                      .width_ns = ns_of_seconds(run.simulation.links->stretch_seconds()),
                      .values = std::move(use),
                      .explanation = fmt::format(
                          "share of the link's bandwidth ({}/s) used by messages in the simulated "
                          "run; contention delay {}",
                          format_bytes(run.platform.link(link).bandwidth), format_time_ns(lost_ns)),
                      .run = kId});
  }
  return strips;
}

void add_link_map(std::vector<Section>& sections, const SimulatedRun& run) {
  if (run.simulation.links == nullptr || run.simulation.makespan <= 0) return;
  for (Section& section : sections) {
    if (section.id == "links") {
      section.items.emplace(section.items.begin(), std::make_shared<const LinkMap>(link_map(run)));
      return;
    }
    add_link_map(section.children, run);
  }
}

Section simulated_timeline(const Trace& trace, const CallMatching& matching,
                           const SimulatedRun& run) {
  const CallPaths paths(trace);
  const SimulatedRow row(trace, matching, run);
  const std::int64_t offset_ns = trace.timed() ? run_span(trace).lead_ns() : 0;
  std::vector<TimelineRun> runs;
  WaitStates waits;
  if (trace.timed()) {
    waits = wait_states(trace, matching);
    runs.push_back({"measured", "measured", measured_times(trace), {}, &waits});
  }
  runs.push_back(row.drawn(offset_ns));
  Timeline drawn = timeline({trace, paths, matching}, runs);
  drawn.strips = link_strips(run, offset_ns);
  Section section{.id = "timeline", .title = "Timeline"};
  section.items.emplace_back(std::make_shared<const Timeline>(std::move(drawn)));
  return section;
}

}  // namespace slackline
