#include <utility>

#include "report/report_json.h"
#include "report/writers.h"

// The JSON form. The head (schema ... result) is for scripts and part of the interface; "sections"
// mirrors the tree of report.h field by field and is what the web page reads
// (web/src/common/report.ts). nlohmann-json writes not-a-number and infinities as null by itself.

namespace slackline {

std::string_view name_of(Unit unit) {
  switch (unit) {
    case Unit::none:
      break;
    case Unit::count:
      return "count";
    case Unit::ns:
      return "ns";
    case Unit::bytes:
      return "bytes";
    case Unit::ratio:
      return "ratio";
    case Unit::points:
      return "points";
  }
  return "none";
}

namespace {

JsonTree json_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return nullptr;
}

JsonTree json_of(const Fact& fact);
JsonTree json_of(const Column& column);
JsonTree json_of(const Line& line);
JsonTree json_of(const Zone& zone);
JsonTree json_of(const Findings::Entry& entry);

template <class Element>
JsonTree json_of(const std::vector<Element>& elements) {
  JsonTree array = JsonTree::array();
  for (const Element& element : elements) array.push_back(json_of(element));
  return array;
}

JsonTree json_of(const Fact& fact) {
  return {{"label", fact.label},
          {"value", json_of(fact.value)},
          {"unit", name_of(fact.unit)},
          {"explanation", fact.explanation}};
}

JsonTree json_of(const Column& column) {
  return {
      {"name", column.name}, {"unit", name_of(column.unit)}, {"explanation", column.explanation}};
}

JsonTree json_of(const Line& line) {
  JsonTree json = {{"name", line.name},
                   {"unit", name_of(line.unit)},
                   {"steps", line.steps},
                   {"panel", line.panel},
                   {"y", line.y}};
  if (line.points) json["points"] = true;
  return json;
}

JsonTree json_of(const Zone& zone) {
  return {{"name", zone.name}, {"from", zone.from}, {"to", zone.to}};
}

JsonTree json_of(const Paragraph& paragraph) {
  return {{"kind", "paragraph"}, {"text", paragraph.text}};
}

JsonTree json_of(const Facts& facts) {
  return {{"kind", "facts"}, {"facts", json_of(facts.facts)}};
}

JsonTree json_of(const Table& table) {
  JsonTree rows = JsonTree::array();
  for (const auto& row : table.rows) rows.push_back(json_of(row));
  return {{"kind", "table"},
          {"id", table.id},
          {"title", table.title},
          {"columns", json_of(table.columns)},
          {"rows", std::move(rows)}};
}

JsonTree json_of(const Series& series) {
  JsonTree json = {{"kind", "series"},
                   {"id", series.id},
                   {"title", series.title},
                   {"x_name", series.x_name},
                   {"x_unit", name_of(series.x_unit)},
                   {"x", series.x},
                   {"lines", json_of(series.lines)},
                   {"zones", json_of(series.zones)}};
  if (series.now) json["now"] = *series.now;
  return json;
}

JsonTree json_of(const Item& item, BlobList& blobs) {
  if (const auto* picture = std::get_if<PicturePtr>(&item)) {
    return json_tree((*picture)->json(blobs));
  }
  return std::visit(
      [](const auto& alternative) -> JsonTree {
        if constexpr (requires { json_of(alternative); }) return json_of(alternative);
        return nullptr;  // not reached
      },
      item);
}

JsonTree json_of(const std::vector<Section>& sections, BlobList& blobs) {
  JsonTree array = JsonTree::array();
  for (const Section& section : sections) {
    JsonTree items = JsonTree::array();
    for (const Item& item : section.items) items.push_back(json_of(item, blobs));
    array.push_back({{"id", section.id},
                     {"title", section.title},
                     {"items", std::move(items)},
                     {"children", json_of(section.children, blobs)}});
  }
  return array;
}

JsonTree json_of(const Findings::Entry& entry) {
  return {{"name", entry.name},
          {"severity", std::string(to_string(entry.severity))},
          {"count", entry.count},
          {"sentence", entry.sentence},
          {"examples", entry.examples}};
}

}  // namespace

JsonTree report_json(const Report& report, bool with_sections, BlobList& blobs) {
  JsonTree json;
  json["schema"] = kReportSchema;
  json["version"] = SLACKLINE_VERSION;
  json["command"] = report.command;
  json["title"] = report.title;
  json["options"] = json_tree(report.options);
  json["input"] = json_tree(report.input);
  json["findings"] = json_of(report.findings.entries());
  json["result"] = json_tree(report.result);
  if (with_sections) json["sections"] = json_of(report.sections, blobs);
  return json;
}

std::string write_json_line(const Report& report) {
  BlobList blobs;
  return dumped(report_json(report, false, blobs), -1) + "\n";
}

std::string write_json(const Report& report, bool with_sections) {
  BlobList blobs;
  return dumped(report_json(report, with_sections, blobs), 2) + "\n";
}

}  // namespace slackline
