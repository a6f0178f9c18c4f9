#include <algorithm>
#include <string_view>

#include "report/unicode.h"
#include "report/writers.h"

// Markdown as GitHub and GitLab render it in comments (CommonMark with pipe tables). Text of a run,
// such as a function's name, must not become markup: what CommonMark gives a meaning is escaped,
// and no name with an '@' becomes a link or notifies a user.

namespace slackline {
namespace {

/// Links and mentions are found after escapes and character references have been resolved: only an
/// empty comment keeps '@' apart from what follows it (github/markup issue 1168).
std::string escaped(std::string_view text) {
  constexpr std::string_view kMarkup = "\\`*_{}[]<>#|~&";
  std::string result;
  for (const char c : printable(text)) {
    if (kMarkup.find(c) != std::string_view::npos) result += '\\';
    result += c;
    if (c == '@') result += "<!-- -->";
  }
  return result;
}

/// The same where a line or an item of a list begins: no list, rule, underline or code.
std::string escaped_line(std::string_view text) {
  std::string line = escaped(text);
  if (line.starts_with(' ')) return line.replace(0, 1, "&#32;");
  const std::size_t mark = line.find_first_not_of("0123456789");
  if (mark == std::string::npos) return line;
  const std::string_view marks = mark == 0 ? "-+=" : ".)";
  if (marks.find(line[mark]) != std::string_view::npos) line.insert(mark, 1, '\\');
  return line;
}

void add_row(std::string& out, const std::vector<std::string>& cells) {
  out += '|';
  for (const std::string& cell : cells) out += " " + cell + " |";
  out += '\n';
}

void add(const Table& table, std::string& out) {
  if (table.rows.empty()) return;
  if (!table.title.empty()) out += "**" + escaped(table.title) + "**\n\n";
  std::vector<std::string> head;
  std::vector<std::string> rule;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    head.push_back(escaped(table.columns[c].name));
    const bool text = std::ranges::any_of(table.rows, [&](const std::vector<Value>& row) {
      return std::holds_alternative<std::string>(row[c]);
    });
    rule.emplace_back(text ? "---" : "---:");
  }
  add_row(out, head);
  add_row(out, rule);
  for (const std::vector<Value>& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells.push_back(escaped(format_value(row[c], table.columns[c].unit)));
    }
    add_row(out, cells);
  }
  out += '\n';
}

void add(const Facts& facts, std::string& out) {
  for (const Fact& fact : facts.facts) {
    out += "- " + escaped_line(fact.label) + ": " + escaped(format_value(fact.value, fact.unit)) +
           '\n';
  }
  out += '\n';
}

void add(const Section& section, std::size_t depth, std::string& out) {
  constexpr std::size_t kDeepest = 6;
  if (!section.title.empty()) {
    out += std::string(std::min(depth, kDeepest), '#') + " " + escaped(section.title) + "\n\n";
  }
  for (const Item& item : section.items) {
    if (const auto* text = std::get_if<Paragraph>(&item)) out += escaped_line(text->text) + "\n\n";
    if (const auto* facts = std::get_if<Facts>(&item)) add(*facts, out);
    if (const auto* table = std::get_if<Table>(&item)) add(*table, out);
  }
  for (const Section& child : section.children) add(child, depth + 1, out);
}

}  // namespace

std::string write_markdown(const Report& report) {
  std::string out;
  if (!report.title.empty()) out += "## " + escaped(report.title) + "\n\n";
  for (const Section& section : report.sections) add(section, 3, out);
  for (const Findings::Entry& finding : report.findings.entries()) {
    out += "- " + escaped_line(finding.name + ": " + finding.sentence) + '\n';
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace slackline
