// What every diagnosis of a measured run must be, on random programs: recorded with the times that
// an ideal network gives (causal), with durations drawn at random (as if clocks disagreed), and
// with a rank missing (messages and collectives without their other side).

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/paths/path_slack.h"
#include "analysis/paths/path_sums.h"
#include "analysis/paths/scenario_times.h"
#include "analysis/summary/headlines.h"
#include "analysis/summary/judgement.h"
#include "property/cases.h"

namespace slackline {
namespace {

enum class Kind { causal, clocks_disagree, rank_missing };

Trace random_run(std::uint64_t seed, Kind kind) {
  oracle::Program program =
      random_program(oracle::Choices(seed, 100 + seed % 700), {.max_ranks = 6, .timed = true});
  if (kind == Kind::rank_missing) program.ranks[seed % program.ranks.size()].clear();
  Trace trace = to_trace(program);
  if (kind != Kind::causal) return trace;
  const IdealRun ideal = ideal_run(trace, CallMatching(trace), {});
  return with_ideal_times(std::move(trace), ideal);
}

template <class Numbers>
auto sum_of(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), typename Numbers::value_type{});
}

class DiagnosisProperty : public ::testing::TestWithParam<Kind> {
 protected:
  template <class Check>
  void for_runs(Check check) const {
    for (std::uint64_t seed = 0; seed < testing::kSeeds / 3; ++seed) {
      const Trace trace = random_run(seed, GetParam());
      SCOPED_TRACE(seed);
      check(trace);
      if (HasFailure()) return;
    }
  }
};

TEST_P(DiagnosisProperty, AllExactAlgorithmsFindOnePathAndItsSegmentsAreTheRun) {
  for_runs([](const Trace& trace) {
    const CallMatching matching(trace);
    const CallPaths paths(trace);
    for (const PathAlgorithm algorithm : kPathAlgorithms) {
      const CriticalPath path = critical_path(trace, matching, paths, {.algorithm = algorithm});
      std::int64_t at = 0;
      for (const ActivitySegment& s : path.segments) {
        EXPECT_EQ(s.begin_ns, at) << to_string(algorithm);
        at = s.end_ns;
      }
      EXPECT_EQ(at, path.makespan_ns) << to_string(algorithm);
      EXPECT_EQ(sum_of(path.by_rank), path.makespan_ns) << to_string(algorithm);
      for (const NearPath& near : path.near) {
        EXPECT_GE(near.slack_ns, 0);
        EXPECT_EQ(near.slack_ns + near.length_ns, path.makespan_ns);
      }
      for (const ActivityShare& a : path.activities) {
        EXPECT_LE(a.gain_ns.value_or(0), path.makespan_ns);
        EXPECT_GE(a.gain_ns.value_or(0), 0);
      }
    }
  });
}

/// The run's length without calls of an activity, in the written graph.
std::int64_t length_without(const ActivityGraph& graph, const CallActivities& names,
                            ActivityId activity) {
  std::vector<std::int64_t> longest(graph.size(), 0);
  for (ActivityVertex v = 1; v < graph.size(); ++v) {
    const ActivityGraph::Place& place = graph.places[v];
    const bool removed =
        place.leaves && names.of(place.rank, static_cast<CallIndex>(place.call)).call == activity;
    graph.for_in_edges(v, [&](const ActivityGraph::Edge& e) {
      longest[v] = std::max(longest[v], longest[e.from] + (removed ? 0 : e.ns));
    });
  }
  return longest.back();
}

/// The longest way to the end from every call's begin, in the written graph; -1: none.
std::vector<std::vector<std::int64_t>> ways_ahead(const Trace& trace, const ActivityGraph& graph) {
  std::vector<std::int64_t> longest(graph.size(), -1);
  longest.back() = 0;
  std::vector<std::vector<std::int64_t>> ahead;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) ahead.emplace_back(trace.calls(r).size(), -1);
  for (ActivityVertex v = graph.sink() + 1; v-- > 0;) {
    if (longest[v] < 0) continue;
    graph.for_in_edges(v, [&](const ActivityGraph::Edge& e) {
      longest[e.from] = std::max(longest[e.from], longest[v] + e.ns);
    });
    const ActivityGraph::Place& place = graph.places[v];
    if (place.rank != ActivityGraph::kNoRank && !place.leaves) {
      ahead[static_cast<std::size_t>(place.rank)][place.call] = longest[v];
    }
  }
  return ahead;
}

/// Scenario k has the parts of the measured costs that kKept[k] says.
class PartsOfCosts : public ScenarioCosts<ScenarioTimes<kGainsAsked>> {
 public:
  using Times = ScenarioTimes<kGainsAsked>;
  struct Kept {
    double gaps;
    double calls;
  };
  static constexpr std::array<Kept, kGainsAsked> kKept{{{1, 1}, {1, 0}, {0, 1}, {0, 0}, {.5, 1}}};

  void add_gap(std::int32_t, CallIndex, std::int64_t ns, Times& at) const override {
    add(ns, &Kept::gaps, at);
  }
  void add_call(std::int32_t, CallIndex, std::int64_t ns, Times& at) const override {
    add(ns, &Kept::calls, at);
  }

 private:
  static void add(std::int64_t ns, double Kept::*part, Times& at) {
    for (std::size_t k = 0; k < kKept.size(); ++k) {
      at[k] += static_cast<std::int64_t>(static_cast<double>(ns) * (kKept[k].*part));
    }
  }
};

TEST_P(DiagnosisProperty, ScenariosOfTheMeasuredRun) {
  for_runs([](const Trace& trace) {
    const CallMatching matching(trace);
    const CausalOrder order(trace, matching);
    const Activities run(trace, matching, order);
    const PartsOfCosts::Times times = run_scenarios(run, run.sources(), PartsOfCosts()).makespan_ns;
    EXPECT_EQ(times[0], run.makespan_ns()) << "as measured";
    std::int64_t computed =
        0;                   // by the rank that computes longest; what it does after its last call
    std::int64_t after = 0;  // takes its time in all scenarios
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      std::int64_t own = 0;
      const auto calls = static_cast<CallIndex>(run.calls(r));
      for (CallIndex call = 0; call < calls; ++call) own += run.gap_ns(r, call);
      if (calls == 0) continue;
      const std::int64_t tail =
          std::max<std::int64_t>(0, run.stop_ns(r) - run.leave_ns(r, calls - 1));
      computed = std::max(computed, own + tail);
      after = std::max(after, tail);
    }
    EXPECT_GE(times[1], computed) << "no scenario removes computation by removing calls";
    EXPECT_EQ(times[3], after) << "without any costs";
    constexpr std::array<std::pair<std::size_t, std::size_t>, 6> kLess{
        {{1, 0}, {2, 0}, {3, 1}, {3, 2}, {4, 0}, {2, 4}}};
    for (const auto& [less, more] : kLess) EXPECT_LE(times[less], times[more]);
  });
}

TEST_P(DiagnosisProperty, GainsAndSlackAreThoseOfTheWrittenGraph) {
  for_runs([](const Trace& trace) {
    const CallMatching matching(trace);
    const CallPaths paths(trace);
    const CallActivities names(trace, paths);
    const CausalOrder order(trace, matching);
    const Activities run(trace, matching, order);
    const ActivityGraph graph = activity_graph(run);
    if (graph.size() < 2) return;
    const PathSlack slack = path_slack(run);
    EXPECT_EQ(slack.vertices, graph.size());
    EXPECT_EQ(slack.dropped, graph.dropped);
    if (order.released() == 0) {
      EXPECT_EQ(slack.edges, graph.edges.size());
      EXPECT_EQ(slack.ahead_ns, ways_ahead(trace, graph));
    }
    std::vector<ActivityName> asked;
    for (auto id = static_cast<ActivityId>(paths.size()); id < names.size(); ++id) {
      asked.push_back(names.name(id));
      if (asked.size() < kGainsAsked && id + 1 < names.size()) continue;
      const PathGains gains = path_gains(run, names, slack.sources, asked);
      for (std::size_t k = 0; k < asked.size(); ++k) {
        EXPECT_EQ(gains.makespan_ns[k], length_without(graph, names, *names.find(asked[k])));
      }
      asked.clear();
    }
  });
}

// A rank's time is what it does, as much as the path has of it or beyond that, and waiting, which
// is laid on what the path has more of than the rank.
TEST_P(DiagnosisProperty, ImpactsOfActivitiesAddUpToTheRanksTime) {
  for_runs([](const Trace& trace) {
    const CallPaths paths(trace);
    const CriticalPath path = critical_path(trace, CallMatching(trace), paths, {});
    std::int64_t ranks = 0;
    for (std::int32_t r = 0; r < trace.ranks(); ++r) ranks += trace.calls(r).empty() ? 0 : 1;
    double sum = 0;
    std::map<ActivityName, std::int64_t> on_path;
    for (const ActivityShare& a : path.activities) {
      on_path[{a.operation, a.path, a.late_start}] = a.on_path_ns;
    }
    for (const ActivityImpact& i : path.impacts) {
      const std::int64_t own = on_path[i.activity];
      EXPECT_LE(i.critical_ns, ranks * own);
      EXPECT_GE(i.critical_ns + i.non_critical_ns, own);  // what lies on the path is somebody's
      if (i.critical_ns == ranks * own) {
        EXPECT_EQ(i.imbalance_ns, 0);
      }
      sum += static_cast<double>(i.busy_ns()) + i.imbalance_ns;
    }
    const auto all = static_cast<double>(ranks * path.makespan_ns);
    EXPECT_NEAR(sum, all, 1e-9 * all + 1e-3);
  });
}

TEST_P(DiagnosisProperty, DelayCostsExplainAllWaitingButWhatIsSaidToBeUnexplained) {
  const bool causal = GetParam() == Kind::causal;
  for_runs([causal](const Trace& trace) {
    const CallMatching matching(trace);
    const WaitStates waits = wait_states(trace, matching);
    const CallPaths paths(trace);
    const DelayCosts delays = delay_costs(trace, matching, waits, CallActivities(trace, paths));
    double waiting = 0;
    for (std::size_t i = 0; i < waits.states.size(); ++i) {
      const WaitState& s = waits.states[i];
      const WaitOrigin& origin = delays.origins[i];
      const auto wait = static_cast<double>(s.wait_ns);
      if (s.effective && s.cause_rank >= 0 && s.cause_rank != s.rank) waiting += wait;
      EXPECT_LE(origin.direct_ns + origin.indirect_ns, wait + 1e-6);
      EXPECT_LE(origin.propagating_ns, wait + 1e-6);
    }
    EXPECT_EQ(static_cast<double>(delays.waiting_ns), waiting);
    double explained = 0;
    for (const DelayCost& c : delays.costs) explained += c.total();
    EXPECT_NEAR(explained + delays.unexplained_ns.value(), waiting, 1e-6 * (1 + waiting));
    EXPECT_GE(delays.unexplained_ns.value(), -1e-6 * (1 + waiting));
    EXPECT_TRUE(!causal || waits.clipped == 0);
    EXPECT_TRUE(!causal || delays.unexplained_ns.value() < 1e-6 * (1 + waiting));
  });
}

TEST_P(DiagnosisProperty, PartsOfRanksAndPatternsAddUp) {
  for_runs([](const Trace& trace) {
    const CallPaths paths(trace);
    const Diagnosis d = diagnose(trace, paths);
    for (std::size_t i = 0; i < d.shares.ranks_ns.size(); ++i) {
      const RankTime& r = d.shares.ranks_ns[i];
      const bool empty = trace.calls(static_cast<std::int32_t>(i)).empty();
      EXPECT_EQ(r.total(), empty ? 0 : d.shares.length_ns);
      EXPECT_GE(
          std::min({r.compute, r.no_processor, r.blocked, r.recording, r.wait, r.mpi, r.outside}),
          0);
    }
    EXPECT_EQ(sum_of(d.waits.by_rank), d.waits.total_ns);
    std::int64_t in_patterns = 0;
    for (const PatternSummary& p : d.waits.patterns) {
      EXPECT_EQ(sum_of(p.by_rank), p.sum_ns);
      EXPECT_LE(p.wrong_order_same_ns + p.wrong_order_different_ns, p.sum_ns);
      in_patterns += p.sum_ns;
    }
    for (const WaitPlace& p : d.waits.places) {
      std::int64_t of_ranks = 0;
      for (const RankWait& w : p.ranks) of_ranks += w.ns;
      EXPECT_EQ(of_ranks, p.sum_ns);
      in_patterns -= p.sum_ns;
    }
    EXPECT_EQ(in_patterns, 0);
  });
}

/// Numbers of a result by metric and interval.
using Numbers = std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::vector<double>>;

/// What the parts of a report say of their intervals under the names of the headlines.
Numbers numbers_of(const Diagnosis& d, const Trace& trace, const CallPaths& paths) {
  Numbers all;
  const auto add = [&](const std::string& metric, std::int64_t begin, std::int64_t end,
                       double value) {
    all[{metric, begin, end}].push_back(value);
  };
  for (const Headline& h : headlines(d)) {
    add(std::string(h.metric), h.interval.begin_ns, h.interval.end_ns, h.value);
  }
  const Json measured = Json(describe(d, trace, paths).result)["measured"];
  const Json& shares = measured["time_shares"];
  const std::int64_t begin = d.shares.begin_ns;
  const std::int64_t end = begin + d.shares.length_ns;
  const auto number = [](const Json& json) { return json.as_double(); };
  if (d.shares.length_ns > 0) {
    add("parallel_efficiency", begin, end, number(shares["compute"]));
    add("wait_time_share", begin, end, number(shares["waiting"]));
    add("mpi_share_excluding_waiting", begin, end, number(shares["inside_mpi"]));
    add("ideal_network_run_time_ns", begin, end, number(shares["ideal_ns"]));
  }
  for (const FocusInterval& r : d.monitor.intervals) {
    if (r.kind == IntervalKind::startup || r.kind == IntervalKind::shutdown) continue;
    add("parallel_efficiency", r.begin_ns, r.end_ns, r.efficiency.useful);
    add("load_balance", r.begin_ns, r.end_ns, r.efficiency.load_balance);
    add("serialisation_efficiency", r.begin_ns, r.end_ns, r.efficiency.serialisation);
    add("transfer_efficiency", r.begin_ns, r.end_ns, r.efficiency.transfer);
  }
  return all;
}

TEST_P(DiagnosisProperty, EveryNumberThatOccursTwiceIsEqual) {
  std::size_t twice = 0;
  for_runs([&](const Trace& trace) {
    const CallPaths paths(trace);
    for (const auto& [of, values] : numbers_of(diagnose(trace, paths), trace, paths)) {
      if (values.size() > 1) ++twice;
      for (const double v : values) {
        EXPECT_NEAR(v, values.front(), 1e-6 * std::max(1.0, std::abs(v))) << std::get<0>(of);
      }
    }
  });
  EXPECT_GT(twice, 1000u);
}

TEST_P(DiagnosisProperty, IntervalsAndWindowsAreTheRunWithoutHoles) {
  for_runs([](const Trace& trace) {
    const Monitor m = monitor(trace, CallMatching(trace), CallPaths(trace), {.windows = 16});
    std::int64_t at = 0;
    for (const FocusInterval& r : m.intervals) {
      EXPECT_EQ(r.begin_ns, at);
      EXPECT_GE(r.end_ns, r.begin_ns);
      EXPECT_LE(r.waiting_ns, trace.ranks() * (r.end_ns - r.begin_ns));
      at = r.end_ns;
    }
    EXPECT_EQ(at, m.length_ns);
    for (std::size_t i = 1; i < m.border_ns.size(); ++i) {
      EXPECT_LE(m.border_ns[i - 1], m.border_ns[i]);
    }
    for (const double local : m.transfer.local) EXPECT_TRUE(local >= 0 && local <= 1) << local;
  });
}

TEST_P(DiagnosisProperty, FactorsAreEfficienciesAndTheIdealRunIsNoLonger) {
  const bool causal = GetParam() == Kind::causal;
  for_runs([causal](const Trace& trace) {
    const Efficiency e = efficiency(trace, CallMatching(trace), {});
    EXPECT_TRUE(!causal || e.inputs.ideal_ns <= e.inputs.observed_ns);
    const EfficiencyFactors f = factors(e.inputs, EfficiencyVariant::multiplicative);
    EXPECT_NEAR(f.parallel, f.load_balance * f.communication, 1e-12);
    EXPECT_NEAR(f.communication, f.serialisation * f.transfer, 1e-12);
    for (const double factor : {f.parallel, f.load_balance, f.communication}) {
      EXPECT_GE(factor, 0);
      EXPECT_LE(factor, 1 + 1e-12);
    }
  });
}

std::string kind_name(const ::testing::TestParamInfo<Kind>& info) {
  switch (info.param) {
    case Kind::causal:
      return "Causal";
    case Kind::clocks_disagree:
      return "ClocksDisagree";
    case Kind::rank_missing:
      return "RankMissing";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(Runs, DiagnosisProperty,
                         ::testing::Values(Kind::causal, Kind::clocks_disagree, Kind::rank_missing),
                         kind_name);

}  // namespace
}  // namespace slackline
