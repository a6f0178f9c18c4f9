// Gain curves against the run executed with the change that they promise a gain for.

#include "analysis/summary/gains.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "analysis/summary/diagnosis.h"
#include "analysis/summary/scenario_runs.h"
#include "calls/run_span.h"
#include "property/cases.h"
#include "trace/trace_builder.h"
#include "whatif/scenario.h"

namespace slackline {
namespace {

Trace with_edit(const Trace& trace, const std::string& text) {
  Scenario scenario;
  scenario.edits.push_back(parse_edit(text));
  return apply(scenario, {trace, {}}).trace;
}

/// Long enough for the rounding of edits to be small; even seeds have the times that an ideal
/// network gives, others random ones.
Trace random_timed_run(std::uint64_t seed) {
  oracle::Program program =
      random_program(oracle::Choices(seed, 100 + seed % 700), {.max_ranks = 6, .timed = true});
  Trace trace = to_trace(program);
  if (seed % 2 != 0) return trace;
  trace = with_edit(trace, "scale factor=100000");
  const IdealRun ideal = ideal_run(trace, CallMatching(trace), {});
  TraceBuilder run = with_ideal_times(std::move(trace), ideal);
  run.set_timed();  // which edited programs are not
  return std::move(run).build();
}

/// A run, its curves, and its length after edits.
class RunWithGains {
 public:
  explicit RunWithGains(std::uint64_t seed)
      : trace(random_timed_run(seed)),
        matching_(trace),
        order_(trace, matching_),
        waits_(wait_states(trace, matching_, order_, {})),
        result(gains(Activities(trace, matching_, order_),
                     waits_in_interval(trace, waits_, run_span(trace).whole),
                     ComputationCode(trace, nullptr), CallPaths(trace), true)) {}

  /// Calls use(run_ns) with a function from a scenario to the length of the run.
  template <class Use>
  void with_scenarios(Use use) {
    DiagnosisOptions options{.analysed = run_span(trace).whole};  // scenarios of calls are of those
    options.limited = [&](ScenarioRuns& runs, std::span<const LimitingCause>) {
      use([&](const RunScenario& scenario) {
        return runs.execute(std::span(&scenario, 1)).front().run_ns;
      });
    };
    diagnose(trace, CallPaths(trace), matching_, order_, waits_, options);
  }

  /// With less of what a curve is of; nothing of operations.
  std::optional<RunScenario> with_less(const GainCurve& curve, double reduction) const {
    std::string where;
    if (curve.kind == "operation") return std::nullopt;
    if (curve.kind == "rank") where = " rank=" + curve.name.substr(5);
    if (curve.kind == "region") where = " region=\"" + curve.name + "\"";
    if (curve.kind == "call-path") where = " call-path=\"" + curve.name + "\"";
    const Trace edited = with_edit(trace, fmt::format("scale factor={}{}", 1 - reduction, where));
    GapChanges changes(static_cast<std::size_t>(trace.ranks()));
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      for (std::size_t i = 0; i <= trace.calls(r).size(); ++i) {
        changes[static_cast<std::size_t>(r)].push_back(edited.calls(r).gap_ns(i) -
                                                       trace.calls(r).gap_ns(i));
      }
    }
    return RunScenario{.gaps = std::make_shared<const GapChanges>(std::move(changes))};
  }

  /// Edits round each stretch to a nanosecond; curves are known to a millionth of a group's time.
  double rounding_ns(const GainCurve& curve) const {
    std::size_t stretches = trace.call_count();
    for (std::int32_t r = 0; r < trace.ranks(); ++r) stretches += trace.calls(r).regions().size();
    return 0.5 * static_cast<double>(stretches) + 2e-6 * curve.on_path_ns;
  }

  Trace trace;

 private:
  CallMatching matching_;
  CausalOrder order_;
  WaitStates waits_;

 public:
  Gains result;
};

template <class Check>
void for_seeds(std::uint64_t first, std::uint64_t count, Check check) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RunWithGains run(seed);
    if (run.result.run_ns > 0) check(run);  // else nothing is known of the run
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Gains, EqualTheEditedRun) {
  for_seeds(0, 300, [](RunWithGains& run) {
    run.with_scenarios([&](auto run_ns) {
      const double before = run_ns(RunScenario{});
      for (const GainCurve& curve : run.result.curves) {
        for (std::size_t i = 0; i < kGainSpeedups.size(); ++i) {
          const auto edited = run.with_less(curve, kGainSpeedups[i] / 100.0);
          if (!edited) continue;
          const bool exact = kGainSpeedups[i] == 100;
          ASSERT_NEAR(curve.gain_ns[i], before - run_ns(*edited),
                      exact ? 1e-6 : run.rounding_ns(curve))
              << curve.name << ", " << kGainSpeedups[i] << " %";
        }
      }
    });
  });
}

TEST(Gains, EqualTheRunWithCheaperCalls) {
  std::size_t compared = 0;
  for_seeds(1000, 200, [&](RunWithGains& run) {
    run.with_scenarios([&](auto run_ns) {
      const double before = run_ns(RunScenario{});
      for (const GainCurve& curve : run.result.curves) {
        if (curve.kind != "operation") continue;
        for (std::size_t i = 0; i < kGainSpeedups.size(); ++i) {
          CallChanges changes;
          for (std::size_t o = 0; o < kOperationCount; ++o) {
            const bool is_it = mpi_name(static_cast<Operation>(o)) == curve.name;
            changes.saved[o] = is_it ? kGainSpeedups[i] / 100.0 : 0;
          }
          compared += curve.gain_ns[i] > 0 ? 1 : 0;
          const RunScenario cheaper{.calls = std::make_shared<const CallChanges>(changes)};
          ASSERT_NEAR(curve.gain_ns[i], before - run_ns(cheaper), run.rounding_ns(curve))
              << curve.name << ", " << kGainSpeedups[i] << " %";
        }
      }
    });
  });
  EXPECT_GT(compared, 100U);
}

/// Beyond the saturation nothing more is gained, and before it something.
TEST(Gains, EndWhereTheySaturate) {
  constexpr double kStep = 1e-3;
  std::size_t ends = 0;
  for_seeds(2000, 150, [&](RunWithGains& run) {
    run.with_scenarios([&](auto run_ns) {
      const double before = run_ns(RunScenario{});
      for (const GainCurve& curve : run.result.curves) {
        const auto gain_at = [&](double reduction) {
          return before - run_ns(*run.with_less(curve, std::clamp(reduction, 0.0, 1.0)));
        };
        if (curve.kind == "operation" || curve.gain_ns.back() == 0) continue;
        ASSERT_NEAR(gain_at(curve.saturation + kStep), curve.gain_ns.back(), run.rounding_ns(curve))
            << curve.name;
        const double last = kStep * curve.on_path_ns;  // that the last step may gain, at most
        if (last < 10 * run.rounding_ns(curve) || curve.saturation < 0.1) continue;
        ++ends;
        ASSERT_LT(gain_at(curve.saturation - 0.1), curve.gain_ns.back()) << curve.name;
      }
    });
  });
  EXPECT_GT(ends, 20U);
}

/// The more is reduced, the more is gained, and the less by each further step; and nothing gains
/// more than it has on the critical path.
TEST(Gains, AreConcaveAndBounded) {
  for_seeds(6000, testing::kSeeds / 2, [](RunWithGains& run) {
    double all_computation = 0;
    for (const GainCurve& curve : run.result.curves) {
      const double slack = 1e-6 * (1 + curve.on_path_ns);
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
      if (curve.kind == "computation") all_computation = last_gain;
      if (curve.kind != "operation") {
        ASSERT_LE(last_gain, all_computation + slack);
      }
      ASSERT_LE(curve.on_path_ns, curve.time_ns);
      ASSERT_GE(curve.saturation, 0);
      ASSERT_LE(curve.saturation, 1);
      ASSERT_EQ(curve.saturation == 0, last_gain == 0) << curve.name;
      if (last_gain == curve.on_path_ns && last_gain > 0) {
        ASSERT_EQ(curve.saturation, 1);
        ASSERT_NEAR(curve.gain_ns[2], curve.on_path_ns / 2, slack) << "straight";
      }
    }
  });
}

}  // namespace
}  // namespace slackline
