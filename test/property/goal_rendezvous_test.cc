// Rendezvous with RDMA read in GOAL programs, against a linear program of LLAMP's own formulas.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <optional>

#include "base/error.h"
#include "formats/goal/goal.h"
#include "graph/goal/goal_graph.h"
#include "graph/testing/arbitrary_goal.h"
#include "oracle/goal_linear_program.h"
#include "timing/goal_reduction.h"
#include "timing/makespan.h"
#include "timing/testing/small_model.h"

namespace slackline {
namespace {

using testing::kNs;

GraphOptions by_rdma_read(std::uint64_t eager_bytes) {
  GraphOptions options{.eager_threshold_bytes = eager_bytes};
  options.rendezvous = Rendezvous::rdma_read;
  return options;
}

/// T in ns; empty: the program deadlocks.
std::optional<MakespanFunction> makespan_of(const GoalProgram& program, const GraphOptions& options,
                                            const LogGPS& model, Parameter parameter) {
  try {
    const GoalReduction r = reduce_goal(program, "x.goal", options, 1);
    return MakespanFunction(ReducedProgram(*r.reduced), model, parameter);
  } catch (const Error&) {
    return std::nullopt;
  }
}

RC_GTEST_PROP(GoalRendezvous, EqualsTheLinearProgramOfLlampsFormulas, ()) {
  const GoalProgram program = testing::arbitrary_goal_program();
  const auto eager_bytes = *rc::gen::element<std::uint64_t>(0, 10, 20, 1000);
  // An o above 0, or a deadlock could cost nothing.
  const LogGPS model{*rc::gen::inRange<std::int64_t>(0, 3000) * kNs,
                     *rc::gen::inRange<std::int64_t>(1, 50) * kNs,
                     *rc::gen::inRange<std::int64_t>(0, 9) * kNs};
  for (const Parameter p : {Parameter::latency, Parameter::overhead, Parameter::gap_per_byte}) {
    auto t = makespan_of(program, by_rdma_read(eager_bytes), model, p);
    const auto lp = oracle::minimise_goal_by_rdma_read(program, eager_bytes, model, p);
    RC_ASSERT(t.has_value() == lp.has_value());
    RC_CLASSIFY(!t, "deadlocks");
    if (!t) return;
    const PathLine right = t->line_at(t->base(), Side::right);
    const double makespan = t->value_ns(right, t->base());
    RC_ASSERT(std::abs(lp->makespan_ns - makespan) <= 1e-4 + 1e-8 * makespan);
    // A degenerate optimum may report any slope between the two derivatives.
    RC_ASSERT(lp->lambda <= static_cast<double>(right.slope) + 1e-6);
    if (t->base().numerator == 0) continue;
    RC_ASSERT(lp->lambda >= static_cast<double>(t->line_at(t->base(), Side::left).slope) - 1e-6);
  }
}

// Figure 15: the running example (Figure 3) with a message of 4 bytes by rendezvous. The virtual
// edge makes C1 wait for the receiver: T = max(c0 + L, c2) + 2 L + B + max(c3, L + c1) with o = 0.
TEST(GoalRendezvous, RunningExampleOfLlamp) {
  const GoalProgram program = read_goal_text(
      "num_ranks 2\n"
      "rank 0 {\nc0: calc 100\ns: send 4b to 1\nc1: calc 1000\ns requires c0\nc1 requires s\n}\n"
      "rank 1 {\nc2: calc 500\nr: recv 4b from 0\nc3: calc 1000\nr requires c2\nc3 requires r\n}\n",
      "x.goal");
  for (const std::int64_t latency : {0, 200, 385, 400, 3000}) {
    const LogGPS model{latency * kNs, 0, 5 * kNs};
    auto t = makespan_of(program, by_rdma_read(0), model, Parameter::latency);
    const double expected = static_cast<double>(std::max(100 + latency, std::int64_t{500}) +
                                                2 * latency + 15 + latency + 1000);
    EXPECT_EQ(t->value_ns(t->line_at(t->base()), t->base()), expected);
    EXPECT_NEAR(
        oracle::minimise_goal_by_rdma_read(program, 0, model, Parameter::latency)->makespan_ns,
        expected, 1e-6);
  }
}

}  // namespace
}  // namespace slackline
