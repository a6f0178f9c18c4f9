#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace slackline {

// The pieces that write_text puts together. Each gives lines of at most `width` columns, without
// indentation and without trailing blanks.

/// Colours, or nothing at all when they are off.
class Ink {
 public:
  explicit Ink(bool on) : on_(on) {}
  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string accent(std::string_view text) const { return paint("1;36", text); }
  std::string warning(std::string_view text) const { return paint("33", text); }
  std::string alarm(std::string_view text) const { return paint("1;31", text); }

 private:
  std::string paint(const char* code, std::string_view text) const;
  bool on_;
};

using Lines = std::vector<std::string>;

inline constexpr int kGap = 2;  ///< blanks between columns

/// `text` without the blanks at its end.
std::string rtrim(std::string text);

void append(Lines& to, const Lines& lines);

/// Heading, rule, rows. What does not fit is wrapped inside its cells; what still does not fit is
/// split into several tables one below the other, each with the first column again.
Lines table_lines(const Table& table, int width, Ink ink);

/// Label, value, and the explanation where there is room for it.
Lines facts_lines(const Facts& facts, int width, Ink ink);

/// One row a line: its first value, a sparkline over x, its last value, and from where to where it
/// goes if not from one to the other; zones as bars on the same axis.
Lines series_lines(const Series& series, int width, Ink ink);

/// "data loss  12  unmatched_send: ..." with the first examples.
Lines findings_lines(const Findings& findings, int width, Ink ink);

}  // namespace slackline
