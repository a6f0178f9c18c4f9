// Gain curves against programs that really have the change, against a plain evaluation of edited
// costs, and against the linear program.

#include "analysis/model/gains.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "calls/call_paths.h"
#include "oracle/graph_times.h"
#include "oracle/linear_program.h"
#include "property/cases.h"
#include "timing/makespan.h"
#include "whatif/scenario.h"

namespace slackline {
namespace {

constexpr std::int64_t kOneShare = 1'000'000;  // in femtoseconds: one nanosecond

double run_time_ns(const Trace& trace, const GraphOptions& options, const LogGPS& model) {
  const ExecutionGraph graph = build_graph(trace, options);
  MakespanFunction t(graph, model, Parameter::latency);
  return t.value_ns(t.line_at(t.base()), t.base());
}

Trace with_edit(const Trace& trace, const std::string& text) {
  Scenario scenario;
  scenario.edits.push_back(parse_edit(text));
  return apply(scenario, {trace, {}}).trace;
}

/// Whole nanoseconds, so that a system of equations can hold what any edge costs.
LogGPS whole_model(std::uint64_t seed) {
  return {static_cast<std::int64_t>(seed % 7 * 500) * 1'000'000,
          static_cast<std::int64_t>(seed % 3 * 200) * 1'000'000,
          static_cast<std::int64_t>(seed % 2) * 1'000'000};
}

/// What an edge has of a group, in ns.
using SelectedNs = std::function<std::int64_t(const Edge&, VertexId to)>;

std::int64_t network_ns(const Edge& e, const LogGPS& model) {
  return (e.latencies * model.latency_fs + e.overheads * model.overhead_fs +
          multiples(e, Parameter::gap_per_byte) * model.gap_per_byte_fs) /
         kOneShare;
}

/// The graph's equations with the group's costs as multiples of the latency, all others in ns.
oracle::TimeSystem group_times(const ExecutionGraph& graph, const LogGPS& model,
                               const SelectedNs& selected) {
  oracle::TimeSystem system;
  const auto cost = [&](const Edge& e, VertexId to) {
    const std::int64_t of_group = selected(e, to);
    return oracle::Cost{e.nanoseconds + network_ns(e, model) - of_group, of_group, 0, 0};
  };
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    std::vector<oracle::TimeSystem::Term> terms;
    graph.for_in_edges(v, [&](const Edge& e) { terms.push_back({e.from, cost(e, v)}); });
    system.maximum(std::move(terms));
  }
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    const VertexId last = graph.last_vertex(r);
    const Edge tail{last, EdgeKind::compute, 0, 0, graph.tail_ns(r), 0};
    system.ends.push_back({last, cost(tail, last)});
  }
  return system;
}

LogGPS share(std::int64_t percent) {
  return {kOneShare / 100 * percent, 0, 0};
}

double makespan_at(const oracle::TimeSystem& system, std::int64_t percent_left) {
  return static_cast<double>(oracle::makespan(system, share(percent_left))) / kOneShare;
}

/// Groups whose edges anybody can tell without knowing what gains() does.
std::optional<SelectedNs> selection(const GainCurve& curve, const Trace& trace,
                                    const ExecutionGraph& graph, const LogGPS& model) {
  if (curve.kind == "computation") {
    return [](const Edge& e, VertexId) { return e.nanoseconds; };
  }
  if (curve.kind == "rank") {
    return [&graph, rank = std::stoi(curve.name.substr(5))](const Edge& e, VertexId) {
      return graph.rank(e.from) == rank ? e.nanoseconds : 0;
    };
  }
  if (curve.kind == "operation") {
    return [&, name = curve.name](const Edge& e, VertexId to) {
      const Operation operation = trace.calls(graph.rank(to)).operation(graph.call(to));
      return mpi_name(operation) == name ? network_ns(e, model) : 0;
    };
  }
  return std::nullopt;
}

struct SeededGains {
  explicit SeededGains(std::uint64_t seed)
      : program(testing::seeded_case(seed, {})),
        model(whole_model(seed)),
        graph(build_graph(program.trace, program.options)),
        result(gains(program.trace, graph, CallPaths(program.trace),
                     ModelChoice{model, program.options, {}, {}}, {.call_paths = true})) {}

  testing::Case program;
  LogGPS model;
  ExecutionGraph graph;
  Gains result;
};

/// The curves agree with the run time of the edited program, point by point.
RC_GTEST_PROP(Gains, EqualTheEditedProgramsRunTime, ()) {
  const testing::Case c = testing::arbitrary_case({.timed = true});
  const Trace doubled =
      with_edit(c.trace, "scale factor=20");  // so that 10 % are whole nanoseconds
  const ModelChoice choice{c.model, c.options, {}, {}};
  const ExecutionGraph graph = build_graph(doubled, c.options);
  const Gains curves = gains(doubled, graph, CallPaths(doubled), choice);
  const double before = run_time_ns(doubled, c.options, c.model);
  RC_ASSERT(curves.makespan_ns == before);
  for (const GainCurve& curve : curves.curves) {
    if (curve.kind == "operation" || curve.kind == "network") continue;
    const std::string where = curve.kind == "region" ? " region=\"" + curve.name + "\""
                              : curve.kind == "rank" ? " rank=" + curve.name.substr(5)
                                                     : "";
    for (std::size_t i = 0; i < kGainSpeedups.size(); ++i) {
      const std::string factor = std::to_string(1 - kGainSpeedups[i] / 100.0);
      const Trace faster = with_edit(doubled, "scale factor=" + factor + where);
      const double gain = before - run_time_ns(faster, c.options, c.model);
      RC_ASSERT(std::abs(gain - curve.gain_ns[i]) < 1e-6 * (1 + before));
    }
    RC_ASSERT(curve.on_path_ns <= before);
  }
}

TEST(Gains, EqualAPlainEvaluationOfEditedCosts) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const SeededGains g(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const GainCurve& curve : g.result.curves) {
      const auto selected = selection(curve, g.program.trace, g.graph, g.model);
      if (!selected) continue;
      const oracle::TimeSystem system = group_times(g.graph, g.model, *selected);
      const double before = makespan_at(system, 100);
      ASSERT_EQ(before, g.result.makespan_ns);
      for (std::size_t i = 0; i < kGainSpeedups.size(); ++i) {
        ASSERT_NEAR(curve.gain_ns[i], before - makespan_at(system, 100 - kGainSpeedups[i]),
                    1e-12 * before)
            << curve.name;
      }
    }
  }
}

/// Beyond the saturation nothing more is gained, and before it something.
TEST(Gains, EndWhereTheySaturate) {
  constexpr double kStep = 1e-5;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const SeededGains g(seed + 2000);
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const GainCurve& curve : g.result.curves) {
      const auto selected = selection(curve, g.program.trace, g.graph, g.model);
      if (!selected || curve.gain_ns.back() == 0) continue;
      const oracle::TimeSystem system = group_times(g.graph, g.model, *selected);
      const auto gain_at = [&](double reduction) {
        const auto left_fs = static_cast<std::int64_t>(std::llround((1 - reduction) * kOneShare));
        return g.result.makespan_ns -
               static_cast<double>(oracle::makespan(system, {left_fs, 0, 0})) / kOneShare;
      };
      const double beyond = std::min(1.0, curve.saturation + kStep);
      EXPECT_NEAR(gain_at(beyond), curve.gain_ns.back(), 1e-9 * g.result.makespan_ns);
      EXPECT_LT(gain_at(std::max(0.0, curve.saturation - kStep)), curve.gain_ns.back())
          << curve.name << " at " << curve.saturation;
      EXPECT_FALSE(curve.takes_over.share > 1 + 1e-12);
    }
  }
}

TEST(Gains, EqualTheLinearProgram) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const SeededGains g(seed + 4000);
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const GainCurve& curve : g.result.curves) {
      const auto selected = selection(curve, g.program.trace, g.graph, g.model);
      if (!selected) continue;
      const oracle::TimeSystem system = group_times(g.graph, g.model, *selected);
      const double slack = 1e-4 + 1e-8 * g.result.makespan_ns;
      const auto half = oracle::minimise_makespan(system, share(50), Parameter::latency);
      EXPECT_NEAR(half.makespan_ns, g.result.makespan_ns - curve.gain_ns[2], slack) << curve.name;
    }
  }
}

/// The more a cost is reduced, the more is gained, and the less by each further step; the more is
/// reduced, the more is gained; and nothing gains more than it has on the critical path.
TEST(Gains, AreConcaveAndBounded) {
  for (std::uint64_t seed = 0; seed < testing::kSeeds; ++seed) {
    const SeededGains g(seed + 6000);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const double slack = 1e-9 * (1 + g.result.makespan_ns);
    for (const GainCurve& curve : g.result.curves) {
      double last_gain = 0;
      double last_rate = curve.on_path_ns;
      int last = 0;
      for (std::size_t i = 0; i < kGainSpeedups.size(); ++i) {
        const double rate = (curve.gain_ns[i] - last_gain) * 100 / (kGainSpeedups[i] - last);
        ASSERT_GE(rate, -slack) << curve.name;
        ASSERT_LE(rate, last_rate + 100 * slack) << curve.name;
        last_gain = curve.gain_ns[i];
        last_rate = rate;
        last = kGainSpeedups[i];
      }
      const bool computes = curve.kind != "operation" && curve.kind != "network";
      if (computes) {
        ASSERT_LE(curve.gain_ns.back(), g.result.curves.front().gain_ns.back() + slack);
      }
      ASSERT_LE(curve.gain_ns.back(), std::min(curve.time_ns, g.result.makespan_ns) + slack);
      ASSERT_GE(curve.saturation, 0);
      ASSERT_LE(curve.saturation, 1);
    }
  }
}

}  // namespace
}  // namespace slackline
