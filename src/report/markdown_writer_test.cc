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

TEST(WriteMarkdown, EscapesWhatHasAMeaningWhereALineBegins) {
  const std::string begin = "## check: app\n\n### Limits\n\n";
  const auto paragraph = [&](const std::string& text) {
    return write_markdown(report_with({Paragraph{text}})).substr(begin.size());
  };
  for (const char* const marks : {"-", "---", "+", "=", "==="}) {
    const std::string text = std::string(marks) + " a - b + 1 = c";
    EXPECT_EQ(paragraph(text), "\\" + text + '\n');
  }
  for (const char mark : {'.', ')'}) {
    EXPECT_EQ(paragraph(std::string("12") + mark + " item 3."),
              std::string("12\\") + mark + " item 3.\n");
  }
  EXPECT_EQ(paragraph("    code"), "&#32;   code\n");
  EXPECT_EQ(paragraph("12 ranks"), "12 ranks\n");
  const Facts facts{.facts = {{"- name", -3, Unit::count}}};
  EXPECT_EQ(write_markdown(report_with({facts})), begin + "- \\- name: -3\n");
}

// "memcpy@GLIBC_2.14" would be an address of e-mail, "@plt" a user who is notified; "&lt;" a "<".
TEST(WriteMarkdown, NotifiesNoUserAndResolvesNoReference) {
  const Table table{"t", "", {{"name"}}, {{"memcpy@GLIBC_2.14"}, {"@plt"}, {"a&lt;b"}}};
  EXPECT_EQ(write_markdown(report_with({table})),
            "## check: app\n\n### Limits\n\n| name |\n| --- |\n| memcpy@<!-- -->GLIBC\\_2.14 |\n"
            "| @<!-- -->plt |\n| a\\&lt;b |\n");
}

}  // namespace
}  // namespace slackline
