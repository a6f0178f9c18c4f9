// Every public trace that may be at hand: it opens, its ranks and messages are those that are
// known, and the model gives it a makespan.

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "analysis/summary/diagnosis.h"
#include "formats/open/open.h"
#include "graph/build.h"
#include "timing/makespan.h"
#include "trace/testing/shared_traces.h"

namespace slackline {
namespace {

struct Known {
  std::string name;
  std::string format;
  std::int32_t ranks;
};

void PrintTo(const Known& known, std::ostream* out) {
  *out << known.name;
}

class PublicTrace : public ::testing::TestWithParam<Known> {};

TEST_P(PublicTrace, OpensAndHasAMakespan) {
  const auto path = testing::shared_trace(GetParam().name);
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << path << " is not there; set SLACKLINE_SHARED";
  }
  const OpenedTrace opened = open_trace(path);
  EXPECT_EQ(opened.format, GetParam().format);
  EXPECT_EQ(opened.trace.ranks(), GetParam().ranks);
  EXPECT_GT(opened.trace.call_count(), 0u);
  const ExecutionGraph graph = build_graph(opened.trace, {});
  constexpr std::int64_t kMicrosecond_fs = 1'000'000'000;
  MakespanFunction t(graph, {.latency_fs = kMicrosecond_fs}, Parameter::latency);
  const PathLine line = t.line_at(t.base());
  EXPECT_GT(t.value_ns(line, t.base()), 0);
  // A run of one rank never waits for the network; every other one does once it is slow enough.
  EXPECT_EQ(t.asymptote().slope > 0, GetParam().ranks > 1);
}

// Computation, waiting that is known, MPI's own work and what is not known are all of the time.
TEST_P(PublicTrace, PartsOfTheTimeAddUp) {
  const auto path = testing::shared_trace(GetParam().name);
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP() << path << " is not there; set SLACKLINE_SHARED";
  }
  const OpenedTrace opened = open_trace(path);
  if (!opened.trace.timed()) GTEST_SKIP() << "no times";
  const TimeShares shares = diagnose(opened.trace, CallPaths(opened.trace)).shares;
  EXPECT_GE(shares.own_ns(), 0);
  EXPECT_GE(shares.unknown_ns, 0);
  EXPECT_EQ(shares.own_ns() + shares.unknown_ns, shares.sum_ns.mpi);
  EXPECT_EQ(shares.sum_ns.total(), shares.length_ns * static_cast<std::int64_t>(shares.present));
  for (const TimeShares::OfCalls& c : shares.calls) {
    EXPECT_GE(c.unknown_ns, 0) << mpi_name(c.operation);
    EXPECT_LE(c.unknown_ns, c.inside_ns()) << mpi_name(c.operation);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PublicTrace,
    ::testing::Values(Known{"epoch/epoch_1proc.prv.gz", "paraver", 1},
                      Known{"epoch/epoch_2proc.prv.gz", "paraver", 2},
                      Known{"epoch/epoch_4proc.prv.gz", "paraver", 4},
                      Known{"epoch/epoch_8proc.prv.gz", "paraver", 8},
                      Known{"ring4/ring.prv", "paraver", 4}, Known{"pingpong-otf2", "otf2", 2},
                      Known{"sstmacro10", "otf2", 10}, Known{"stencil4d-64", "otf2", 64},
                      Known{"sweep3d-2x2", "liballprof", 4}, Known{"ti/ti_traces_32_1", "ti", 32},
                      Known{"goal/binary_tree_16.goal", "goal", 16},
                      Known{"goal/binary_tree_32.goal", "goal", 32},
                      Known{"goal/blocking.goal", "goal", 2},
                      Known{"goal/dissemination_16.goal", "goal", 16},
                      Known{"goal/dissemination_32.goal", "goal", 32},
                      Known{"goal/non_blocking.goal", "goal", 2}));

}  // namespace
}  // namespace slackline
