// Laws of the figures that a report names, on random programs with what makes figures go wrong:
// pauses of all kinds, calls of several threads, late starts, recordings that end in a call, and
// intervals that cut calls. A figure named for an operation is at most the time of its calls, no
// share is above 100 %, and parts add up to the whole.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/cube/severity_cube.h"
#include "analysis/runs/measured.h"
#include "analysis/summary/diagnosis.h"
#include "analysis/summary/limit_losses.h"
#include "analysis/waits/wait_states.h"
#include "property/cases.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr double kRounding = 1e-6;

/// Pauses in a third of the gaps.
void add_pauses(RankCallsBuilder& calls, oracle::Choices& choose) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::int64_t gap = calls.gap_ns(i);
    if (gap < 10 || choose.below(3) > 0) continue;
    const std::int64_t begin = calls.begin_ns(i) - gap + static_cast<std::int64_t>(choose.below(4));
    const auto length =
        static_cast<std::int64_t>(choose.below(static_cast<std::uint32_t>(gap - 4)));
    calls.append_pause({begin, begin + length, static_cast<std::uint32_t>(i),
                        pause_kind(static_cast<std::uint8_t>(choose.below(kPauseKinds)))});
  }
}

/// Other threads make some calls that the main one does not wait for.
void add_threads(RankCallsBuilder& calls, oracle::Choices& choose) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Call call = calls[i];
    const OperationClass kind = operation_class(call.operation);
    const bool blocking = kind == OperationClass::send || kind == OperationClass::recv;
    if (!blocking || choose.below(2) > 0) continue;
    call.thread = static_cast<std::uint16_t>(1 + choose.below(3));
    calls.replace(i, call);
  }
}

Trace disturbed(Trace trace, std::uint64_t seed) {
  oracle::Choices choose(seed, 4000);
  TraceBuilder builder(std::move(trace));
  for (std::int32_t r = 0; r < builder.ranks(); ++r) {
    RankCallsBuilder& calls = builder.calls(r);
    if (calls.empty()) continue;
    if (seed % 3 == 0) add_threads(calls, choose);
    if (seed % 2 == 0) add_pauses(calls, choose);
    if (seed % 7 < 3) {
      calls.set_recording_costs(
          std::vector<RecordingCost>(kOperationCount, {.before_ns = 3, .after_ns = 2}));
    }
    if (seed % 5 == 0) calls.set_start_ns(static_cast<std::int64_t>(choose.below(30)));
    if (seed % 4 == 0 && calls.operation(calls.size() - 1) != Operation::finalize) {
      calls.add_flags(calls.size() - 1, SLK_FLAG_UNFINISHED);
      builder.rank_info(r).finalized = false;
    }
  }
  return std::move(builder).build();
}

/// Calls check(trace, interval) for random runs and intervals.
template <class Check>
void for_intervals(Check check) {
  for (std::uint64_t seed = 0; seed < testing::kSeeds / 3; ++seed) {
    const Trace trace = disturbed(to_trace(random_program(oracle::Choices(seed, 100 + seed % 700),
                                                          {.max_ranks = 6, .timed = true})),
                                  seed);
    if (trace.call_count() == 0) continue;
    const RunSpan span = run_span(trace);
    const std::int64_t third = span.analysed.length_ns() / 3;
    const TimeInterval inner{span.analysed.begin_ns + third, span.analysed.end_ns - third};
    SCOPED_TRACE(seed);
    for (const TimeInterval& interval : {span.common, span.analysed, inner}) {
      check(trace, interval);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

/// The time of an operation's calls in the interval, of main threads.
std::map<Operation, double> times_of_operations(const Trace& trace, const TimeInterval& interval) {
  std::map<Operation, double> times;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls.thread(i) != 0) continue;
      times[calls.operation(i)] +=
          static_cast<double>(TimeInterval{std::max(interval.begin_ns, calls.begin_ns(i)),
                                           std::min(interval.end_ns, calls.end_ns(i))}
                                  .length_ns());
    }
  }
  return times;
}

TEST(Figures, OfAnOperationAreAtMostTheTimeOfItsCalls) {
  for_intervals([](const Trace& trace, const TimeInterval& interval) {
    const CallPaths paths(trace);
    const CallMatching matching(trace);
    const CausalOrder order(trace, matching);
    const Activities run(trace, matching, order);
    const Diagnosis d = diagnose(trace, paths, interval);
    const WaitStates waits = waits_in_interval(trace, wait_states(trace, matching), interval);
    const ComputationCode code(trace, nullptr);
    const LimitInputs inputs{trace, matching, waits, run, code, d.shares, nullptr};
    const std::vector<FrameId> own_frames{0};
    const LimitLosses losses(inputs, own_frames);
    std::map<Operation, double> lost;
    for (const PlacedLoss& loss : losses.placed()) {
      EXPECT_GE(loss.ns, -kRounding);
      lost[loss.place.operation] += loss.ns;
    }
    const auto times = times_of_operations(trace, interval);
    for (const auto& [operation, ns] : lost) {
      EXPECT_LE(ns, times.at(operation) * (1 + kRounding) + 1) << mpi_name(operation);
    }
    for (std::size_t i = 0; i < d.stalls.size(); ++i) {
      EXPECT_LE(d.stalls[i].sum_ns, d.shares.calls[i].inside_ns());
    }
    for (const TimeShares::OfCalls& c : d.shares.calls) {
      EXPECT_LE(static_cast<double>(c.time_ns), times.at(c.operation) + 0.5);
      EXPECT_GE(c.inside_ns(), 0);
    }
  });
}

TEST(Figures, AreSharesOfAWhole) {
  for_intervals([](const Trace& trace, const TimeInterval& interval) {
    const Diagnosis d = diagnose(trace, CallPaths(trace), interval);
    double lost = 0;
    for (const LimitingCause& cause : d.limits) {
      EXPECT_GE(cause.share, 0) << name(cause.limit);
      EXPECT_LE(cause.share, 1 + kRounding) << name(cause.limit);
      if (cause.limit != Limit::computation) lost += cause.share;
      if (!cause.gain) continue;
      EXPECT_LE(0, cause.gain->low);
      EXPECT_LE(cause.gain->low, cause.gain->share);
      EXPECT_LE(cause.gain->certain, cause.gain->share);
      EXPECT_LE(cause.gain->share, cause.gain->high);
      EXPECT_LE(cause.gain->high, 1);
    }
    EXPECT_LE(lost + d.shares.share(d.shares.sum_ns.compute), 1 + kRounding);
    RankTime sum;
    for (std::size_t r = 0; r < d.shares.ranks_ns.size(); ++r) {
      const RankTime& t = d.shares.ranks_ns[r];
      if (trace.calls(static_cast<std::int32_t>(r)).empty()) continue;
      EXPECT_EQ(t.total(), d.shares.length_ns);
      EXPECT_GE(
          std::min({t.compute, t.no_processor, t.blocked, t.recording, t.wait, t.mpi, t.outside}),
          0);
      sum += t;
    }
    std::int64_t waiting = 0;
    std::int64_t inside = 0;
    for (const TimeShares::OfCalls& c : d.shares.calls) {
      waiting += c.waiting_ns;
      inside += c.inside_ns();
    }
    EXPECT_EQ(waiting, sum.wait);
    EXPECT_LE(inside, sum.mpi);  // the rest is in calls that no operation stands for
    for (const WindowEfficiency& w : d.monitor.windows) {
      EXPECT_GE(std::min(w.useful, w.load_balance), -kRounding);
      EXPECT_LE(std::max(w.useful, w.load_balance), 1 + kRounding);
    }
    EXPECT_LE(d.waits.total_ns, d.waits.mpi_ns);
    EXPECT_LE(d.waits.mpi_ns, sum.wait + sum.mpi + sum.outside);  // with MPI_Init and MPI_Finalize
  });
}

/// Computation is what it is, whoever sums it up: report, diff and the tables by region.
TEST(Figures, OfComputationAreOne) {
  for_intervals([](const Trace& trace, const TimeInterval& interval) {
    if (interval != run_span(trace).analysed) return;
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      if (trace.calls(r).has_threads()) return;  // by region, the time of all threads counts
    }
    const SeverityCube cube = severity_cube(trace, CallPaths(trace), {});
    const auto measured = measured_run(trace, interval);
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      for (const auto& [key, values] : cube.severities()) {
        EXPECT_GE(values[static_cast<std::size_t>(r)], 0) << key.metric;
      }
      double computation = 0;
      double no_processor = 0;
      for (const auto& [key, values] : cube.severities()) {
        const double value = values[static_cast<std::size_t>(r)];
        if (key.metric == "computation") computation += value;
        if (key.metric == "no_processor") no_processor += value;
      }
      if (trace.calls(r).empty()) continue;
      EXPECT_DOUBLE_EQ(computation, static_cast<double>(
                                        measured->ranks_ns[static_cast<std::size_t>(r)].compute));
      EXPECT_DOUBLE_EQ(
          no_processor,
          static_cast<double>(measured->ranks_ns[static_cast<std::size_t>(r)].no_processor));
    }
  });
}

}  // namespace
}  // namespace slackline
