#include <fmt/format.h>

#include <string>
#include <utility>

#include "analysis/paths/hotspots.h"
#include "analysis/paths/path_functions.h"
#include "base/ratio.h"

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
      return "The recording has no samples: computation is given to the function that the MPI "
             "calls before and after it have in common. 'slackline record --sample' tells where "
             "it is.";
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
Json location_to_json(const Hotspot& spot, const CallTree& tree, CodeUnit unit) {
  Json json = Json::object();
  if (unit == CodeUnit::module) {
    add_location(json, tree, 0);
  } else {
    add_location(json, tree, spot.frame);
  }
  const std::string module = spot.frame == 0 ? std::string() : tree.location(spot.frame).module;
  json["module"] = module.empty() ? Json(nullptr) : Json(module);
  if (unit == CodeUnit::call_path) {
    Json path = Json::array();
    for (const FrameId f : tree.path_to(spot.frame)) path.push_back(tree.location(f).function);
    json["call_path"] = spot.frame == 0 ? Json(nullptr) : path;
  }
  return json;
}

Json to_json(const Hotspots& h, const CallTree& tree) {
  Json spots = Json::array();
  for (const Hotspot& s : h.spots) {
    Json one = location_to_json(s, tree, h.unit);
    one["critical_path_ns"] = s.path.exclusive_ns;
    one["critical_path_share"] =
        ratio_of(static_cast<double>(s.path.exclusive_ns), static_cast<double>(h.path_ns));
    one["critical_path_inclusive_ns"] = s.path.inclusive_ns;
    one["computation_ns"] = s.computation.exclusive_ns;
    one["computation_inclusive_ns"] = s.computation.inclusive_ns;
    one["mpi_ns"] = s.mpi.exclusive_ns;
    one["mpi_inclusive_ns"] = s.mpi.inclusive_ns;
    one["busiest_rank"] = s.busiest_ns > 0 ? Json(s.busiest) : Json(nullptr);
    one["busiest_rank_ns"] = s.busiest_ns;
    one["mean_rank_ns"] = s.mean_ns;
    spots.push_back(std::move(one));
  }
  return {{"by", to_string(h.unit)},
          {"source", name_of(h.source)},
          {"sampled", h.source == CodeSource::samples},
          {"critical_path_ns", h.path_ns},
          {"computation_ns", h.computation_ns},
          {"mpi_ns", h.mpi_ns},
          {"hotspots", std::move(spots)}};
}

Table table_of(const Hotspots& h, const CallTree& tree, std::size_t rows) {
  std::string unit = h.unit == CodeUnit::call_path ? "call path" : std::string(to_string(h.unit));
  if (h.unit == CodeUnit::function && h.source == CodeSource::regions) unit = "region";
  Table table{"hotspots",
              "Code by its time on the critical path",
              {{unit},
               {"on critical path", Unit::ns, "in it alone: computation, and MPI calls made there"},
               {"of it", Unit::ratio},
               {"inclusive", Unit::ns, "on the critical path, with all that is called from it"},
               {"computation", Unit::ns, "in it alone, all ranks"},
               {"inclusive", Unit::ns, "with all that is called from it, all ranks"},
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

Report describe(const Hotspots& hotspots, const CallTree& tree, std::size_t rows) {
  Report report;
  report.result = to_json(hotspots, tree);
  Section section{.id = "hotspots", .title = "Hot spots"};
  section.items.emplace_back(Paragraph{std::string(explanation_of(hotspots.source))});
  section.items.emplace_back(table_of(hotspots, tree, rows));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
