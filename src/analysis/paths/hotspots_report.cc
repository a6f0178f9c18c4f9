#include <fmt/format.h>

#include <string>
#include <utility>

#include "analysis/paths/hotspots.h"
#include "analysis/paths/path_functions.h"
#include "base/arithmetic.h"

namespace slackline {
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

auto hotspot_object(const Hotspot& s, const Hotspots& all, const CallTree& tree) {
  return Object{hotspot_place_object(s, tree, all.unit),
                "critical_path_ns"_key = s.path.exclusive_ns,
                "critical_path_share"_key = ratio_of(static_cast<double>(s.path.exclusive_ns),
                                                     static_cast<double>(all.path_ns)),
                "critical_path_inclusive_ns"_key = s.path.inclusive_ns,
                "computation_ns"_key = s.computation.exclusive_ns,
                "computation_inclusive_ns"_key = s.computation.inclusive_ns,
                "mpi_ns"_key = s.mpi.exclusive_ns,
                "mpi_inclusive_ns"_key = s.mpi.inclusive_ns,
                "busiest_rank"_key = known_if(s.busiest_ns > 0, s.busiest),
                "busiest_rank_ns"_key = s.busiest_ns,
                "mean_rank_ns"_key = s.mean_ns};
}

auto hotspots_object(const Hotspots& h, const CallTree& tree) {
  return Object{"by"_key = to_string(h.unit),
                "source"_key = name_of(h.source),
                "sampled"_key = h.source == CodeSource::samples,
                "critical_path_ns"_key = h.path_ns,
                "computation_ns"_key = h.computation_ns,
                "mpi_ns"_key = h.mpi_ns,
                "hotspots"_key =
                    list_of(h.spots, [&](const Hotspot& s) { return hotspot_object(s, h, tree); })};
}

Table table_of(const Hotspots& h, const CallTree& tree, std::size_t rows) {
  std::string unit = h.unit == CodeUnit::call_path ? "call path" : std::string(to_string(h.unit));
  if (h.unit == CodeUnit::function && h.source == CodeSource::regions) unit = "region";
  Table table{
      "hotspots",
      "Code by its time on the critical path",
      {{unit},
       {"on critical path", Unit::ns, "in it alone: computation, and MPI calls made there"},
       {"of it", Unit::ratio},
       {"on path, inclusive", Unit::ns, "on the critical path, with all that is called from it"},
       {"computation", Unit::ns, "in it alone, all ranks"},
       {"computation, inclusive", Unit::ns, "with all that is called from it, all ranks"},
       {"MPI", Unit::ns, "calls made in it, waiting included, all ranks"},
       {"max / mean", Unit::none, "computation of the rank with most of it, over the mean"},
       {"max on rank"}},
      {}};
  for (const Hotspot& s : h.spots) {
    if (table.rows.size() == rows) break;
    std::vector<Value> row{
        name_of(s, tree, h),
        s.path.exclusive_ns,
        ratio_of(static_cast<double>(s.path.exclusive_ns), static_cast<double>(h.path_ns)),
        s.path.inclusive_ns,
        s.computation.exclusive_ns,
        s.computation.inclusive_ns,
        s.mpi.exclusive_ns};
    row.resize(table.columns.size());
    if (s.busiest_ns > 0 && s.mean_ns > 0) {
      row[7] = fmt::format("{:.2f}", static_cast<double>(s.busiest_ns) / s.mean_ns);
      row[8] = std::int64_t{s.busiest};
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

const JsonType& declared_type(const HotspotsJsonTag*) {
  return json_type_by<hotspots_object>();
}

Described<HotspotsJson> describe(const Hotspots& hotspots, const CallTree& tree, std::size_t rows) {
  Described<HotspotsJson> report{hotspots_object(hotspots, tree)};
  Section section{.id = "hotspots", .title = "Hot spots"};
  section.items.emplace_back(Paragraph{std::string(explanation_of(hotspots.source))});
  section.items.emplace_back(table_of(hotspots, tree, rows));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
