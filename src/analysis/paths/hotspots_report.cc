#include <fmt/format.h>

#include <string>
#include <utility>

#include "analysis/paths/hotspots.h"
#include "analysis/paths/path_functions.h"
#include "base/arithmetic.h"

namespace slackline {

struct HotspotsOf {
  const Hotspots& all;
  const CallTree& tree;
};

namespace {

constexpr std::string_view kUnknown = "(not known)";
constexpr std::string_view kOutside = "(outside of regions)";

std::string_view name_of(CodeSource source) {
  switch (source) {
    case CodeSource::regions:
      return "regions";
    case CodeSource::call_paths:
      return "call paths";
    case CodeSource::samples:
      break;
  }
  return "samples";
}

std::string_view explanation_of(CodeSource source) {
  switch (source) {
    case CodeSource::regions:
      return "The trace has no call paths: time is given to the regions that the program has "
             "marked. 'slackline record' tells functions and lines.";
    case CodeSource::call_paths:
      return "There are no samples of computation: it is given to the function that the MPI calls "
             "before and after it have in common. A longer recording, or 'slackline record "
             "--sample=1000Hz', tells where it is.";
    case CodeSource::samples:
      break;
  }
  return "Computation is where samples of CPU time found it.";
}

std::string functions_of(const CallTree& tree, FrameId frame) {
  std::string all;
  for (const FrameId f : tree.path_to(frame)) {
    all += (all.empty() ? "" : "/") + tree.location(f).function;
  }
  return all;
}

std::string name_of(const Hotspot& spot, const CallTree& tree, const Hotspots& h) {
  if (spot.frame == 0) {
    return std::string(h.source == CodeSource::regions ? kOutside : kUnknown);
  }
  const CodeLocation& at = tree.location(spot.frame);
  switch (h.unit) {
    case CodeUnit::module:
      return at.module.empty() ? std::string(kUnknown) : file_name(at.module);
    case CodeUnit::call_path:
      return functions_of(tree, spot.frame);
    default:
      return describe_frame(tree, spot.frame);
  }
}

/// What a hot spot is, as far as its unit tells; the rest is null.
auto hotspot_place_object(const Hotspot& spot, const CallTree& tree, CodeUnit unit) {
  const std::string module = spot.frame == 0 ? std::string() : tree.location(spot.frame).module;
  return Object{location_to_json(tree, unit == CodeUnit::module ? 0 : spot.frame),
                "module"_key = known_text(module),
                "call_path"_key.when(unit == CodeUnit::call_path, functions_to(tree, spot.frame))};
}

/// Empty where the computation of no rank is known.
std::optional<std::string> max_over_mean(const Hotspot& s) {
  if (s.busiest_ns <= 0 || s.mean_ns <= 0) return std::nullopt;
  return fmt::format("{:.2f}", static_cast<double>(s.busiest_ns) / s.mean_ns);
}

const Rows<Hotspot, HotspotsOf> kSpots{
    "hotspots",
    "Code by its time on the critical path",
    {{kSpliced, [](auto& s, auto& of) { return hotspot_place_object(s, of.tree, of.all.unit); }},
     {kShown, "", Unit::none, [](auto& s, auto& of) { return name_of(s, of.tree, of.all); }},
     {"critical_path_ns", "on critical path", Unit::ns, [](auto& s) { return s.path.exclusive_ns; },
      "in it alone: computation, and MPI calls made there"},
     {"critical_path_share", "of it", Unit::ratio,
      [](auto& s, auto& of) {
        return ratio_of(static_cast<double>(s.path.exclusive_ns),
                        static_cast<double>(of.all.path_ns));
      }},
     {"critical_path_inclusive_ns", "on path, inclusive", Unit::ns,
      [](auto& s) { return s.path.inclusive_ns; },
      "on the critical path, with all that is called from it"},
     {"computation_ns", "computation", Unit::ns, [](auto& s) { return s.computation.exclusive_ns; },
      "in it alone, all ranks"},
     {"computation_inclusive_ns", "computation, inclusive", Unit::ns,
      [](auto& s) { return s.computation.inclusive_ns; },
      "with all that is called from it, all ranks"},
     {"mpi_ns", "MPI", Unit::ns, [](auto& s) { return s.mpi.exclusive_ns; },
      "calls made in it, waiting included, all ranks"},
     {"mpi_inclusive_ns", [](auto& s) { return s.mpi.inclusive_ns; }},
     {kShown, "max / mean", Unit::none, max_over_mean,
      "computation of the rank with most of it, over the mean"},
     {kShown, "max on rank", Unit::none,
      [](auto& s) { return known_if(s.busiest_ns > 0 && s.mean_ns > 0, s.busiest); }},
     {"busiest_rank", [](auto& s) { return known_if(s.busiest_ns > 0, s.busiest); }},
     {"busiest_rank_ns", &Hotspot::busiest_ns},
     {"mean_rank_ns", &Hotspot::mean_ns}}};

Table table_of(const Hotspots& h, const CallTree& tree, std::size_t rows) {
  Table table = kSpots.table(h.spots, HotspotsOf{h, tree}, rows);
  const bool regions = h.unit == CodeUnit::function && h.source == CodeSource::regions;
  column_named(table, "").name = regions                         ? "region"
                                 : h.unit == CodeUnit::call_path ? "call path"
                                                                 : to_string(h.unit);
  return table;
}

}  // namespace

const Rows<Hotspots, HotspotsOf> kHotspots{
    {"by", [](auto& h) { return to_string(h.unit); }},
    {"source", [](auto& h) { return name_of(h.source); }},
    {"sampled", [](auto& h) { return h.source == CodeSource::samples; }},
    {"critical_path_ns", &Hotspots::path_ns},
    {"computation_ns", &Hotspots::computation_ns},
    {"mpi_ns", &Hotspots::mpi_ns},
    {"hotspots", &Hotspots::spots, kSpots}};

Described<HotspotsJson> describe(const Hotspots& hotspots, const CallTree& tree, std::size_t rows) {
  Described<HotspotsJson> report{HotspotsJson(hotspots, HotspotsOf{hotspots, tree})};
  Section section{.id = "hotspots", .title = "Hot spots"};
  section.items.emplace_back(Paragraph{std::string(explanation_of(hotspots.source))});
  section.items.emplace_back(table_of(hotspots, tree, rows));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
