#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace slackline {

struct TextStyle {
  bool colour = false;
  int width = 100;
};

/// For people: headings, aligned tables, units, findings last. Ends with a newline.
std::string write_text(const Report& report, const TextStyle& style);

/// {"schema", "version", "command", "title", "options", "input", "findings", "result"}, and
/// "sections" (the whole tree) when `with_sections`. Not-a-number and infinities become null.
std::string write_json(const Report& report, bool with_sections);
/// Without sections, as one line.
std::string write_json_line(const Report& report);

/// Every table, one after the other, RFC 4180; a line "# id: title" before each when there are
/// several. Column names carry their unit ("time_ns"); numbers are raw.
std::string write_csv(const Report& report);
/// The table of that id alone, without the line. Throws usage Error where there is none.
std::string write_csv_table(const Report& report, const std::string& id);

/// One self-contained page: the embedded web page (web/) with the report as JSON inside it, and the
/// text form for readers without JavaScript.
std::string write_html(const Report& report);

/// The same page for a server of it: the blobs are not inside, but asked for as "blob/N" relative
/// to the page, as zlib streams. They live as long as the report.
struct ServedPage {
  std::string html;
  std::vector<const Blob*> blobs;
};
ServedPage write_served_page(const Report& report);

/// For a merge request: GitHub's and GitLab's Markdown, with the tables of write_text; lines over
/// an axis are left out.
std::string write_markdown(const Report& report);

/// JUnit's XML, which GitLab, GitHub's actions and Jenkins show: a test case for each of
/// Report::checks. What could not be decided is a test that was skipped.
std::string write_junit(const Report& report);

/// How a value looks in text.
std::string format_value(const Value& value, Unit unit);

}  // namespace slackline
