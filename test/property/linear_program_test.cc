// Predictions against LLAMP's linear program, solved by CLP.

#include "oracle/linear_program.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "base/testing/scratch_folder.h"
#include "oracle/graph_times.h"
#include "oracle/reference_model.h"
#include "oracle/regular_programs.h"
#include "property/cases.h"
#include "timing/linear_program.h"
#include "timing/makespan.h"
#include "timing/tolerance.h"

namespace slackline {
namespace {

constexpr std::uint64_t kLinearPrograms = 60;  // a linear program takes much longer than a pass
constexpr std::array kLinearParameters{Parameter::latency, Parameter::overhead,
                                       Parameter::gap_per_byte};

/// CLP works in floating point with feasibility tolerances of 1e-7.
double slack(double ns) {
  return 1e-4 + 1e-8 * std::abs(ns);
}

void expect_agreement(const oracle::LinearProgramAnswer& lp, MakespanFunction& t) {
  const PathLine right = t.line_at(t.base(), Side::right);
  const PathLine left = t.line_at(t.base(), Side::left);
  const double makespan = t.value_ns(right, t.base());
  EXPECT_NEAR(lp.makespan_ns, makespan, slack(makespan));
  // A degenerate optimum may report any slope between the two derivatives.
  // (At 0 the left one lies outside of the model, and bounds that never decide inside count there.)
  if (t.base().numerator > 0) {
    EXPECT_GE(lp.lambda, static_cast<double>(left.slope) - 1e-6);
  }
  EXPECT_LE(lp.lambda, static_cast<double>(right.slope) + 1e-6);
}

TEST(LinearProgram, OfTheGraphAgrees) {
  for (std::uint64_t seed = 0; seed < kLinearPrograms; ++seed) {
    const testing::Case c = testing::without_links(testing::seeded_case(seed, {}));
    const ExecutionGraph graph = build_graph(c.trace, c.options);
    const oracle::TimeSystem system = oracle::graph_times(graph);
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const Parameter p : kLinearParameters) {
      MakespanFunction t(graph, c.model, p);
      expect_agreement(oracle::minimise_makespan(system, c.model, p), t);
    }
  }
}

TEST(LinearProgram, AsTextAgrees) {
  for (std::uint64_t seed = 0; seed < kLinearPrograms; ++seed) {
    const testing::Case c = testing::seeded_case(seed + 2000, {.timed = true});
    const ExecutionGraph graph = build_graph(c.trace, c.options);
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const Parameter p : kLinearParameters) {
      const std::string name(symbol(p));
      const ScratchFolder folder;
      const std::string file = (folder / "program.lp").string();
      write_file(file, linear_program(graph, LogGPSCost(c.model, p), name));
      MakespanFunction t(graph, c.model, p);
      expect_agreement(oracle::minimise_file(file, name), t);
    }
  }
}

TEST(LinearProgram, OfTheReferenceModelAgrees) {
  for (std::uint64_t seed = 0; seed < kLinearPrograms; ++seed) {
    const testing::Case c =
        testing::without_links(testing::seeded_case(seed + 5000, {.timed = true}));
    const ExecutionGraph graph = build_graph(c.trace, c.options);
    const oracle::TimeSystem system = oracle::reference_times(c.trace, c.options);
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const Parameter p : kLinearParameters) {
      MakespanFunction t(graph, c.model, p);
      expect_agreement(oracle::minimise_makespan(system, c.model, p), t);
    }
  }
}

TEST(LinearProgram, TurnedAroundGivesTheTolerance) {
  for (std::uint64_t seed = 0; seed < kLinearPrograms; ++seed) {
    const testing::Case c = testing::without_links(testing::seeded_case(seed + 9000, {}));
    const ExecutionGraph graph = build_graph(c.trace, c.options);
    const oracle::TimeSystem system = oracle::reference_times(c.trace, c.options);
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const Parameter p : kLinearParameters) {
      MakespanFunction t(graph, c.model, p);
      const Tolerance tolerance = find_tolerance(t, 20'000);
      const auto lp = oracle::maximise_parameter(system, c.model, p, tolerance.bound_ns);
      ASSERT_EQ(lp.has_value(), tolerance.value.has_value());
      if (!lp) continue;
      const double x = t.to_ns(*tolerance.value);
      EXPECT_NEAR(*lp, x, slack(x));
    }
  }
}

TEST(LinearProgram, OfARegularProgramAgrees) {
  const Trace trace = to_trace(oracle::lulesh_like_program(2, 2));
  const LogGPS model{3'000'000'000, 500'000'000, 18'000};
  const ExecutionGraph graph = build_graph(trace, {});
  MakespanFunction t(graph, model, Parameter::latency);
  expect_agreement(oracle::minimise_makespan(oracle::graph_times(graph), model, Parameter::latency),
                   t);
}

}  // namespace
}  // namespace slackline
