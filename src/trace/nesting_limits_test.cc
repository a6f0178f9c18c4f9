#include "trace/sound_calls.h"

#include <gtest/gtest.h>

#include <string>

#include "formats/text/text.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

Trace nested(int depth) {
  std::string text = "slackline-trace 1 timed ranks=1\nrank 0\n";
  for (int d = 0; d < depth; ++d) text += "enter \"r" + std::to_string(d) + "\"\n";
  text += "compute 5\n+1 barrier\n";
  for (int d = depth; d-- > 0;) text += "leave \"r" + std::to_string(d) + "\"\n";
  TraceBuilder trace = read_text(text + "enter \"last\"\nleave \"last\"\n", "test");
  Samples samples;
  limit_nesting(trace, samples);
  return std::move(trace).build();
}

TEST(RegionNesting, KeepsWhatIsNotAbsurd) {
  const Trace trace = nested(256);
  EXPECT_EQ(trace.calls(0).regions().size(), 2 * 257);
  EXPECT_TRUE(trace.findings().empty());
}

TEST(RegionNesting, DropsBothEventsOfRegionsThatAreTooDeep) {
  const Trace trace = nested(1000);
  EXPECT_EQ(trace.calls(0).regions().size(), 2 * 257);
  ASSERT_EQ(trace.findings().entries().size(), 1u);
  EXPECT_EQ(trace.findings().entries()[0].name, "regions_nested_too_deeply");
  EXPECT_EQ(trace.findings().entries()[0].count, 2 * (1000 - 256));
}

/// Each function calls the next; a call of MPI in each, and a sample in the last.
std::string nested_functions(int depth) {
  std::string text = "slackline-trace 1 timed ranks=1\n";
  for (int d = 1; d <= depth; ++d) {
    text += "frame " + std::to_string(d) + " " + std::to_string(d - 1) + " f" + std::to_string(d) +
            " line=" + std::to_string(d) + "\n";
  }
  text += "rank 0\n";
  for (int d = 1; d <= depth; ++d) text += "+1 barrier frame=" + std::to_string(d) + "\n";
  return text;
}

TEST(CallPathDepth, KeepsWhatRecordingsHave) {
  TraceBuilder trace = read_text(nested_functions(256), "test");
  Samples samples;
  limit_nesting(trace, samples);
  EXPECT_TRUE(same_content(trace, read_text(nested_functions(256), "test")));
  EXPECT_TRUE(trace.findings().empty());
}

TEST(CallPathDepth, GivesWhatIsTooDeepToTheInnermostFunctionKept) {
  TraceBuilder trace = read_text(nested_functions(1000), "test");
  Samples samples;
  samples.set(0, {{.time_ns = 1, .cpu_ns = 1, .frame = 1000, .before_call = 0, .thread = 0}});
  limit_nesting(trace, samples);
  EXPECT_EQ(trace.call_tree().size(), 256);
  EXPECT_EQ(trace.calls(0).frame(254), 255);
  EXPECT_EQ(trace.calls(0).frame(256), 256);
  EXPECT_EQ(trace.calls(0).frame(999), 256);
  EXPECT_EQ(samples.of(0)[0].frame, 256);
  ASSERT_EQ(trace.findings().entries().size(), 1u);
  EXPECT_EQ(trace.findings().entries()[0].name, "call_paths_too_deep");
  EXPECT_EQ(trace.findings().entries()[0].count, 1000 - 256);
}

TEST(RegionNames, AreShortenedAndStayDifferent) {
  TraceBuilder trace(1, true);
  const std::string beginning(20'000, 'x');
  const auto a = trace.region_id(beginning + "a");
  const auto b = trace.region_id(beginning + "b");
  EXPECT_NE(a, b);
  EXPECT_EQ(trace.region_id(beginning + "a"), a);
  EXPECT_LE(trace.regions()[a].size(), TraceBuilder::kLongestRegionName);
  EXPECT_EQ(trace.findings().entries()[0].name, "region_name_shortened");
}

}  // namespace
}  // namespace slackline
