// What is written as GOAL and read back takes as long as the trace that it was written from.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "calls/call_actions.h"
#include "formats/goal/goal.h"
#include "formats/testing/text_trace.h"
#include "graph/goal/goal_graph.h"
#include "property/cases.h"
#include "timing/makespan.h"
#include "whatif/program_writer.h"

namespace slackline {
namespace {

Int128 makespan_fs(const ExecutionGraph& graph, const LogGPS& model) {
  MakespanFunction t(graph, model, Parameter::latency);
  return t.line_at(t.base()).scaled_at(t.base()) * t.tick_fs() / t.base().denominator;
}

struct Exported {
  ExecutionGraph graph;
  Findings findings;
};

Exported there_and_back(const Trace& trace, const GraphOptions& options) {
  Findings findings;
  std::string text;
  write_goal_text(goal_of_trace(trace, options, findings),
                  [&](std::string_view piece) { text += piece; });
  const GoalProgram program = read_goal_text(text, "x.goal");
  return {build_goal_graph(program, "x.goal", options).graph, std::move(findings)};
}

bool any_call(const Trace& trace, auto is) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    for (std::size_t i = 0; i < trace.calls(r).size(); ++i) {
      if (is(trace.calls(r)[i])) return true;
    }
  }
  return false;
}

/// Whether a rank ends without having completed what it started: in GOAL that belongs to its end.
bool leaves_requests(const Trace& trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    std::set<std::uint32_t> open;
    for (std::size_t i = 0; i < trace.calls(r).size(); ++i) {
      const Call call = trace.calls(r)[i];
      const OperationClass kind = operation_class(call.operation);
      if (kind == OperationClass::completion) {
        for_each_completed_request(call, [&](std::uint32_t serial) { open.erase(serial); });
      } else if (kind == OperationClass::isend || kind == OperationClass::irecv ||
                 kind == OperationClass::icollective) {
        open.insert(call.request);
      }
    }
    if (!open.empty()) return true;
  }
  return false;
}

/// GOAL has neither probes nor receives that nobody waits for; send modes that it loses are told.
bool goal_holds(const Trace& trace, const Findings& lost) {
  const auto modes = [](const auto& entry) { return entry.name == "goal_send_modes"; };
  if (std::ranges::any_of(lost.entries(), modes) || leaves_requests(trace)) return false;
  return !any_call(trace, [](const Call& call) {
    const Operation o = call.operation;
    const bool found = operation_class(o) == OperationClass::probe && !call.has(SLK_FLAG_FAILED);
    return found || o == Operation::request_free;
  });
}

void check(const testing::Case& c) {
  const ExecutionGraph graph = build_graph(c.trace, c.options);
  const Exported back = there_and_back(c.trace, c.options);
  if (!goal_holds(c.trace, back.findings)) return;
  RC_ASSERT(makespan_fs(back.graph, c.model) == makespan_fs(graph, c.model));
}

RC_GTEST_PROP(GoalExport, UntimedTracesTakeAsLong, ()) {
  const testing::Case c = testing::without_links(testing::arbitrary_case({}));
  RC_LOG() << testing::describe(c.trace, c.options);
  check(c);
}

RC_GTEST_PROP(GoalExport, TimedTracesTakeAsLong, ()) {
  const testing::Case c = testing::without_links(testing::arbitrary_case({.timed = true}));
  RC_LOG() << testing::describe(c.trace, c.options);
  check(c);
}

// Synchronous sends, polls and a nonblocking barrier: the sends' handshakes, edges to and from the
// other rank, must not become dependencies within a rank. T: with S = 0 every message has one.
TEST(GoalExport, NonblockingConsensusIsValid) {
  const Trace trace = testing::untimed_trace(
      2,
      "rank 0\n compute 1000\n issend to=1 tag=5 bytes=256 req=1\n recv from=1 tag=5 bytes=256\n"
      " testall reqs=1\n ibarrier req=2\n compute 300\n wait req=2\n"
      "rank 1\n compute 5000\n issend to=0 tag=5 bytes=256 req=1\n recv from=0 tag=5 bytes=256\n"
      " testall reqs=1\n ibarrier req=2\n compute 300\n wait req=2\n");
  const LogGPS model{3'000'000'000, 500'000'000, 18'000};
  GraphOptions options{.eager_threshold_bytes = 0};
  EXPECT_TRUE(makespan_fs(there_and_back(trace, options).graph, model) ==
              makespan_fs(build_graph(trace, options), model));
  options.eager_threshold_bytes = 256;
  const Exported eager = there_and_back(trace, options);
  ASSERT_EQ(eager.findings.entries().size(), 1u);
  EXPECT_EQ(eager.findings.entries().front().name, "goal_send_modes");
  EXPECT_EQ(eager.findings.entries().front().count, 2u);
}

// Rendezvous messages that all ranks send before they receive: nonblocking, so nobody waits for
// itself, and the program takes as long under any threshold.
TEST(GoalExport, AnExchangeOfLongMessagesDoesNotDeadlock) {
  const Trace trace = testing::untimed_trace(
      2,
      "rank 0\n isend to=1 bytes=1000 req=1\n compute 70\n irecv from=1 bytes=1000 req=2\n"
      " compute 900\n waitall reqs=1,2\n"
      "rank 1\n isend to=0 bytes=1000 req=1\n irecv from=0 bytes=1000 req=2\n compute 900\n"
      " waitall reqs=1,2\n");
  const LogGPS model{0, 0, 1'000'000};  // G = 1 ns/B, so that only the rendezvous is seen
  const GraphOptions options{.eager_threshold_bytes = 100};
  // Rank 0 answers at 70, and the data of rank 1 is there 999 ns later.
  EXPECT_TRUE(makespan_fs(there_and_back(trace, options).graph, model) == Int128{1'069'000'000});
}

// An edited program, which has no times, starts from what is predicted of the measured one.
TEST(GoalExport, ProgramsWithoutTimesKeepOneSidedCommunicationAndIo) {
  const Trace trace = testing::timed_trace(
      2,
      "rank 0\n @10 +50 win_post args=1\n @100 +500 win_wait\n @700 +50 file_write bytes=8\n"
      " @800 +400 file_write_all bytes=8\n @1300 +5 barrier\n"
      "rank 1\n @20 +5 win_start args=0\n @150 +5 put target=0 bytes=1000\n @300 +5 win_complete\n"
      " @1000 +200 file_write_all bytes=8\n @1300 +5 barrier\n");
  const LogGPS model{3'000'000, 500'000, 18'000};
  EXPECT_TRUE(makespan_fs(build_graph(untimed_copy(trace), {}), model) ==
              makespan_fs(build_graph(trace, {}), model));
}

// The memory that is asked answers by itself. o is 0: GOAL's receive of the answer pays one.
TEST(GoalExport, OneSidedCommunicationAndIoTakeAsLong) {
  const Trace trace = testing::timed_trace(
      2,
      "rank 0\n @10 +5 win_fence\n @100 +5 put target=1 bytes=1000\n @200 +5 win_fence\n"
      " @300 +5 win_lock target=1\n @400 +5 get target=1 bytes=3000\n @500 +5 win_unlock target=1\n"
      " @600 +50 file_write bytes=8\n @700 +5 barrier\n"
      "rank 1\n @20 +5 win_fence\n @150 +60 win_fence\n @600 +105 barrier\n");
  const LogGPS model{3'000'000'000, 0, 18'000};
  const GraphOptions options{};
  EXPECT_TRUE(makespan_fs(there_and_back(trace, options).graph, model) ==
              makespan_fs(build_graph(trace, options), model));
}

// Long programs, each with its own options; every one must at least be valid GOAL.
TEST(GoalExport, LongProgramsAreValidAndTakeAsLong) {
  int exact = 0;
  for (std::uint64_t seed = 0; seed < testing::kSeeds; ++seed) {
    const testing::Case c =
        testing::without_links(testing::seeded_case(seed, {.timed = seed % 2 == 1}));
    const Exported back = there_and_back(c.trace, c.options);
    if (!goal_holds(c.trace, back.findings)) continue;
    ++exact;
    ASSERT_TRUE(makespan_fs(back.graph, c.model) ==
                makespan_fs(build_graph(c.trace, c.options), c.model))
        << seed << "\n"
        << testing::describe(c.trace, c.options);
  }
  EXPECT_GT(exact, 20);
}

}  // namespace
}  // namespace slackline
