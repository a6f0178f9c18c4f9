#include <algorithm>

#include "base/units.h"
#include "report/text_parts.h"
#include "report/unicode.h"
#include "report/writers.h"

namespace slackline {
namespace {

constexpr int kNarrowest = 24;
constexpr int kIndent = 2;

/// Collects indented lines; a blank line between blocks, never two and none at the top.
class Page {
 public:
  explicit Page(const TextStyle& style)
      : ink(style.colour), width_(std::max(style.width, kNarrowest)) {}

  int width(int depth) const { return width_ - kIndent * std::min(depth, 3); }

  void block(const Lines& lines, int depth) {
    if (!text_.empty()) text_ += '\n';
    for (const std::string& line : lines) {
      if (!line.empty()) text_.append(static_cast<std::size_t>(kIndent * std::min(depth, 3)), ' ');
      text_ += line;
      text_ += '\n';
    }
  }
  std::string take() { return std::move(text_); }

  const Ink ink;

 private:
  int width_;
  std::string text_;
};

std::string rule(std::string_view character, int width) {
  std::string line;
  for (int i = 0; i < width; ++i) line += character;
  return line;
}

Lines heading(const std::string& title, int depth, const Page& page) {
  Lines lines;
  int widest = 0;
  for (const std::string& line : wrap(title, page.width(depth))) {
    widest = std::max(widest, display_width(line));
    lines.push_back(depth == 0 ? page.ink.accent(line) : page.ink.bold(line));
  }
  if (depth == 0) lines.push_back(page.ink.dim(rule("─", widest)));
  return lines;
}

Lines titled(const std::string& title, const Lines& body, int width, Ink ink) {
  Lines lines;
  if (!title.empty()) {
    for (const std::string& line : wrap(title, width)) lines.push_back(ink.bold(line));
  }
  append(lines, body);
  return lines;
}

Lines item_lines(const Item& item, int width, Ink ink) {
  if (const auto* paragraph = std::get_if<Paragraph>(&item)) return wrap(paragraph->text, width);
  if (const auto* facts = std::get_if<Facts>(&item)) return facts_lines(*facts, width, ink);
  if (const auto* table = std::get_if<Table>(&item)) {
    return titled(table->title, table_lines(*table, width, ink), width, ink);
  }
  if (const auto* series = std::get_if<Series>(&item)) {
    return titled(series->title, series_lines(*series, width, ink), width, ink);
  }
  const std::string text = std::get<PicturePtr>(item)->text();
  return text.empty() ? Lines{} : wrap(text, width);
}

void put_section(Page& page, const Section& section, int depth) {
  if (!section.title.empty()) page.block(heading(section.title, depth, page), depth);
  for (const Item& item : section.items) {
    const Lines lines = item_lines(item, page.width(depth + 1), page.ink);
    if (!lines.empty()) page.block(lines, depth + 1);
  }
  for (const Section& child : section.children) put_section(page, child, depth + 1);
}

/// "L 3 us, o 500 ns": an object's entries in one line, nested ones with a dot.
void flatten(const Json& json, const std::string& prefix, std::string& out) {
  for (const auto& [key, value] : json.members()) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    if (value.is_object()) {
      flatten(value, name, out);
      continue;
    }
    if (value.is_string() && value.as_string().empty()) continue;
    if (!out.empty()) out += ", ";
    out += name + " " + (value.is_string() ? value.as_string() : json_text(value));
  }
}

/// What every output carries: the input's identity, the effective options, the version.
Lines provenance(const Report& report, const Page& page) {
  Facts facts;
  for (const auto& [label, json] :
       {std::pair{"input", &report.input}, {"options", &report.options}}) {
    std::string text;
    if (json->is_object()) flatten(*json, "", text);
    if (!text.empty()) facts.facts.push_back({.label = label, .value = text});
  }
  facts.facts.push_back({.label = "slackline", .value = std::string(SLACKLINE_VERSION)});
  Lines lines = facts_lines(facts, page.width(0), Ink(false));
  for (std::string& line : lines) line = page.ink.dim(line);
  return lines;
}

void put_findings(Page& page, const Findings& findings) {
  if (findings.empty()) {
    page.block({page.ink.dim("Warnings (data quality): none")}, 0);
    return;
  }
  page.block(heading("Warnings (data quality)", 0, page), 0);
  page.block(findings_lines(findings, page.width(1), page.ink), 1);
}

/// What was lost comes before what is made of the rest.
Lines loss_lines(const Findings& findings, const Page& page) {
  Lines lines;
  for (const Findings::Entry& e : findings.entries()) {
    if (e.severity != Severity::data_loss) continue;
    std::string text = "Data loss: " + e.sentence + " (" + format_count(e.count) + "×";
    for (const std::string& example : e.examples) text += "; " + example;
    for (const std::string& line : wrap(text + ")", page.width(0))) {
      lines.push_back(page.ink.bold(line));
    }
  }
  return lines;
}

}  // namespace

std::string write_text(const Report& report, const TextStyle& style) {
  Page page(style);
  if (!report.title.empty()) {
    Lines title;
    for (const std::string& line : wrap(report.title, page.width(0))) {
      title.push_back(page.ink.bold(line));
    }
    page.block(title, 0);
  }
  if (const Lines lost = loss_lines(report.findings, page); !lost.empty()) page.block(lost, 0);
  for (const Section& section : report.sections) put_section(page, section, 0);
  if (report.sections_only) return page.take();
  put_findings(page, report.findings);
  page.block(provenance(report, page), 0);
  return page.take();
}

}  // namespace slackline
