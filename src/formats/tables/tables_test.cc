#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "formats/tables/trace_tables.h"
#include "formats/text/text.h"

namespace slackline {
namespace {

using ::testing::HasSubstr;

const Trace& empty_trace() {
  static const Trace kTrace(0, true);
  return kTrace;
}

std::string page(const std::string& name) {
  return std::string(MappedFile(SLACKLINE_SOURCE_DIR "/doc/formats/" + name).text());
}

/// The part of a page below the title of that name.
std::string section(const std::string& page, const std::string& title) {
  const std::size_t begin = page.find("\n" + title + "\n");
  return begin == std::string::npos ? ""
                                    : page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

std::string arrow_type(const TableColumn& column) {
  const std::string integer =
      (column.is_signed ? "int" : "uint") + std::to_string(8 * column.bytes);
  return column.texts ? "dictionary of " + integer + " and utf8" : integer;
}

TEST(TraceTables, AreDocumentedAsTheyAreDescribed) {
  const std::string all = page("sqlite.md");
  for (const TraceTable& table : trace_tables(empty_trace(), CallMatching(empty_trace()))) {
    std::string rows = "\n| column | |\n|---|---|\n";
    for (const TableColumn& c : table.columns) {
      rows += fmt::format("| `{}` | {}{} |\n", c.name, c.texts ? "TEXT: " : "", c.explanation);
    }
    EXPECT_THAT(section(all, "## " + table.name), HasSubstr(rows));
  }
}

TEST(TraceTables, TypesOfCallsAreDocumented) {
  std::string rows = "\n| column | type |\n|---|---|\n";
  for (const TableColumn& c : calls_table(empty_trace()).columns) {
    rows += fmt::format("| `{}` | {} |\n", c.name, arrow_type(c));
  }
  EXPECT_THAT(page("arrow.md"), HasSubstr(rows));
}

}  // namespace
}  // namespace slackline
