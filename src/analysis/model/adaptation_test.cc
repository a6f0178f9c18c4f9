#include "analysis/model/adaptation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "graph/testing/text_graph.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::kNs;
using ::testing::Optional;

/// `steps` times: rank 0 computes `ns`, rank 1 answers. T = steps * (ns + 2 L).
std::string round_trips(int steps, int ns) {
  std::string zero = "rank 0\n";
  std::string one = "rank 1\n";
  for (int i = 0; i < steps; ++i) {
    zero += " compute " + std::to_string(ns) + "\n send to=1 bytes=1\n recv from=1 bytes=1\n";
    one += " recv from=0 bytes=1\n send to=0 bytes=1\n";
  }
  return zero + one;
}

Adaptation::Run recorded(const std::string& program, double added_ns) {
  const Trace trace = testing::untimed_trace(2, program);
  const ExecutionGraph graph = build_graph(trace, {});
  ModelChoice choice;
  choice.model = {1 * kNs, 0, 0};
  return {.trace = "runs/app.slk",
          .added_ns = added_ns,
          .extent = program_extent(trace, graph),
          .curve = sensitivity(graph, choice, Parameter::latency, 0, 20 * kNs)};
}

// 10,000 + 200 L beside 10,050 + 20 L: at L = 0 0.5 % more, and from 150 / 178 ns on 1 % less.
TEST(Adaptation, GainsWhatFewerMessagesSave) {
  const Adaptation a{{recorded(round_trips(100, 100), 0), recorded(round_trips(10, 1005), 10)}};
  EXPECT_DOUBLE_EQ(a.runs[1].makespan_ns(), 10'050 + 20 * 11);
  EXPECT_DOUBLE_EQ(a.gain_ns(a.runs[1]), 10'000 + 200 * 11 - (10'050 + 20 * 11));
  EXPECT_DOUBLE_EQ(a.gain_ns(a.runs[0]), 0);
  EXPECT_THAT(first_difference(a.runs[0].curve, a.runs[1].curve, 0.01),
              Optional(DoubleNear(150.0 / 178, 1e-9)));
  EXPECT_THAT(differing(a.runs[0].extent, a.runs[1].extent), ElementsAre("messages"));
}

TEST(Adaptation, DifferenceMayBeginAtTheFirstValueOrNowhere) {
  const Sensitivity a = recorded(round_trips(10, 100), 0).curve;
  const Sensitivity slower = recorded(round_trips(10, 102), 0).curve;
  EXPECT_EQ(first_difference(a, slower, 0.01), 0.0);
  EXPECT_EQ(first_difference(a, slower, 0.03), std::nullopt);
  EXPECT_EQ(first_difference(a, a, 0.01), std::nullopt);
}

TEST(Adaptation, ExtentOfAProgramCountsWhatItDoes) {
  const ProgramExtent extent =
      recorded("rank 0\n compute 30\n barrier\nrank 1\n compute 10\n barrier\n", 0).extent;
  EXPECT_EQ(extent.collectives, 2u);
  EXPECT_DOUBLE_EQ(extent.computation_ns, 20);
  EXPECT_EQ(extent.iterations, std::nullopt);  // no times
}

TEST(Adaptation, IsReportedInAllForms) {
  const Adaptation a{{recorded(round_trips(100, 100), 0), recorded(round_trips(10, 1005), 10)}};
  const Report report = describe(a);
  const Section& section = report.sections.front();
  EXPECT_EQ(std::get<Paragraph>(section.items[0]).text,
            "The program adapts at dL = 10 ns: 1.930 us (15.8 %) less than app.slk predicts. T of "
            "app.slk (dL 10 ns) differs from that of app.slk by more than 1 % from L = 0.8427 ns; "
            "the traces differ in messages.");
  const auto& plot = std::get<Series>(section.items[1]);
  ASSERT_EQ(plot.lines.size(), 2u);
  EXPECT_EQ(plot.lines[1].y.back(), 10'050 + 20 * 20);
}

}  // namespace
}  // namespace slackline
