#include <gtest/gtest.h>

#include "report/writers.h"

namespace slackline {
namespace {

Report report_with(std::vector<Item> items) {
  Report report;
  report.title = "check: app";
  report.sections.push_back({.id = "s", .title = "Limits", .items = std::move(items)});
  return report;
}

TEST(WriteMarkdown, HasHeadingsTablesAndParagraphs) {
  const Table table{"t", "T", {{"name"}, {"time", Unit::ns}}, {{"solve", 2e6}, {"halo", 5e5}}};
  EXPECT_EQ(write_markdown(report_with({Paragraph{"Two functions."}, table})),
            "## check: app\n\n### Limits\n\nTwo functions.\n\n**T**\n\n| name | time |\n"
            "| --- | ---: |\n| solve | 2.000 ms |\n| halo | 500.0 us |\n");
}

// A function's name, such as std::vector<int>::operator[], is no markup, and ends no cell or row.
TEST(WriteMarkdown, EscapesWhatHasAMeaning) {
  const Table table{"t", "", {{"name"}}, {{"a|b\n<T>_[*]"}}};
  EXPECT_EQ(write_markdown(report_with({table})),
            "## check: app\n\n### Limits\n\n| name |\n| --- |\n| a\\|b \\<T\\>\\_\\[\\*\\] |\n");
}

}  // namespace
}  // namespace slackline
