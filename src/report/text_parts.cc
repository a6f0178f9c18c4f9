#include "report/text_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/unicode.h"
#include "report/writers.h"

namespace slackline {
std::string rtrim(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

namespace {

constexpr int kNarrowestExplanation = 32;  // below this an explanation is more noise than help

std::string severity_label(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::notice:
      return "notice";
    case Severity::data_loss:
      return "data loss";
  }
  return "";
}

std::string painted(Severity severity, const std::string& text, Ink ink) {
  if (severity == Severity::data_loss) return ink.alarm(text);
  return severity == Severity::notice ? ink.warning(text) : ink.dim(text);
}

std::string line_of(const std::vector<std::string>& lines, std::size_t i) {
  return i < lines.size() ? lines[i] : std::string();
}

std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(count), ' ');
}

Lines hanging(std::string_view text, int width, int indent) {
  Lines lines = wrap(text, width - indent);
  for (std::string& line : lines) line.insert(0, blanks(indent));
  return lines;
}

struct FactWidths {
  int label = 0;
  int value = 0;
  int explanation = 0;  // 0: no room
};

FactWidths fact_widths(const Facts& facts, int width) {
  FactWidths widths;
  for (const Fact& fact : facts.facts) {
    widths.label = std::max(widths.label, display_width(printable(fact.label)));
    widths.value = std::max(widths.value, display_width(format_value(fact.value, fact.unit)));
  }
  widths.label = std::min(widths.label, std::max(8, 2 * width / 5));
  const int room = std::max(4, width - widths.label - kGap);
  widths.value = std::min(widths.value, room);
  if (room - widths.value - kGap >= kNarrowestExplanation) {
    widths.explanation = room - widths.value - kGap;
  }
  return widths;
}

Lines fact_lines(const Fact& fact, const FactWidths& widths, Ink ink) {
  const auto label = wrap(fact.label, widths.label);
  const auto value = wrap(format_value(fact.value, fact.unit), widths.value);
  std::vector<std::string> explanation;
  if (widths.explanation > 0) explanation = wrap(fact.explanation, widths.explanation);
  const std::size_t height = std::max({label.size(), value.size(), explanation.size()});
  Lines lines;
  for (std::size_t i = 0; i < height; ++i) {
    const std::string head = pad_right(line_of(label, i), widths.label) + blanks(kGap);
    const std::string body = pad_right(line_of(value, i), widths.value);
    const std::string tail = line_of(explanation, i);
    if (!tail.empty()) {
      lines.push_back(head + ink.bold(body) + blanks(kGap) + ink.dim(tail));
    } else if (const std::string end = rtrim(body); !end.empty()) {
      lines.push_back(head + ink.bold(end));
    } else {
      lines.push_back(rtrim(head));
    }
  }
  return lines;
}

}  // namespace

std::string Ink::paint(const char* code, std::string_view text) const {
  return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

void append(Lines& to, const Lines& lines) {
  to.insert(to.end(), lines.begin(), lines.end());
}

Lines facts_lines(const Facts& facts, int width, Ink ink) {
  const FactWidths widths = fact_widths(facts, width);
  Lines lines;
  for (const Fact& fact : facts.facts) append(lines, fact_lines(fact, widths, ink));
  return lines;
}

Lines findings_lines(const Findings& findings, int width, Ink ink) {
  int count_width = 0;
  for (const auto& entry : findings.entries()) {
    count_width = std::max(count_width, display_width(format_count(entry.count)));
  }
  const int severity_width = display_width(severity_label(Severity::data_loss));
  const int head_width = severity_width + count_width + 2 * kGap;
  const bool beside = head_width + kNarrowestExplanation <= width;
  const int hang = beside ? head_width : 4;
  Lines lines;
  for (const auto& entry : findings.entries()) {
    const std::string severity = pad_right(severity_label(entry.severity), severity_width);
    const std::string head = painted(entry.severity, severity, ink) + blanks(kGap) +
                             pad_left(format_count(entry.count), count_width);
    Lines body = hanging(entry.name + ": " + entry.sentence, width, hang);
    if (beside) {
      body.front() = head + blanks(kGap) + body.front().substr(static_cast<std::size_t>(hang));
    } else {
      body.insert(body.begin(), head);
    }
    append(lines, body);
    for (const std::string& example : entry.examples) {
      for (const std::string& line : hanging("e.g. " + example, width, hang)) {
        lines.push_back(ink.dim(line));
      }
    }
  }
  return lines;
}

}  // namespace slackline
