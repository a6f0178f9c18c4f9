#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "report/json_tree.h"
#include "report/object.h"
#include "report/writers.h"

namespace slackline {
namespace {

constexpr FindingKind kLost{"lost_record", Severity::data_loss, "A record was lost."};

Report small_report() {
  Report report{.command = "predict",
                .title = "predict: a.slk",
                .options = Object{"L_fs"_key = 3'000'000'000},
                .input = Object{"path"_key = "a.slk"},
                .result = Object{"makespan_ns"_key = 1615, "lambda_L"_key = 1},
                .findings = {},
                .sections = {}};
  report.findings.add(kLost, "rank 1");
  report.findings.add(kLost, "rank 2");
  return report;
}

TEST(WriteJson, has_the_keys_that_scripts_rely_on) {
  const JsonTree json = JsonTree::parse(write_json(small_report(), false));
  EXPECT_EQ(json["schema"], "slackline/1");
  EXPECT_TRUE(json["version"].is_string());
  EXPECT_EQ(json["command"], "predict");
  EXPECT_EQ(json["title"], "predict: a.slk");
  EXPECT_EQ(json["options"]["L_fs"], 3'000'000'000);
  EXPECT_EQ(json["input"]["path"], "a.slk");
  EXPECT_EQ(json["result"]["makespan_ns"], 1615);
  EXPECT_FALSE(json.contains("sections"));
}

TEST(WriteJson, lists_findings_with_counts_and_examples) {
  const JsonTree json = JsonTree::parse(write_json(small_report(), false));
  ASSERT_EQ(json["findings"].size(), 1u);
  const JsonTree& finding = json["findings"][0];
  EXPECT_EQ(finding["name"], "lost_record");
  EXPECT_EQ(finding["severity"], to_string(Severity::data_loss));
  EXPECT_EQ(finding["count"], 2);
  EXPECT_EQ(finding["sentence"], "A record was lost.");
  EXPECT_EQ(finding["examples"], JsonTree({"rank 1", "rank 2"}));
}

TEST(WriteJson, mirrors_the_tree_of_sections) {
  Report report;
  report.sections.push_back(
      {.id = "s",
       .title = "S",
       .items = {Paragraph{"text"}, Facts{{{"T", 1.5, Unit::ns, "why"}}},
                 Table{"t", "Table", {{"n", Unit::count}, {"x"}}, {{std::int64_t{3}, {}}}},
                 Series{"c",
                        "Curve",
                        "L",
                        Unit::ns,
                        {0, 1},
                        {{"y", Unit::ratio, {0.5, 1}, true, 2}},
                        {{"zone", 0, 1}}}},
       .children = {{.id = "child", .title = "Child"}}});
  const JsonTree section = JsonTree::parse(write_json(report, true))["sections"][0];
  const JsonTree& items = section["items"];
  EXPECT_EQ(items[0], JsonTree({{"kind", "paragraph"}, {"text", "text"}}));
  EXPECT_EQ(items[1]["facts"][0],
            JsonTree({{"label", "T"}, {"value", 1.5}, {"unit", "ns"}, {"explanation", "why"}}));
  EXPECT_EQ(items[2]["columns"][0]["unit"], "count");
  EXPECT_EQ(items[2]["rows"].dump(), "[[3,null]]");
  EXPECT_EQ(items[3]["lines"][0].dump(),
            R"({"name":"y","unit":"ratio","steps":true,"panel":2,"y":[0.5,1.0]})");
  EXPECT_EQ(items[3]["zones"][0]["to"], 1.0);
  EXPECT_EQ(section["children"][0]["id"], "child");
}

TEST(WriteJson, writes_null_for_what_is_no_number) {
  Report report;
  report.result = Object{"a"_key = std::nan(""), "b"_key = std::numeric_limits<double>::infinity()};
  report.sections.push_back(
      {.id = "", .title = "", .items = {Facts{{{"x", std::nan(""), Unit::ns}}}}});
  const JsonTree json = JsonTree::parse(write_json(report, true));
  EXPECT_TRUE(json["result"]["a"].is_null());
  EXPECT_TRUE(json["result"]["b"].is_null());
  EXPECT_TRUE(json["sections"][0]["items"][0]["facts"][0]["value"].is_null());
}

TEST(WriteJson, replaces_what_is_not_utf8_instead_of_throwing) {
  Report report;
  report.title = "a\xff";
  report.options = Object{"key\xfe"_key = "value\xfd"};
  report.findings.add(kLost, "\xc3(");
  const JsonTree json = JsonTree::parse(write_json(report, true));
  EXPECT_EQ(json["title"], "a\xEF\xBF\xBD");
  EXPECT_EQ(json["options"]["key\xEF\xBF\xBD"], "value\xEF\xBF\xBD");
}

TEST(WriteJson, an_empty_report_is_valid) {
  const JsonTree json = JsonTree::parse(write_json(Report{}, true));
  EXPECT_TRUE(json["findings"].empty());
  EXPECT_TRUE(json["findings"].is_array());
  EXPECT_TRUE(json["sections"].is_array());
}

}  // namespace
}  // namespace slackline
