// The law of every Schedule, and that Schedules, breakdowns and critical paths agree with T.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/model/model_path.h"
#include "analysis/model/rank_breakdown.h"
#include "oracle/reference_model.h"
#include "oracle/regular_programs.h"
#include "property/cases.h"
#include "timing/makespan.h"

namespace slackline {
namespace {

/// Parameters in whole picoseconds, so that a Schedule rounds nothing.
LogGPS whole_picoseconds(const LogGPS& model) {
  return {model.latency_fs / 1000 * 1000, model.overhead_fs / 1000 * 1000,
          model.gap_per_byte_fs / 1000 * 1000};
}

struct Fixture {
  testing::Case c;
  LogGPS model;
  ExecutionGraph graph;
  Schedule schedule;
  PicosecondCost cost;

  explicit Fixture(testing::Case made)
      : c(std::move(made)),
        model(whole_picoseconds(c.model)),
        graph(build_graph(c.trace, c.options)),
        schedule(model_schedule(graph, model)),
        cost(model) {}

  PathLine line(Parameter parameter, Side side) const {
    MakespanFunction t(graph, model, parameter);
    return t.line_at(t.base(), side);
  }
};

/// Each vertex lies at the latest of its in-edges' ends, and the deciding one is such.
bool is_earliest(const Fixture& f) {
  for (VertexId v = 0; v < f.graph.vertex_count(); ++v) {
    const std::uint32_t decided = f.schedule.decided_by[v];
    if (f.graph.in_degree(v) == 0) {
      if (decided != Schedule::kUndecided || f.schedule.time_ps[v] != 0) return false;
      continue;
    }
    for (std::size_t k = 0; k < f.graph.in_degree(v); ++k) {
      const Edge e = f.graph.in_edge(v, k);
      const std::int64_t end = f.schedule.time_ps[e.from] + f.cost(e).total_ps();
      if (end > f.schedule.time_ps[v]) return false;
      if (k == decided && end != f.schedule.time_ps[v]) return false;
    }
  }
  return true;
}

bool equals_reference(const Fixture& f) {
  if (f.c.options.serial_links) return true;  // the reference model has none
  const auto ends = oracle::end_times(oracle::reference_times(f.c.trace, f.c.options), f.model);
  for (std::size_t r = 0; r < ends.size(); ++r) {
    if (oracle::Wide{f.schedule.rank_end_ps[r]} * 1000 != ends[r]) return false;
  }
  return ends.size() == f.schedule.rank_end_ps.size();
}

bool parts_add_up(const Fixture& f) {
  for (const TimeBreakdown& p : rank_breakdown(f.graph, f.schedule, f.cost)) {
    if (p.total() != f.schedule.makespan_ps) return false;
    if (std::min({p.compute, p.overhead, p.transfer, p.wait}) < 0) return false;
  }
  return true;
}

/// A rank computes exactly what its trace says, up to MPI_Finalize.
bool computation_is_the_traces(const Fixture& f) {
  const auto parts = rank_breakdown(f.graph, f.schedule, f.cost);
  std::int64_t first_begin = 0;
  for (std::int32_t r = 0; f.c.program.timed && r < f.c.trace.ranks(); ++r) {
    const std::int64_t begin = f.c.trace.calls(r).end_ns(0);
    first_begin = r == 0 ? begin : std::min(first_begin, begin);
  }
  for (std::int32_t r = 0; r < f.c.trace.ranks(); ++r) {
    const RankCalls& calls = f.c.trace.calls(r);
    std::int64_t ns = f.c.program.timed ? calls.end_ns(0) - first_begin : 0;
    for (std::size_t i = f.c.program.timed ? 1 : 0; i < calls.size(); ++i) ns += calls.gap_ns(i);
    if (parts[static_cast<std::size_t>(r)].compute != ns * 1000) return false;
  }
  return true;
}

bool segments_are_contiguous(const ModelPath& path, std::int64_t makespan_ps) {
  std::int64_t at = 0;
  for (const PathSegment& s : path.segments) {
    if (s.begin_ps != at || s.end_ps <= s.begin_ps) return false;
    at = s.end_ps;
  }
  return at == makespan_ps;
}

std::int64_t total_of(const std::vector<PathTime>& times) {
  std::int64_t sum = 0;
  for (const PathTime& t : times) sum += t.total_ps();
  return sum;
}

/// `time` is some whole multiple of `unit` between the two derivatives.
bool between(std::int64_t time_ps, std::int64_t unit_fs, const PathLine& left,
             const PathLine& right) {
  if (unit_fs == 0) return time_ps == 0;
  const std::int64_t multiples = time_ps * 1000 / unit_fs;
  return multiples * unit_fs == time_ps * 1000 && left.slope <= multiples &&
         multiples <= right.slope;
}

bool path_agrees_with_derivatives(const Fixture& f, const ModelPath& path) {
  return path.messages ==
             static_cast<std::uint64_t>(f.line(Parameter::latency, Side::right).slope) &&
         between(path.total.latency_ps, f.model.latency_fs, f.line(Parameter::latency, Side::left),
                 f.line(Parameter::latency, Side::right)) &&
         between(path.total.overhead_ps, f.model.overhead_fs,
                 f.line(Parameter::overhead, Side::left),
                 f.line(Parameter::overhead, Side::right)) &&
         between(path.total.bandwidth_ps, f.model.gap_per_byte_fs,
                 f.line(Parameter::gap_per_byte, Side::left),
                 f.line(Parameter::gap_per_byte, Side::right));
}

void check(const Fixture& f) {
  MakespanFunction t(f.graph, f.model, Parameter::latency);
  RC_ASSERT(t.line_at(t.base()).scaled_at(t.base()) * t.tick_fs() ==
            Int128{f.schedule.makespan_ps} * 1000 * t.base().denominator);
  RC_ASSERT(is_earliest(f));
  RC_ASSERT(equals_reference(f));
  RC_ASSERT(parts_add_up(f));
  RC_ASSERT(computation_is_the_traces(f));
  const ModelPath path = model_path(f.c.trace, f.graph, f.schedule, f.cost);
  RC_ASSERT(segments_are_contiguous(path, f.schedule.makespan_ps));
  RC_ASSERT(path.total.total_ps() == f.schedule.makespan_ps);
  RC_ASSERT(total_of(path.by_rank) == f.schedule.makespan_ps);
  RC_ASSERT(path_agrees_with_derivatives(f, path));
}

RC_GTEST_PROP(Schedule, KeepsTheLawOnUntimedTraces, ()) {
  const Fixture f(testing::arbitrary_case({}));
  RC_LOG() << testing::describe(f.c.trace, f.c.options);
  check(f);
}

RC_GTEST_PROP(Schedule, KeepsTheLawOnTimedTraces, ()) {
  const Fixture f(testing::arbitrary_case({.timed = true}));
  RC_LOG() << testing::describe(f.c.trace, f.c.options);
  check(f);
}

/// Time by region, where there are regions, is all the time.
RC_GTEST_PROP(ModelPath, RegionsShareAllOfIt, ()) {
  const Fixture f(testing::arbitrary_case({.timed = true}));
  const ModelPath path = model_path(f.c.trace, f.graph, f.schedule, f.cost);
  std::int64_t by_region = 0;
  for (const auto& [region, time] : path.by_region) by_region += time.total_ps();
  std::int64_t by_operation = 0;
  for (const auto& [operation, time] : path.by_operation) by_operation += time.total_ps();
  RC_ASSERT(by_operation == f.schedule.makespan_ps);
  RC_ASSERT(f.c.trace.regions().empty() || by_region == f.schedule.makespan_ps);
}

void expect_consistent(oracle::Program program, const GraphOptions& options, const LogGPS& model) {
  Trace trace = to_trace(program);
  const Fixture f(testing::Case{std::move(program), std::move(trace), options, model});
  EXPECT_TRUE(is_earliest(f));
  EXPECT_TRUE(equals_reference(f));
  EXPECT_TRUE(parts_add_up(f));
  EXPECT_TRUE(computation_is_the_traces(f));
  const ModelPath path = model_path(f.c.trace, f.graph, f.schedule, f.cost);
  EXPECT_TRUE(segments_are_contiguous(path, f.schedule.makespan_ps));
  EXPECT_TRUE(path_agrees_with_derivatives(f, path));
  EXPECT_TRUE(f.graph.findings().empty());
}

TEST(Schedule, OfAStencilIsConsistent) {
  for (const Rendezvous protocol :
       {Rendezvous::handshake, Rendezvous::rdma_read, Rendezvous::sync, Rendezvous::loggopsim}) {
    GraphOptions options;
    options.eager_threshold_bytes = 1024;  // halos of 4096 bytes are rendezvous
    options.rendezvous = protocol;
    expect_consistent(oracle::stencil_program(4, 5, 20, 4), options,
                      {3'000'000'000, 500'000'000, 18'000});
  }
}

TEST(Schedule, OfALuleshLikeProgramIsConsistent) {
  expect_consistent(oracle::lulesh_like_program(3, 4), {}, {3'000'000'000, 500'000'000, 18'000});
}

}  // namespace
}  // namespace slackline
