// What scenarios do to the makespan.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "calls/run_span.h"
#include "property/cases.h"
#include "timing/makespan.h"
#include "whatif/program_writer.h"
#include "whatif/scenario.h"

namespace slackline {
namespace {

double makespan_ns(const Trace& trace, const GraphOptions& options, const LogGPS& model) {
  const ExecutionGraph graph = build_graph(trace, options);
  MakespanFunction t(graph, model, Parameter::latency);
  return t.value_ns(t.line_at(t.base()), t.base());
}

double makespan_ns(const testing::Case& c) {
  return makespan_ns(c.trace, c.options, c.model);
}

Trace edited(const Trace& trace, const std::string& text) {
  Scenario scenario;
  scenario.edits.push_back(parse_edit(text));
  return apply(scenario, {trace, {}}).trace;
}

RC_GTEST_PROP(Whatif, AnUntimedCopyHasTheSameMakespan, ()) {
  const testing::Case c = testing::arbitrary_case({.timed = true});
  RC_ASSERT(makespan_ns(untimed_copy(c.trace), c.options, c.model) == makespan_ns(c));
}

RC_GTEST_PROP(Whatif, LessComputationNeverTakesLonger, ()) {
  const testing::Case c = testing::arbitrary_case({});
  const double before = makespan_ns(c);
  const double half = makespan_ns(edited(c.trace, "scale factor=0.5"), c.options, c.model);
  const double none = makespan_ns(edited(c.trace, "scale factor=0"), c.options, c.model);
  RC_ASSERT(half <= before);
  RC_ASSERT(none <= half);
}

/// Everything that takes time twice as long: computation by the edit, the network by its
/// parameters.
RC_GTEST_PROP(Whatif, TwiceEverythingTakesTwiceAsLong, ()) {
  const testing::Case c = testing::arbitrary_case({});
  LogGPS slower = c.model;
  slower.latency_fs *= 2;
  slower.overhead_fs *= 2;
  slower.gap_per_byte_fs *= 2;
  const Trace twice = edited(untimed_copy(c.trace), "scale factor=2");
  const auto starts_together = [](const Trace& trace) {
    for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
      if (!trace.calls(rank).empty() && rank_span(trace.calls(rank)).analysed.begin_ns != 0)
        return false;
    }
    return true;
  };
  RC_PRE(starts_together(twice));  // a late start is no computation
  RC_ASSERT(makespan_ns(twice, c.options, slower) == 2 * makespan_ns(c));
}

RC_GTEST_PROP(Whatif, MessagesWithoutBytesOrCostChangeNothingElse, ()) {
  const testing::Case c = testing::arbitrary_case({});
  const LogGPS free{0, 0, 0};
  const Trace resized = edited(c.trace, "resize-messages bytes=0");
  RC_ASSERT(makespan_ns(resized, c.options, free) <= makespan_ns(c.trace, c.options, free));
}

}  // namespace
}  // namespace slackline
