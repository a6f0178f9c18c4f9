#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/object.h"
#include "report/unicode.h"
#include "report/writers.h"

namespace slackline {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

constexpr FindingKind kRecordsLost{"lost_record", Severity::data_loss, "Records were lost."};

Report with(std::vector<Item> items) {
  Report report;
  report.title = "predict: a.slk";
  report.sections.push_back({.id = "s", .title = "Summary", .items = std::move(items)});
  return report;
}

std::string text_of(std::vector<Item> items, int width = 80) {
  return write_text(with(std::move(items)), {.colour = false, .width = width});
}

std::vector<int> widths(const std::string& text) {
  std::vector<int> result;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    result.push_back(display_width(text.substr(from, end - from)));
    from = end + 1;
  }
  return result;
}

Table wide_table(int columns) {
  Table table{"wide", "Wide", {{"name"}}, {{"a function with a long name"}, {"b"}}};
  for (int i = 0; i < columns; ++i) {
    table.columns.push_back({"column" + std::to_string(i), Unit::ns});
    for (auto& row : table.rows) row.push_back(1234567.0 * i);
  }
  return table;
}

TEST(WriteText, reads_like_a_page) {
  Report report = with({Paragraph{"It takes 1.6 us."},
                        Facts{{{"makespan", 1615.0, Unit::ns}, {"lambda_L", std::int64_t{1}}}}});
  report.input = Object{"path"_key = "a.slk", "ranks"_key = 2};
  report.findings.add(kRecordsLost, "rank 1");
  report.findings.add(kRecordsLost, "rank 2", 1233);
  const std::string text = write_text(report, {.colour = false, .width = 60});
  EXPECT_EQ(text.substr(0, text.find("slackline  ")),
            "predict: a.slk\n"
            "\n"
            "Data loss: Records were lost. (1,234×; rank 1; rank 2)\n"
            "\n"
            "Summary\n"
            "───────\n"
            "\n"
            "  It takes 1.6 us.\n"
            "\n"
            "  makespan  1.615 us\n"
            "  lambda_L  1\n"
            "\n"
            "Warnings (data quality)\n"
            "───────────────────────\n"
            "\n"
            "  data loss  1,234  lost_record: Records were lost.\n"
            "                    e.g. rank 1\n"
            "                    e.g. rank 2\n"
            "\n"
            "input      path a.slk, ranks 2\n");
}

TEST(WriteText, gives_a_time_column_one_unit_and_aligns_it) {
  const Table table{"t",
                    "By rank",
                    {{"rank"}, {"time", Unit::ns}, {"calls", Unit::count}},
                    {{std::int64_t{0}, 64'145'000.0, std::int64_t{1204}},
                     {std::int64_t{12}, 310'000.0, std::int64_t{7}}}};
  EXPECT_THAT(text_of({table}), HasSubstr("  By rank\n"
                                          "  rank  time (ms)  calls\n"
                                          "  ────  ─────────  ─────\n"
                                          "     0     64.145  1,204\n"
                                          "    12      0.310      7\n"));
}

TEST(WriteText, gives_each_cell_its_unit_when_they_differ_too_much) {
  const Table table{"t", "", {{"time", Unit::ns}}, {{64'145'000.0}, {12.0}}};
  EXPECT_THAT(text_of({table}), HasSubstr("      time\n"
                                          "  ────────\n"
                                          "  64.14 ms\n"
                                          "     12 ns\n"));
}

TEST(WriteText, writes_no_unit_after_zero_in_a_column_of_times) {
  const Table table{"t", "", {{"begin", Unit::ns}}, {{0.0}, {64'145'000.0}, {12.0}}};
  EXPECT_THAT(text_of({table}), HasSubstr("     begin\n"
                                          "  ────────\n"
                                          "         0\n"
                                          "  64.14 ms\n"
                                          "     12 ns\n"));
}

TEST(WriteText, shows_more_decimals_of_shares_only_where_one_would_read_zero) {
  const Table table{"t", "", {{"share", Unit::ratio}}, {{0.5}, {0.0003}}};
  EXPECT_THAT(text_of({table}), HasSubstr("  50.00 %\n   0.03 %\n"));
}

TEST(WriteText, no_line_is_wider_than_asked) {
  const Series series{"c",
                      "T(L)",
                      "L",
                      Unit::ns,
                      {0, 1000},
                      {{"makespan", Unit::ns, {1, 2}}},
                      {{"1 % slower", 0, 500}}};
  const Facts facts{{{"a label of some length", 1.5e6, Unit::ns,
                      "An explanation that is long enough to need several lines in any case."}}};
  Report report =
      with({Paragraph{std::string(300, 'x') + " 漢字漢字 word"}, wide_table(9), facts, series});
  report.findings.add(kRecordsLost, std::string(200, 'y'));
  report.options = Object{"a"_key = std::string(150, 'z')};
  for (const int width : {24, 25, 31, 40, 60, 80, 100, 133, 1000}) {
    const std::string text = write_text(report, {.colour = false, .width = width});
    EXPECT_THAT(widths(text), Each(Le(width))) << text;
  }
}

TEST(WriteText, a_table_too_wide_is_split_and_loses_nothing) {
  const std::string text = text_of({wide_table(9)}, 60);
  for (int i = 0; i < 9; ++i) EXPECT_THAT(text, HasSubstr("column" + std::to_string(i)));
  std::size_t blocks = 0;
  for (std::size_t at = text.find("\n  name "); at != std::string::npos;
       at = text.find("\n  name ", at + 1)) {
    ++blocks;
  }
  EXPECT_GE(blocks, 2u) << text;
}

TEST(WriteText, uses_the_width_it_has) {
  const std::string text = text_of({wide_table(60)}, 1000);
  EXPECT_THAT(text, HasSubstr("column59"));
  EXPECT_THAT(widths(text), testing::Contains(testing::Gt(500)));
}

TEST(WriteText, draws_series_with_their_ranges_and_zones) {
  const Series series{"c",
                      "T(L)",
                      "L",
                      Unit::ns,
                      {0, 1000, 2000},
                      {{"T", Unit::ns, {1000, 1000, 3000}, false}},
                      {{"1 % slower", 0, 500}}};
  const std::string text = text_of({series}, 100);
  EXPECT_THAT(text, HasSubstr("1.000 us  ▁"));
  EXPECT_THAT(text, HasSubstr("█  3.000 us"));
  EXPECT_THAT(text, HasSubstr("1 % slower       0 s  ━"));
  EXPECT_THAT(text, HasSubstr("2.000 us"));
}

TEST(WriteText, a_number_beside_a_curve_is_that_of_its_end) {
  Series series{"c", "", "ranks", Unit::count, {2, 4, 8}, {{"e", Unit::count, {99, 70, 24}, false}},
                {}};
  EXPECT_THAT(text_of({series}), testing::AllOf(HasSubstr("99  █"), HasSubstr("▁  24\n")));
  series.lines[0].y = {50, 10, 40};
  EXPECT_THAT(text_of({series}),
              testing::AllOf(HasSubstr("50  █"), HasSubstr("  40  (10 to 50)\n")));
  series.lines[0].y = {std::nan(""), 30, 20};
  EXPECT_THAT(text_of({series}), testing::AllOf(HasSubstr("30  "), HasSubstr("▁  20\n")));
  for (const int width : {40, 60}) {
    for (const int columns : widths(text_of({series}, width))) EXPECT_LE(columns, width);
  }
}

TEST(WriteText, a_step_line_holds_its_value_until_the_next_x) {
  Series series{"c", "", "L", Unit::ns, {0, 1000}, {{"y", Unit::count, {1, 2}, true}}, {}};
  const std::string steps = text_of({series});
  EXPECT_THAT(steps, HasSubstr("1  ▁▁▁"));
  EXPECT_THAT(steps, Not(HasSubstr("▅")));  // never halfway
  series.lines[0].steps = false;
  EXPECT_THAT(text_of({series}), HasSubstr("▅"));
}

TEST(WriteText, survives_series_without_points_and_with_holes) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(text_of({Series{"c", "Empty", "L", Unit::ns, {}, {}, {}}}), HasSubstr("(no points)"));
  EXPECT_THAT(text_of({Series{"c", "", "L", Unit::ns, {0, 1}, {{"y", Unit::ns, {nan, nan}}}, {}}}),
              HasSubstr("y"));
  EXPECT_THAT(text_of({Series{"c",
                              "",
                              "L",
                              Unit::ns,
                              {0, 1},
                              {{"y", Unit::ns, {1, 2, 3}}},
                              {{"z", 0, infinity}, {"n", nan, nan}}}}),
              HasSubstr("unlimited"));
  EXPECT_THAT(text_of({Series{"c", "", "L", Unit::ns, {5}, {{"y", Unit::ns, {7}}}, {}}}),
              HasSubstr("7 ns"));
}

TEST(WriteText, says_so_when_there_is_nothing) {
  EXPECT_THAT(text_of({Table{"t", "Calls", {{"a"}}, {}}}), HasSubstr("  Calls\n  (no rows)\n"));
  const std::string empty = write_text(Report{}, {});
  EXPECT_THAT(empty, testing::StartsWith("Warnings (data quality): none\n"));
  EXPECT_EQ(empty.back(), '\n');
}

TEST(WriteText, colours_only_when_asked_and_then_says_the_same) {
  Report report = with({Facts{{{"a", 1.0, Unit::ns, "why"}}}, wide_table(2)});
  report.findings.add(kRecordsLost, "x");
  const std::string plain = write_text(report, {.colour = false, .width = 80});
  std::string coloured = write_text(report, {.colour = true, .width = 80});
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  EXPECT_THAT(coloured, HasSubstr("\x1b[1;31mdata loss\x1b[0m"));
  for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, plain);
}

TEST(WriteText, names_cannot_reach_the_terminal) {
  Report report = with({Paragraph{"\x1b[2J"}, Table{"t", "\x1b]0;x\x07", {{"\x1b["}}, {{"\x1b"}}},
                        Facts{{{"\x1b", std::string("\x1b")}}}});
  report.title = "\x1b[31m";
  report.options = Object{"\x1b"_key = "\x1b[1m"};
  report.findings.add(kRecordsLost, "\x1b[0m");
  const std::string text = write_text(report, {.colour = false, .width = 80});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
}

TEST(WriteText, begins_with_what_was_lost) {
  Report report = with({Paragraph{"It takes 1.6 us."}});
  report.findings.add(kRecordsLost, "after 4 % of the file", 7);
  const std::string text = write_text(report, {.colour = false, .width = 80});
  EXPECT_THAT(text, HasSubstr("Data loss: Records were lost. (7×; after 4 % of the file)"));
  EXPECT_LT(text.find("Data loss"), text.find("It takes"));
}

TEST(WriteText, shows_the_head_of_a_long_table_and_how_ranks_differ) {
  Table table{"ranks", "Ranks", {{"rank"}, {"computation", Unit::count}}, {}};
  for (std::int64_t r = 0; r < 2000; ++r) table.rows.push_back({r, 10 * r});
  const std::string text = text_of({table});
  EXPECT_LT(widths(text).size(), 40u);
  EXPECT_THAT(text, HasSubstr("minimum            0"));
  EXPECT_THAT(text, HasSubstr("maximum       19,990"));
  EXPECT_THAT(text, HasSubstr("1984 more rows"));
}

TEST(WriteText, is_deterministic) {
  const std::vector<Item> items{wide_table(5)};
  EXPECT_EQ(text_of(items), text_of(items));
}

}  // namespace
}  // namespace slackline
