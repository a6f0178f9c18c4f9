// The makespan of random programs: src/graph and src/timing against the reference model.

#include "timing/makespan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "oracle/reference_model.h"
#include "property/cases.h"
#include "timing/model_schedule.h"

namespace slackline {
namespace {

using oracle::Wide;

/// Does T at the model's own value of each parameter equal the reference's, to the femtosecond?
::testing::AssertionResult agrees(const Trace& trace, const GraphOptions& options,
                                  const LogGPS& model) {
  const Wide expected = oracle::makespan(oracle::reference_times(trace, options), model);
  const ExecutionGraph graph = build_graph(trace, options);
  for (const Parameter p : {Parameter::latency, Parameter::overhead, Parameter::gap_per_byte}) {
    MakespanFunction t(graph, model, p);
    const Wide scaled = t.line_at(t.base()).scaled_at(t.base()) * t.tick_fs();
    if (scaled == expected * t.base().denominator) continue;
    return ::testing::AssertionFailure()
           << "by " << symbol(p) << ": T is " << static_cast<double>(scaled / t.base().denominator)
           << " fs, the reference says " << static_cast<double>(expected) << "\n"
           << testing::describe(trace, options);
  }
  return ::testing::AssertionSuccess();
}

RC_GTEST_PROP(Makespan, EqualsTheReferenceModel, ()) {
  const testing::Case c = testing::without_links(testing::arbitrary_case({}));
  const ::testing::AssertionResult result = agrees(c.trace, c.options, c.model);
  RC_LOG() << result.message();
  RC_ASSERT(static_cast<bool>(result));
}

RC_GTEST_PROP(Makespan, EqualsTheReferenceModelOnTimedTraces, ()) {
  const testing::Case c = testing::without_links(testing::arbitrary_case({.timed = true}));
  const ::testing::AssertionResult result = agrees(c.trace, c.options, c.model);
  RC_LOG() << result.message();
  RC_ASSERT(static_cast<bool>(result));
}

TEST(Makespan, EqualsTheReferenceModelOnSeededPrograms) {
  for (std::uint64_t seed = 0; seed < testing::kSeeds; ++seed) {
    const testing::Case c =
        testing::without_links(testing::seeded_case(seed, {.timed = seed % 3 == 0}));
    ASSERT_TRUE(agrees(c.trace, c.options, c.model)) << "seed " << seed;
  }
}

TEST(Makespan, SoundProgramsHaveNoDamage) {
  for (std::uint64_t seed = 0; seed < testing::kSeeds; ++seed) {
    const testing::Case c = testing::without_links(testing::seeded_case(seed, {}));
    const ExecutionGraph graph = build_graph(c.trace, c.options);
    for (const auto& f : graph.findings().entries()) {
      EXPECT_NE(f.severity, Severity::data_loss) << f.name << ", seed " << seed;
      EXPECT_NE(f.name, "rendezvous_deadlock") << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace slackline
