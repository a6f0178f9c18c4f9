#include "analysis/runs/scheduled_calls.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "calls/causality.h"
#include "calls/run_span.h"
#include "graph/testing/text_graph.h"
#include "timing/model_schedule.h"
#include "timing/testing/small_model.h"
#include "trace/testing/plausible_trace.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using testing::kModel;
using testing::kNs;

Trace modelled(const Trace& trace, const LogGPS& model = kModel) {
  const ExecutionGraph graph = build_graph(trace, {});
  return modelled_trace(trace, graph, model_schedule(graph, model));
}

TEST(ModelledTrace, GivesAnUntimedTraceTimes) {
  // The message leaves after 500 + o, is on its way for L + 4 G, and received in o.
  const Trace trace = modelled(testing::untimed_trace(
      2,
      "rank 0\n compute 500\n send to=1 bytes=5\nrank 1\n irecv from=0 bytes=5 req=1\n"
      " compute 70\n wait req=1\n"));
  EXPECT_TRUE(trace.timed());
  EXPECT_EQ(trace.calls(0).begin_ns(0), 500);
  EXPECT_EQ(trace.calls(0).end_ns(0), 510);
  EXPECT_EQ(trace.calls(1).begin_ns(0), 0);
  EXPECT_EQ(trace.calls(1).begin_ns(1), 70);
  EXPECT_EQ(trace.calls(1).end_ns(1), 1524);
}

TEST(ModelledTrace, LiesBesideTheMeasuredOne) {
  // Zero is 100, where rank 0 leaves MPI_Init first. The receive begins 300 after that.
  const Trace trace = modelled(testing::timed_trace(
      2,
      "rank 0\n @50 +50 init\n @200 enter \"a\"\n @300 +900 send to=1 bytes=5\n"
      " @1250 leave \"a\"\n @1300 +20 finalize\n"
      "rank 1\n @60 +140 init\n @400 +9000 recv from=0 bytes=5\n @9410 +9 finalize\n"));
  EXPECT_EQ(trace.calls(0).begin_ns(0), 50);
  EXPECT_EQ(trace.calls(0).begin_ns(1), 300);
  EXPECT_EQ(trace.calls(0).end_ns(1), 310);
  EXPECT_EQ(trace.calls(0).regions()[0].time_ns, 200);
  EXPECT_EQ(trace.calls(0).regions()[1].time_ns, 360);  // 50 after the send, as before
  EXPECT_EQ(trace.calls(0).begin_ns(2), 410);
  EXPECT_EQ(trace.calls(1).begin_ns(1), 400);
  EXPECT_EQ(trace.calls(1).end_ns(1), 300 + 10 + 1004 + 10);
  EXPECT_EQ(trace.calls(1).begin_ns(2), 1334);
}

bool same_times(const Trace& a, const Trace& b) {
  for (std::int32_t rank = 0; rank < a.ranks(); ++rank) {
    for (std::size_t i = 0; i < a.calls(rank).size(); ++i) {
      if (a.calls(rank).begin_ns(i) != b.calls(rank).begin_ns(i)) return false;
      if (a.calls(rank).end_ns(i) != b.calls(rank).end_ns(i)) return false;
    }
  }
  return true;
}

// What the model makes of its own prediction is that prediction: computation has stayed.
RC_GTEST_PROP(ModelledTrace, IsItsOwnPrediction, ()) {
  const Trace trace = modelled(testing::PlausibleTrace::make());
  RC_ASSERT(same_times(trace, modelled(trace)));
  TraceBuilder copy = Trace(trace);
  RC_ASSERT(count_causality_violations(copy, CallMatching(copy)).violations == 0u);
}

// Each rank enters MPI_Finalize when the schedule says that its program ends.
RC_GTEST_PROP(ModelledTrace, EndsWithTheSchedule, ()) {
  const Trace measured = testing::PlausibleTrace::make();
  const ExecutionGraph graph = build_graph(measured, {});
  const Schedule schedule = model_schedule(graph, kModel);
  const Trace trace = modelled_trace(measured, graph, schedule);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    const std::int64_t end = schedule.rank_end_ps[static_cast<std::size_t>(rank)];
    RC_ASSERT(calls.begin_ns(calls.size() - 1) - run_span(measured).analysed.begin_ns ==
              end / kPicosPerNano);
  }
}

}  // namespace
}  // namespace slackline
