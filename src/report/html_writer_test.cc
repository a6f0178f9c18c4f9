#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/object.h"
#include "report/page.h"
#include "report/report_json.h"
#include "report/writers.h"

namespace slackline {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

std::string between(const std::string& text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "(no " + std::string(begin) + ")";
  const std::size_t start = from + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

std::string embedded_json(const std::string& html) {
  return between(html, "<script type=\"application/json\" id=\"report\">", "</script>");
}

TEST(EmbeddedPage, has_each_mark_once) {
  for (const char* mark : {"@SLACKLINE_TITLE@", "@SLACKLINE_TEXT@", "@SLACKLINE_REPORT@"}) {
    EXPECT_EQ(occurrences(embedded_page(), mark), 1u) << mark;
  }
}

TEST(EmbeddedPage, loads_nothing_and_allows_only_itself) {
  const std::string page(embedded_page());
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("script-src 'sha256-"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
  EXPECT_THAT(page, Not(HasSubstr("<script src")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
}

TEST(EmbeddedPage, stays_small) {
  EXPECT_LT(embedded_page().size(), 150'000u);
}

TEST(WriteHtml, carries_title_report_and_text) {
  Report report;
  report.title = "predict: a<b>.slk";
  report.sections.push_back(
      {.id = "s", .title = "Summary", .items = {Paragraph{"It takes 1 & 2 < 3."}}});
  const std::string html = write_html(report);
  EXPECT_EQ(between(html, "<title>", "</title>"), "predict: a&lt;b&gt;.slk");
  EXPECT_THAT(between(html, "<noscript>", "</noscript>"), HasSubstr("It takes 1 &amp; 2 &lt; 3."));
  EXPECT_EQ(JsonTree::parse(embedded_json(html)), JsonTree::parse(write_json(report, true)));
}

TEST(WriteHtml, no_name_can_end_the_script_or_become_markup) {
  const std::string hostile = "</script><img src=x onerror=alert(1)><!--<script>\xe2\x80\xa8\xff";
  Report report;
  report.title = hostile;
  JsonMap<std::string> options;
  options.add(hostile, hostile);
  report.options = json_from(options);
  report.sections.push_back({.id = hostile, .title = hostile, .items = {Paragraph{hostile}}});
  const std::string html = write_html(report);
  const std::string empty = write_html(Report{});
  for (const char* part : {"<script", "</script", "<!--", "<img", "<title", "</noscript"}) {
    EXPECT_EQ(occurrences(html, part), occurrences(empty, part)) << part;
  }
  const JsonTree json = JsonTree::parse(embedded_json(html));
  EXPECT_THAT(json["sections"][0]["title"].get<std::string>(),
              testing::StartsWith("</script><img src=x onerror=alert(1)><!--<script>"));
}

TEST(WriteHtml, a_mark_inside_a_report_is_only_text) {
  Report report;
  report.title = "@SLACKLINE_REPORT@ @SLACKLINE_TEXT@";
  const std::string html = write_html(report);
  EXPECT_EQ(between(html, "<title>", "</title>"), report.title);
  EXPECT_EQ(JsonTree::parse(embedded_json(html))["title"], report.title);
}

TEST(WriteHtml, rounds_and_leaves_long_lists_to_the_json_form) {
  Report report;
  report.result =
      Object{"short"_key = 0.123456789, "ns"_key = 123'456'789.123, "whole"_key = 1'234'567'890'123,
             "deep"_key = Object{"long"_key = std::vector<double>(101, 0.5),
                                 "kept"_key = std::vector<double>(100, 0.5)}};
  const JsonTree json = JsonTree::parse(embedded_json(write_html(report)));
  EXPECT_EQ(json["result"]["short"].get<double>(), 0.12346) << "5 digits of what is below 10";
  EXPECT_EQ(json["result"]["ns"].get<double>(), 123'456'790) << "8 digits";
  EXPECT_EQ(json["result"]["whole"].get<std::int64_t>(), 1'234'567'890'123) << "as it is";
  EXPECT_FALSE(json["result"]["deep"].contains("long"));
  EXPECT_EQ(json["result"]["deep"]["kept"].size(), 100u);
  EXPECT_EQ(json["left_out"], JsonTree({"deep.long"}));
}

TEST(WriteHtml, keeps_shorter_lists_only_beside_much_else) {
  Report report;
  BlobList blobs;
  const std::vector<double> twenty(20, 0.5);
  report.result = Object{"list"_key = twenty,
                         "named"_key = std::array{Object{"id"_key = 1, "cells"_key = twenty}},
                         "few"_key = std::vector<double>(8, 0.5)};
  const JsonTree alone = page_json(report, blobs);
  EXPECT_FALSE(alone.contains("left_out"));
  // 60,000 characters of 5 random bits each do not fit in the 34 kB that are wanted.
  std::string noise;
  std::uint32_t state = 1;
  for (int i = 0; i < 60'000; ++i) {
    state = state * 1'664'525 + 1'013'904'223;
    noise += static_cast<char>('A' + (state >> 27));
  }
  report.sections.push_back({.id = "noise", .title = "Noise", .items = {Paragraph{noise}}});
  const JsonTree json = page_json(report, blobs);
  EXPECT_EQ(json["left_out"], JsonTree({"list", "named.cells"}));
  EXPECT_EQ(json["result"]["named"], JsonTree::parse(R"([{"id": 1}])"));
  EXPECT_TRUE(json["result"].contains("few"));
}

struct Drawing : Picture {
  Json json(BlobList&) const override { return Object{}; }
};

TEST(WriteHtml, tells_readers_without_javascript_the_first_sections) {
  Report report;
  report.command = "report";
  report.sections.push_back({.id = "a", .title = "First", .items = {Paragraph{"The judgement."}}});
  report.sections.push_back(
      {.id = "drawn", .title = "Time line", .items = {std::make_shared<const Drawing>()}});
  report.sections.push_back(
      {.id = "b", .title = "Long", .items = {Paragraph{std::string(9000, 'x')}}});
  const std::string html = write_html(report);
  const std::string text = between(html, "<noscript>", "</noscript>");
  EXPECT_THAT(text, HasSubstr("The judgement."));
  EXPECT_THAT(text, HasSubstr("'slackline report' prints"));
  EXPECT_THAT(text, Not(HasSubstr("xxxx")));
  EXPECT_THAT(text, Not(HasSubstr("\n\nTime line\n"))) << "which is only drawn";
  EXPECT_LT(text.size(), 6000u);
}

TEST(WriteHtml, is_deterministic) {
  Report report;
  report.title = "x";
  EXPECT_EQ(write_html(report), write_html(report));
}

}  // namespace
}  // namespace slackline
