// Several processes say what one says, and stretch by stretch the same as of the whole run, to the
// last digit: random programs with times that are causal, modelled, or drawn at random (as if
// clocks disagreed), programs of which a rank is missing, and public traces where they are at hand.
// Processes are threads here; test/mpi has some of the same under both MPIs.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/efficiency/ideal_replay.h"
#include "analysis/efficiency/rank_efficiency.h"
#include "analysis/paths/critical_path.h"
#include "analysis/paths/imbalance.h"
#include "analysis/paths/path_report.h"
#include "analysis/phases/monitor.h"
#include "analysis/waits/wait_part.h"
#include "analysis/waits/wait_summary.h"
#include "app/load/monitor_analysis.h"
#include "app/load/path_analysis.h"
#include "app/load/run_analyses.h"
#include "app/load/stretched_run.h"
#include "app/options/option_values.h"
#include "app/requests/run_requests.h"
#include "base/error.h"
#include "base/file.h"
#include "base/keyed_rows.h"
#include "formats/native/pieces.h"
#include "formats/native/writer.h"
#include "formats/open/open.h"
#include "formats/testing/text_trace.h"
#include "formats/text/text.h"
#include "parallel/testing/thread_processes.h"
#include "property/native_runs.h"
#include "property/planted_phases.h"
#include "report/writers.h"
#include "stretches/stretched_trace.h"
#include "trace/testing/shared_traces.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using testing::answer;
using testing::Kind;
using testing::NativeFile;
using testing::random_run;

constexpr std::array kProcesses{1, 2, 3, 4, 7};

std::vector<EfficiencyRequest> requests(const std::string& path) {
  std::vector<EfficiencyRequest> all(3);
  for (EfficiencyRequest& request : all) request.traces = {path};
  all[1].interval = "program";
  all[1].causality = "data";
  all[2].rendezvous = "1KiB";
  return all;
}

std::vector<WaitStatesRequest> wait_requests(const std::string& path) {
  std::vector<WaitStatesRequest> all(2);
  for (WaitStatesRequest& request : all) request.run.trace = path;
  all[1].interval = "run";
  all[1].run.model.eager_threshold = "1KiB";
  return all;
}

std::vector<CriticalPathRequest> path_requests(const std::string& path) {
  std::vector<CriticalPathRequest> all(1);
  all.front().input.trace = path;
  return all;
}

std::vector<MonitorRequest> phase_requests(const std::string& path) {
  std::vector<MonitorRequest> all(2);
  for (MonitorRequest& request : all) request.run.trace = path;
  all[1].rank = 0;
  all[1].windows = 8;
  all[1].interval = "run";
  all[1].causality = "data";
  return all;
}

template <class Request>
void compare(const std::vector<Request>& all) {
  for (const Request& request : all) {
    const std::string alone = answer([&] { return execute(request); });
    for (const int count : kProcesses) {
      std::string together;
      try {
        run_as_processes(count, [&](ProcessGroup& group) {
          const Report report = execute(request, group);
          if (group.is_first()) together = write_json(report, true);
        });
      } catch (const Error& error) {
        together = error.what();
      }
      ASSERT_EQ(together, alone) << count << " processes";
    }
  }
}

void compare_all(const std::string& path) {
  compare(requests(path));
  compare(wait_requests(path));
  compare(path_requests(path));
  compare(phase_requests(path));
}

std::vector<double> inputs_of(const Efficiency& e) {
  std::vector<double> all;
  for (const EfficiencyInputs& in : {e.inputs, e.analysed}) {
    all.insert(all.end(),
               {static_cast<double>(in.ranks), in.observed_ns, in.ideal_ns, in.useful_mean_ns,
                in.useful_max_ns, in.outside_max_ns, in.ideal_useful_max_ns,
                in.instructions.value_or(-1), in.cycles.value_or(-1)});
  }
  for (const std::int64_t useful : e.useful_ns) all.push_back(static_cast<double>(useful));
  return all;
}

/// Cut wherever it can be. Returns into how many stretches; 0 where only the whole trace tells.
std::size_t compare_stretches(const std::string& path) {
  SingleProcess alone;
  const MappedFile file(path);
  StretchedTrace trace(NativePieces(file.bytes(), path), alone);
  if (!trace.obstacle().empty()) return 0;
  trace.cut(1'000'000, alone);
  const OpenedTrace whole = open_trace(path);
  const CallMatching matching(whole.trace);
  const RunSpan span = run_span(whole.trace);
  EXPECT_EQ(run_span(trace.extents()).whole, span.whole);
  EXPECT_EQ(run_span(trace.extents()).common, span.common);
  const TimeInterval middle{span.whole.begin_ns + span.whole.length_ns() / 3,
                            span.whole.begin_ns + span.whole.length_ns() / 2};
  for (const TimeInterval& interval : {span.common, span.analysed, middle}) {
    for (const IdealOptions& options :
         {IdealOptions{}, IdealOptions{CollectiveCausality::data, 1024}}) {
      std::optional<EfficiencyPart> joined;
      for (std::size_t s = 0; s < trace.size(); ++s) {
        const std::optional<Stretch> stretch = trace.load(s);
        if (!stretch) return 0;
        const CallMatching own(stretch->trace);
        if (!own.findings().empty()) return 0;
        EfficiencyPart part = efficiency_part(
            stretch->trace, ideal_run(stretch->trace, own, options), span, interval, stretch->part);
        if (joined) {
          append_part(*joined, std::move(part));
        } else {
          joined = std::move(part);
        }
      }
      const Efficiency stretched = efficiency_of(*joined, trace.job(), span, interval);
      const Efficiency at_once = efficiency(whole.trace, matching, options, interval);
      EXPECT_EQ(inputs_of(stretched), inputs_of(at_once)) << trace.size() << " stretches";
    }
  }
  return trace.size();
}

/// As the report has them.
std::string text_of(const WaitPart& part, const std::vector<SampledTime>& sampled,
                    StretchedTrace& run, const TimeInterval& interval) {
  const Trace& job = run.job();
  CodeCauses causes(part.by_code, job.call_tree(), job.ranks());
  const auto shares = std::make_shared<const SampledShares>(sampled);
  TableSum<CauseTimes> times;
  for (std::size_t s = 0; s < run.size(); ++s) {
    const std::optional<Stretch> stretch = run.load(s);
    const CallPaths functions = CallPaths::of_functions(stretch->trace);
    times.append(causes.times_of(stretch->trace, CallActivities(stretch->trace, functions),
                                 ComputationCode(stretch->trace, stretch->samples, shares),
                                 stretch->part));
  }
  WaitSummary summary = summary_of(part.sums, run.extents(), interval, {});
  summary.in_code = causes.take(times.take());
  return write_json(describe(summary, job, run.paths_of(job)), true);
}

/// The same of waiting.
std::size_t compare_waits_in_stretches(const std::string& path) {
  SingleProcess alone;
  const MappedFile file(path);
  StretchedTrace trace(NativePieces(file.bytes(), path), alone);
  if (!trace.obstacle().empty()) return 0;
  trace.cut(1'000'000, alone);
  const OpenedTrace whole = open_trace(path);
  const CallMatching matching(whole.trace);
  const CallPaths paths = CallPaths::of_regions_or_functions(whole.trace);
  const RunSpan span = run_span(whole.trace);
  const TimeInterval middle{span.whole.begin_ns + span.whole.length_ns() / 3,
                            span.whole.begin_ns + span.whole.length_ns() / 2};
  for (const std::optional<TimeInterval>& interval :
       std::vector<std::optional<TimeInterval>>{std::nullopt, span.common, middle}) {
    TableSum<WaitPart> joined;
    std::vector<SampledTime> sampled;
    for (std::size_t s = trace.size(); s-- > 0;) {  // in whatever order
      const std::optional<Stretch> stretch = trace.load(s);
      if (!stretch) return 0;
      const CallMatching own(stretch->trace);
      if (!own.findings().empty()) return 0;
      const CallPaths own_paths = trace.paths_of(stretch->trace);
      WaitPart part = wait_part(stretch->trace, own, CausalOrder(stretch->trace, own),
                                WaitNames(stretch->trace, own_paths), {}, interval,
                                {stretch->part, stretch->first_calls, span.whole});
      if (part.clipped > 0 || part.released > 0) return 0;
      joined.append(std::move(part));
      const std::vector<SampledTime> own_times = sampled_times(stretch->trace, stretch->samples);
      sampled.insert(sampled.end(), own_times.begin(), own_times.end());
    }
    add_up_rows(sampled);
    const std::string stretched =
        text_of(joined.take(), sampled, trace, interval.value_or(span.whole));
    WaitSummary at_once =
        summarize_waits(whole.trace, matching, paths, {.samples = &whole.samples}, interval);
    at_once.findings = {};
    if (at_once.patterns.empty()) continue;  // which is a finding
    EXPECT_EQ(stretched, write_json(describe(at_once, whole.trace, paths), true))
        << trace.size() << " stretches";
  }
  return trace.size();
}

/// As the report has it.
std::string text_of(const MeasuredPath& found, const Trace& job, const CallPaths& paths) {
  auto described = describe(found.path, found.imbalance, paths, "measured");
  const auto functions =
      describe_functions(found.functions, found.path, job, described.sections.front());
  return write_json(std::move(described).with("by_function"_key = functions), true);
}

/// Every algorithm finds in stretches a path of the length that it has in the whole run; intervals
/// the same one.
void compare_methods_in_stretches(StretchedRun& run, const OpenedTrace& whole,
                                  const CallMatching& matching) {
  SingleProcess alone;
  MethodAnalysis in_stretches(0, 0);
  ASSERT_TRUE(analyse_stretches(run, alone, std::array<RunAnalysis*, 1>{&in_stretches}));
  const std::vector<MethodCost> found = in_stretches.take().methods;
  const CausalOrder order(whole.trace, matching);
  const Activities activities(whole.trace, matching, order);
  const std::vector<MethodCost> expected = compare_methods(activities, 0, 0);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(to_string(expected[i].method));
    EXPECT_EQ(found[i].method, expected[i].method);
    EXPECT_EQ(found[i].length_ns, expected[i].length_ns);
    if (found[i].method != PathMethod::graph && found[i].method != PathMethod::intervals) {
      EXPECT_EQ(found[i].length_ns, activities.makespan_ns());
    }
    if (found[i].method != PathMethod::intervals) continue;
    EXPECT_EQ(found[i].steps, expected[i].steps);
    EXPECT_EQ(found[i].common_ns, expected[i].common_ns);
  }
}

/// Cut wherever it can be; nothing where only the whole trace tells.
std::optional<StretchedRun> cut_run(const std::string& path, const Trace& whole) {
  SingleProcess alone;
  auto file = std::make_unique<const MappedFile>(path);
  StretchedTrace stretched(NativePieces(file->bytes(), path), alone);
  if (!stretched.obstacle().empty()) return std::nullopt;
  stretched.cut(1'000'000, alone);
  return StretchedRun{std::move(file),
                      LoadedRun{open_trace(path), "measured"},
                      std::move(stretched),
                      run_span(whole),
                      {}};
}

/// The same of phases.
std::size_t compare_phases_in_stretches(const std::string& path) {
  SingleProcess alone;
  const OpenedTrace whole = open_trace(path);
  std::optional<StretchedRun> run = cut_run(path, whole.trace);
  if (!run) return 0;
  const CallMatching matching(whole.trace);
  const TimeInterval span = run->span.whole;
  const std::string middle =
      fmt::format("{}ns..{}ns", span.length_ns() / 3, span.length_ns() / 2 + 1);
  for (const std::string& interval : {std::string("common"), std::string("run"), middle}) {
    MonitorAnalysis in_stretches({.rank = 0, .windows = 32}, interval);
    if (!analyse_stretches(*run, alone, std::array<RunAnalysis*, 1>{&in_stretches})) return 0;
    Monitor at_once = monitor(whole.trace, matching, CallPaths(whole.trace),
                              {.rank = 0,
                               .windows = 32,
                               .ideal = {},
                               .analysed = resolve_interval(interval, whole.trace)});
    EXPECT_EQ(write_json(describe(in_stretches.take()), true), write_json(describe(at_once), true))
        << run->trace.size() << " stretches";
  }
  return run->trace.size();
}

/// The same of the critical path.
std::size_t compare_path_in_stretches(const std::string& path) {
  SingleProcess alone;
  const OpenedTrace whole = open_trace(path);
  const CallMatching matching(whole.trace);
  const CallPaths paths = CallPaths::of_regions_or_functions(whole.trace);
  std::optional<StretchedRun> cut = cut_run(path, whole.trace);
  if (!cut) return 0;
  StretchedRun& run = *cut;
  PathAnalysis in_stretches({});
  if (!analyse_stretches(run, alone, std::array<RunAnalysis*, 1>{&in_stretches})) return 0;
  const MeasuredPath found = in_stretches.take();
  const CriticalPath at_once = critical_path(whole.trace, matching, paths, {});
  const ComputationCode code(whole.trace, &whole.samples);
  const MeasuredPath expected{
      at_once, imbalance_metrics(whole.trace, matching),
      path_functions(at_once, whole.trace, code, {0, at_once.makespan_ns}, false)};
  EXPECT_EQ(text_of(found, run.trace.job(), run.trace.paths_of(run.trace.job())),
            text_of(expected, whole.trace, paths))
      << run.trace.size() << " stretches";
  compare_methods_in_stretches(run, whole, matching);
  return run.trace.size();
}

/// Whether the processes do share the work on that trace.
bool is_shared(const std::string& path, int count) {
  bool shared = false;
  run_as_processes(count, [&](ProcessGroup& group) {
    const bool found = load_stretches({.trace = path}, group).has_value();
    if (group.is_first()) shared = found;
  });
  return shared;
}

class SharedWork : public ::testing::TestWithParam<Kind> {};

TEST_P(SharedWork, EqualsThatOfOneProcess) {
  constexpr std::uint64_t kPrograms = 30;
  std::uint64_t shared = 0;
  std::size_t stretches = 0;
  std::size_t waited = 0;
  std::size_t on_path = 0;
  std::size_t phases = 0;
  for (std::uint64_t seed = 0; seed < kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const NativeFile file(random_run(seed, GetParam()));
    compare_all(file.path());
    stretches += compare_stretches(file.path());
    waited += compare_waits_in_stretches(file.path());
    on_path += compare_path_in_stretches(file.path());
    phases += compare_phases_in_stretches(file.path());
    if (HasFailure()) return;
    shared += is_shared(file.path(), 2) ? 1 : 0;
  }
  const bool sound = GetParam() == Kind::causal || GetParam() == Kind::modelled;
  if (sound) {
    EXPECT_GE(shared, kPrograms / 2);
    EXPECT_GE(stretches, 2 * kPrograms);
    EXPECT_GE(waited, 2 * kPrograms);
    EXPECT_GE(on_path, 2 * kPrograms);
    EXPECT_GE(phases, 2 * kPrograms);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SharedWork, ::testing::ValuesIn(testing::kKinds),
                         testing::name_of_kind);

TEST(SharedWorkOn, PublicTraces) {
  int tried = 0;
  testing::for_each_public_run([&](const Trace& trace) {
    ++tried;
    const NativeFile file(trace);
    compare(std::vector{requests(file.path()).front()});
    compare(std::vector{wait_requests(file.path()).front()});
    compare(path_requests(file.path()));
    compare(std::vector{phase_requests(file.path()).front()});
    compare_phases_in_stretches(file.path());
    compare_waits_in_stretches(file.path());
    compare_path_in_stretches(file.path());
  });
  if (tried == 0) GTEST_SKIP() << "no public traces in " << testing::shared_trace("");
}

/// Loops, changes between their iterations, outliers.
TEST(SharedWorkOn, PlantedPhases) {
  constexpr std::uint64_t kRuns = 24;
  std::size_t stretches = 0;
  std::size_t changes = 0;
  for (std::uint64_t seed = 0; seed < kRuns && !HasFailure(); ++seed) {
    const testing::PlantedRun run = testing::planted_run(seed);
    SCOPED_TRACE(run.shape);
    const NativeFile file(run.trace);
    const std::size_t cut = compare_phases_in_stretches(file.path());
    stretches += cut;
    if (cut > 1) changes += run.changes.size();
    if (seed % 8 == 0) compare(phase_requests(file.path()));
  }
  EXPECT_GE(stretches, 10 * kRuns);
  EXPECT_GE(changes, kRuns / 4);
}

/// Two ranks send to each other first, which was eager in the run and is a deadlock above the
/// threshold. The third one has come to the barrier before: it is let go on, past the end of a
/// stretch.
TEST(SharedWorkOn, DeadlocksOfTheIdealNetwork) {
  const auto rank = [](int me, int other) {
    return fmt::format(
        "rank {}\n @0 +1 init\n @{} +5 barrier\n @100 +9 send to={} bytes=65536\n"
        " @300 +9 recv from={} bytes=65536\n @{} +50 barrier\n @{} +9 send to={} bytes=8\n"
        " @700 +9 recv from={} bytes=8\n @{} +50 barrier\n @{} +1 finalize\n",
        me, 10 + me, other, other, 500 + me, 600 + 30 * me, other, other, 800 + me, 900 + me);
  };
  const std::string third =
      "rank 2\n @0 +1 init\n @11 +5 barrier\n @50 +500 barrier\n @800 +50 barrier\n"
      " @900 +1 finalize\n";
  const NativeFile file(testing::timed_trace(3, rank(0, 1) + rank(1, 0) + third));
  compare_all(file.path());
  EXPECT_TRUE(is_shared(file.path(), 2)) << "it can be cut";
}

/// What belongs to the time between calls: counters and pauses, also around the collectives at
/// which the run is cut, and at the ends of the analysed interval.
TEST(SharedWorkOn, CountersAndPauses) {
  const auto rank = [](int me) {
    return fmt::format(
        "rank {} stop={}\n counted 5 1\n @10 +10 init\n counted 100 {}\n @100 +20 barrier\n"
        " @130 +7 pause no_processor\n counted {} 3\n @200 +20 barrier\n counted 77 0\n"
        " @{} +50 allreduce bytes=8\n @400 +3 pause blocked\n counted 13 1\n @500 +9 finalize\n"
        " counted 2 2\n",
        me, 520 + me, 40 + me, 200 + 100 * me, 300 + 10 * me);
  };
  const NativeFile file(
      testing::timed_trace(2, "counter 0 PAPI_TOT_INS\ncounter 1 ru_nivcsw\n" + rank(0) + rank(1)));
  compare_all(file.path());
  EXPECT_EQ(compare_stretches(file.path()), 4u);
  EXPECT_EQ(compare_waits_in_stretches(file.path()), 4u);
  EXPECT_EQ(compare_path_in_stretches(file.path()), 4u);
  EXPECT_EQ(compare_phases_in_stretches(file.path()), 4u);
  EXPECT_TRUE(is_shared(file.path(), 2));
}

/// A probe fails before the second barrier, and the message that it waits for is sent after it.
TEST(SharedWorkOn, PollsOverACollective) {
  const NativeFile file(testing::timed_trace(
      2,
      "rank 0\n @0 +1 init\n @10 +5 barrier\n @300 +50 barrier\n @500 +9 send to=1 bytes=8\n"
      " @600 +50 barrier\n @700 +1 finalize\n"
      "rank 1\n @0 +1 init\n @11 +4 barrier\n @100 +100 iprobe from=0 failed\n @300 +50 barrier\n"
      " @360 +100 iprobe from=0 failed\n @510 +2 iprobe from=0\n @520 +5 recv from=0 bytes=8\n"
      " @600 +50 barrier\n @700 +1 finalize\n"));
  compare_all(file.path());
  EXPECT_EQ(compare_waits_in_stretches(file.path()), 3u);
  EXPECT_EQ(compare_path_in_stretches(file.path()), 3u);
  const OpenedTrace whole = open_trace(file.path());
  const WaitStates waits = wait_states(whole.trace, CallMatching(whole.trace));
  EXPECT_TRUE(std::ranges::any_of(waits.states, [](const WaitState& s) {
    return s.pattern == WaitPattern::late_sender && s.wait_ns == 100 && s.call == 2;
  }));
}

/// A rank polls for one message, and before it has come sends another one, for which a third rank
/// waits. Before each barrier a message decides in which order the ranks are looked at.
TEST(SharedWorkOn, PollsThatDoNotHoldTheRankUp) {
  std::array<std::string, 3> calls;
  const auto add = [&](int rank, int begin, int duration, const std::string& call) {
    calls[static_cast<std::size_t>(rank)] += fmt::format(" @{} +{} {}\n", begin, duration, call);
  };
  constexpr int kPhases = 12;
  for (int phase = 0; phase < kPhases; ++phase) {
    const int at = 2000 * phase;
    const int poller = phase % 3;
    const int late = (poller + 1 + phase / 3 % 2) % 3;
    const int third = 3 - poller - late;
    const int first = phase / 6 == 0 ? third : poller;
    add(first, at + 20, 5, fmt::format("send to={} tag=1 bytes=8", late));
    add(late, at + 10, 30, fmt::format("recv from={} tag=1 bytes=8", first));
    for (int rank = 0; rank < 3; ++rank) add(rank, at + 100 + rank, 100, "barrier");
    const int request = phase + 1;
    add(poller, at + 210, 1, fmt::format("irecv from={} tag=2 bytes=8 req={}", late, request));
    add(poller, at + 220, 400, fmt::format("test req={} failed polls=9 inside=400", request));
    add(poller, at + 630, 5, fmt::format("send to={} tag=3 bytes=8", third));
    add(third, at + 250, 390, fmt::format("recv from={} tag=3 bytes=8", poller));
    add(late, at + 700, 5, fmt::format("send to={} tag=2 bytes=8", poller));
    add(poller, at + 710, 5, fmt::format("test req={}", request));
    for (int rank = 0; rank < 3; ++rank) add(rank, at + 800 + rank, 100, "barrier");
  }
  std::string text;
  for (int rank = 0; rank < 3; ++rank) {
    text += fmt::format("rank {}\n", rank) + calls[static_cast<std::size_t>(rank)];
  }
  const NativeFile file(testing::timed_trace(3, text));
  compare_all(file.path());
  EXPECT_EQ(compare_waits_in_stretches(file.path()), 2 * kPhases + 1u);
  EXPECT_EQ(compare_path_in_stretches(file.path()), 2 * kPhases + 1u);
  EXPECT_EQ(compare_phases_in_stretches(file.path()), 2 * kPhases + 1u);
}

/// A rank that only ever leaves regions is in none, whole or cut.
TEST(SharedWorkOn, RegionsThatAreOnlyLeft) {
  std::string text =
      "slackline-trace 1 timed ranks=2\nregion 0 \"step\"\nframe 1 0 main file=a.c line=10 "
      "module=a\n";
  for (int rank = 0; rank < 2; ++rank) {
    text += fmt::format("rank {}\n @5 leave 0\n", rank);
    for (int i = 1; i < 9; ++i) {
      const int begin = 100 * i + 20 * rank;
      text += fmt::format(" @{} +{} barrier frame=1\n", begin, 100 * i + 50 - begin);
    }
  }
  const NativeFile file(read_text(text, "test"));
  compare_all(file.path());
  EXPECT_EQ(compare_waits_in_stretches(file.path()), 8u);
  EXPECT_EQ(compare_path_in_stretches(file.path()), 8u);
  EXPECT_EQ(compare_phases_in_stretches(file.path()), 8u);
}

/// Ranks start late, and leave collectives before others enter, in more stretches than a sort takes
/// in order.
TEST(SharedWorkOn, LateStartsAndNegativeTimes) {
  constexpr int kPhases = 40;
  std::string text;
  for (const int rank : {0, 1}) {
    text += fmt::format("rank {}\n", rank);
    for (int i = 1; i <= kPhases; ++i) {
      text +=
          fmt::format(" @{} +5 reduce root=1 bytes=8\n @{} +{} barrier\n", 100 * i + 40 * rank,
                      100 * i + 60 + 7 * (i % 2 == rank ? 1 : 0), 30 - 7 * (i % 2 == rank ? 1 : 0));
    }
  }
  TraceBuilder builder = testing::timed_trace(2, text);
  builder.calls(0).set_start_ns(10);
  builder.calls(1).set_start_ns(30);
  const Trace trace = std::move(builder).build();
  const NativeFile file(trace);
  compare_all(file.path());
  EXPECT_EQ(compare_path_in_stretches(file.path()), kPhases + 1u);
  const CriticalPath path = critical_path(trace, CallMatching(trace), CallPaths(trace), {});
  EXPECT_EQ(path.late_start_ns, 20);
  const ActivityName late_start{.late_start = true};
  const auto late = std::ranges::find(path.impacts, late_start, &ActivityImpact::activity);
  ASSERT_NE(late, path.impacts.end());
  EXPECT_EQ(late->critical_ns, 20);
  const auto on_path = std::ranges::find(path.activities, true, &ActivityShare::late_start);
  ASSERT_NE(on_path, path.activities.end());
  EXPECT_EQ(on_path->on_path_ns, 20);
  EXPECT_LE(on_path->gain_ns.value(), 20);
  EXPECT_EQ(imbalance_metrics(trace, CallMatching(trace)).left_out, kPhases + 0u);
}

/// Rank 1 computes longer, in kernel where it has samples of its own, and else as in stretches of
/// time that other stretches of the run have samples of.
TEST(SharedWorkOn, CallPathsAndSamples) {
  std::string text =
      "slackline-trace 1 timed ranks=2\nframe 1 0 main file=a.c line=10 module=a\n"
      "frame 2 1 solve file=a.c line=20 module=a\nframe 3 2 kernel file=k.c line=30 module=a\n"
      "frame 4 2 other file=k.c line=40 module=a\n";
  for (const int rank : {0, 1}) {
    text += fmt::format("rank {}\n @0 +1 init frame=1\n", rank);
    for (int i = 1; i <= 9; ++i) {
      const int begin = 1000 * i;
      if (i % 2 == rank) {
        for (int k = 0; k < (i == 5 ? 25 : 3); ++k) {
          text += fmt::format(" @{} sample cpu=10 frame={}\n", begin + 120 + 5 * k, 3 + k % 2);
        }
      }
      if (i == 4)
        text += fmt::format(" @{} +50 pause blocked\n @{} sample blocked=50 frame=2\n", begin + 200,
                            begin + 250);
      const int enter = begin + 300 + (rank == 1 ? 37 * i : 0);
      text += fmt::format(" @{} +{} allreduce bytes=8 frame={}\n", enter, begin + 900 - enter,
                          1 + i % 2);
    }
    text += " @10500 +1 finalize frame=1\n";
  }
  Samples samples;
  const Trace trace = read_text(text, "test", &samples);
  const NativeFile file(trace, samples);
  compare_all(file.path());
  EXPECT_EQ(compare_waits_in_stretches(file.path()), 10u);
  EXPECT_EQ(compare_path_in_stretches(file.path()), 10u);
  const OpenedTrace whole = open_trace(file.path());
  const WaitSummary summary =
      summarize_waits(whole.trace, CallMatching(whole.trace), CallPaths::of_functions(whole.trace),
                      {.samples = &whole.samples}, {});
  ASSERT_FALSE(summary.in_code.empty());
  EXPECT_EQ(summary.in_code.front().cause.rank, 1);
  EXPECT_GT(summary.in_code.front().cause.frame, 2u) << "of a sample";
}

/// Rank 1 enters first what rank 0 enters last, and is in it over a barrier.
TEST(SharedWorkOn, RegionsInAnotherOrder) {
  const auto rank = [](int me, const char* first, const char* second) {
    return fmt::format(
        "rank {0}\n @0 +1 init\n @2 enter {1}\n @{3} +{4} barrier\n @100 leave {1}\n"
        " @101 enter {2}\n @110 enter {1}\n @{5} +{6} barrier\n @210 leave {1}\n"
        " @{7} +{8} barrier\n @350 leave {2}\n @{9} +5 finalize\n",
        me, first, second, 10 + 20 * me, 60 - 20 * me, 150 + 20 * me, 50 - 20 * me, 250 + 20 * me,
        50 - 20 * me, 400 + me);
  };
  const NativeFile file(testing::timed_trace(
      2,
      "region 0 solve\nregion 1 write\n" + rank(0, "solve", "write") + rank(1, "write", "solve")));
  compare_all(file.path());
  EXPECT_EQ(compare_waits_in_stretches(file.path()), 4u);
  EXPECT_EQ(compare_path_in_stretches(file.path()), 4u);
  EXPECT_EQ(compare_phases_in_stretches(file.path()), 4u);
}

TEST(SharedWorkOn, ProcessesWithUnequalMemory) {
  std::string barriers;
  for (int i = 0; i < 200; ++i) barriers += fmt::format(" @{} +50 barrier\n", 100 * i);
  const NativeFile file(testing::timed_trace(2, "rank 0\n" + barriers + "rank 1\n" + barriers));
  EfficiencyRequest request = requests(file.path()).front();
  const std::string alone = answer([&] { return execute(request); });
  std::string together;
  run_as_processes(3, [&](ProcessGroup& group) {
    EfficiencyRequest own = request;
    own.run.reading.memory = group.rank() == 1 ? "16KiB" : "1GiB";
    const Report report = execute(own, group);
    if (group.is_first()) together = write_json(report, true);
  });
  EXPECT_EQ(together, alone);
}

TEST(SharedWorkOn, DifferentFilesIsAnError) {
  const NativeFile one(random_run(1, Kind::causal));
  const std::string copy = one.path() + ".other";
  write_native(random_run(2, Kind::causal), copy);
  EXPECT_THROW(run_as_processes(3,
                                [&](ProcessGroup& group) {
                                  const bool other = group.rank() == 2;
                                  EfficiencyRequest request;
                                  request.traces = {other ? copy : one.path()};
                                  execute(request, group);
                                }),
               Error);
  fs::remove(copy);
}

}  // namespace
}  // namespace slackline
