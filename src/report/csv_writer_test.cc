#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "report/writers.h"

namespace slackline {
namespace {

Report untitled_with(std::vector<Item> items) {
  Report report;
  report.sections.push_back({.id = "s", .title = "S", .items = std::move(items)});
  return report;
}

TEST(WriteCsv, names_carry_units_and_numbers_are_raw) {
  const Table table{"t",
                    "T",
                    {{"rank"},
                     {"time in MPI", Unit::ns},
                     {"sent", Unit::bytes},
                     {"share", Unit::ratio},
                     {"calls", Unit::count},
                     {"from_ns", Unit::ns}},
                    {{std::int64_t{3}, 64'145'000.25, 1536.0, 0.031, std::int64_t{12345}, 0.1}}};
  EXPECT_EQ(write_csv(untitled_with({table})),
            "rank,time_in_MPI_ns,sent_bytes,share_ratio,calls,from_ns\r\n"
            "3,64145000.25,1536,0.031,12345,0.1\r\n");
}

TEST(WriteCsv, writes_one_table_alone) {
  const Table one{"one", "One", {{"a"}}, {{"x"}}};
  const Table other{"other", "Other", {{"b"}}, {{"y"}}};
  EXPECT_EQ(write_csv_table(untitled_with({one, other}), "other"), "b\r\ny\r\n");
  EXPECT_THROW(write_csv_table(untitled_with({one}), "other"), Error);
}

TEST(WriteCsv, quotes_as_rfc_4180_says) {
  const Table table{"t", "T", {{"a"}, {"b"}}, {{"x,y", "say \"hi\""}, {"two\nlines", "plain"}}};
  EXPECT_EQ(write_csv(untitled_with({table})),
            "a,b\r\n"
            "\"x,y\",\"say \"\"hi\"\"\"\r\n"
            "\"two\nlines\",plain\r\n");
}

TEST(WriteCsv, a_name_is_no_code_of_a_terminal_nor_a_formula_of_a_spreadsheet) {
  const Table table{"t",
                    "T\x1b[2J",
                    {{"a"}},
                    {{"\x1b[31mred\x07"},
                     {"c1\xc2\x9b"
                      "2J"},
                     {"=cmd|calc!A1"},
                     {"-2+cmd|calc!A1"},
                     {"@f"},
                     {"-5.4 pp"}}};
  const Table other{"u", "U", {{"a"}}, {{"x"}}};
  EXPECT_EQ(write_csv(untitled_with({table, other})),
            "# t: T [2J\r\na\r\n\" [31mred \"\r\nc1 2J\r\n'=cmd|calc!A1\r\n'-2+cmd|calc!A1\r\n"
            "'@f\r\n-5.4 pp\r\n# u: U\r\na\r\nx\r\n");
}

TEST(WriteCsv, leaves_a_field_empty_where_there_is_no_number) {
  const Table table{"t",
                    "T",
                    {{"a", Unit::ns}, {"b"}, {"c"}},
                    {{std::nan(""), std::numeric_limits<double>::infinity(), {}}}};
  EXPECT_EQ(write_csv(untitled_with({table})), "a_ns,b,c\r\n,,\r\n");
}

TEST(WriteCsv, numbers_read_back_exactly) {
  const double value = 0.1 + 0.2;
  const std::string csv = write_csv(untitled_with({Table{"t", "T", {{"a"}}, {{value}}}}));
  EXPECT_EQ(std::stod(csv.substr(csv.find('\n') + 1)), value);
}

TEST(WriteCsv, puts_a_line_before_each_of_several_tables) {
  const Table first{"one", "First", {{"a"}}, {{"1"}}};
  const Table second{"two", "Second\nline", {{"b"}}, {}};
  EXPECT_EQ(write_csv(untitled_with({first, second})),
            "# one: First\r\na\r\n1\r\n# two: Second line\r\nb\r\n");
}

TEST(WriteCsv, finds_tables_in_nested_sections) {
  Report report = untitled_with({});
  report.sections[0].children.push_back(
      {.id = "c", .title = "C", .items = {Table{"t", "T", {{"a"}}, {{"1"}}}}});
  EXPECT_EQ(write_csv(report), "a\r\n1\r\n");
}

TEST(WriteCsv, writes_the_facts_when_there_is_no_table) {
  const Facts facts{{{"makespan", 1615.0, Unit::ns, "why"}, {"lambda_L", std::int64_t{1}}}};
  EXPECT_EQ(write_csv(untitled_with({facts})),
            "name,value,unit\r\nmakespan,1615,ns\r\nlambda_L,1,\r\n");
}

TEST(WriteCsv, an_empty_report_is_empty) {
  EXPECT_EQ(write_csv(Report{}), "");
}

}  // namespace
}  // namespace slackline
