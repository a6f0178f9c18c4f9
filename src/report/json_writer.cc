#include <utility>

#include "report/report_json.h"
#include "report/writers.h"

// The JSON form. The head (schema ... result) is for scripts and part of the interface; "sections"
// mirrors the tree of report.h field by field and is what the web page reads (web/src/report.ts).
// nlohmann-json writes not-a-number and infinities as null by itself.

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
  }
  return "none";
}

namespace {

Json json_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  return nullptr;
}

Json json_of(const Fact& fact);
Json json_of(const Column& column);
Json json_of(const Line& line);
Json json_of(const Zone& zone);
Json json_of(const Findings::Entry& entry);

template <class Element>
Json json_of(const std::vector<Element>& elements) {
  Json array = Json::array();
  for (const Element& element : elements) array.push_back(json_of(element));
  return array;
}

Json json_of(const Fact& fact) {
  return {{"label", fact.label},
          {"value", json_of(fact.value)},
          {"unit", name_of(fact.unit)},
          {"explanation", fact.explanation}};
}

Json json_of(const Column& column) {
  return {
      {"name", column.name}, {"unit", name_of(column.unit)}, {"explanation", column.explanation}};
}

Json json_of(const Line& line) {
  Json json = {{"name", line.name},
               {"unit", name_of(line.unit)},
               {"steps", line.steps},
               {"panel", line.panel},
               {"y", line.y}};
  if (line.points) json["points"] = true;
  return json;
}

Json json_of(const Zone& zone) {
  return {{"name", zone.name}, {"from", zone.from}, {"to", zone.to}};
}

Json json_of(const Paragraph& paragraph) {
  return {{"kind", "paragraph"}, {"text", paragraph.text}};
}

Json json_of(const Facts& facts) {
  return {{"kind", "facts"}, {"facts", json_of(facts.facts)}};
}

Json json_of(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) rows.push_back(json_of(row));
  return {{"kind", "table"},
          {"id", table.id},
          {"title", table.title},
          {"columns", json_of(table.columns)},
          {"rows", std::move(rows)}};
}

Json json_of(const Series& series) {
  Json json = {{"kind", "series"},
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

Json json_of(const Item& item, BlobList& blobs) {
  if (const auto* timeline = std::get_if<Timeline>(&item)) return timeline_json(*timeline, blobs);
  if (const auto* matrix = std::get_if<Matrix>(&item)) return matrix_json(*matrix, blobs);
  return std::visit(
      [](const auto& alternative) -> Json {
        if constexpr (requires { json_of(alternative); }) return json_of(alternative);
        return nullptr;  // not reached
      },
      item);
}

Json json_of(const std::vector<Section>& sections, BlobList& blobs) {
  Json array = Json::array();
  for (const Section& section : sections) {
    Json items = Json::array();
    for (const Item& item : section.items) items.push_back(json_of(item, blobs));
    array.push_back({{"id", section.id},
                     {"title", section.title},
                     {"items", std::move(items)},
                     {"children", json_of(section.children, blobs)}});
  }
  return array;
}

Json json_of(const Findings::Entry& entry) {
  return {{"name", entry.name},
          {"severity", std::string(to_string(entry.severity))},
          {"count", entry.count},
          {"sentence", entry.sentence},
          {"examples", entry.examples}};
}

}  // namespace

Json report_json(const Report& report, bool with_sections, BlobList& blobs) {
  Json json;
  json["schema"] = kReportSchema;
  json["version"] = SLACKLINE_VERSION;
  json["command"] = report.command;
  json["title"] = report.title;
  json["options"] = report.options;
  json["input"] = report.input;
  json["findings"] = json_of(report.findings.entries());
  json["result"] = report.result;
  if (with_sections) json["sections"] = json_of(report.sections, blobs);
  return json;
}

std::string write_json(const Report& report, bool with_sections) {
  BlobList blobs;
  return report_json(report, with_sections, blobs)
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace slackline
