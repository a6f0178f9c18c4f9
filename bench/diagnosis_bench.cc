// What the diagnosis costs and how that grows with the trace: each analysis alone, all together,
// and the measured critical path by each algorithm. One thread; CPU time of the process. Reported:
// calls a second, and the largest number of bytes allocated at once, above the trace's own, a call.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "analysis/summary/diagnosis.h"
#include "halo_trace.h"

namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> peak{0};

void* counted(std::size_t bytes) {
  void* const memory = std::malloc(std::max<std::size_t>(1, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t now = live += malloc_usable_size(memory);
  std::size_t known = peak;
  while (now > known && !peak.compare_exchange_weak(known, now)) {
  }
  return memory;
}

void uncounted(void* memory) {
  if (memory == nullptr) return;
  live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
}
void operator delete(void* memory) noexcept {
  uncounted(memory);
}
void operator delete[](void* memory) noexcept {
  uncounted(memory);
}
void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  uncounted(memory);
}
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept {
  uncounted(memory);
}

namespace slackline {
namespace {

const Trace& trace_of(int steps) {
  static int made = 0;
  static Trace trace(1, true);
  if (made != steps) {
    // Its own times are drawn without regard to causality, which no measured run does.
    trace = make_halo_trace(steps);
    const IdealRun ideal = ideal_run(trace, CallMatching(trace), {});
    trace = with_ideal_times(std::move(trace), ideal);
  }
  made = steps;
  return trace;
}

template <class Analyse>
void measure(benchmark::State& state, Analyse analyse) {
  const Trace& trace = trace_of(static_cast<int>(state.range(0)));
  const CallMatching matching(trace);
  const auto calls = static_cast<double>(trace.call_count());
  const std::size_t before = live;
  peak = before;
  for (auto _ : state) analyse(trace, matching);
  state.counters["calls"] = calls;
  state.counters["calls/s"] =
      benchmark::Counter(calls, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/call"] = static_cast<double>(peak - before) / calls;
}

void match(benchmark::State& state) {
  measure(state, [](const Trace& trace, const CallMatching& /*known*/) {
    benchmark::DoNotOptimize(CallMatching(trace).messages().size());
  });
}

void find_wait_states(benchmark::State& state) {
  measure(state, [](const Trace& trace, const CallMatching& matching) {
    benchmark::DoNotOptimize(wait_states(trace, matching).states.size());
  });
}

void find_delay_costs(benchmark::State& state) {
  const Trace& trace = trace_of(static_cast<int>(state.range(0)));
  const WaitStates waits = wait_states(trace, CallMatching(trace));
  const CallPaths paths(trace);
  const CallActivities names(trace, paths);
  measure(state, [&](const Trace& of, const CallMatching& matching) {
    benchmark::DoNotOptimize(delay_costs(of, matching, waits, names).waiting_ns);
  });
}

void replay_ideally(benchmark::State& state) {
  measure(state, [](const Trace& trace, const CallMatching& matching) {
    benchmark::DoNotOptimize(ideal_run(trace, matching, {}).runtime_ns);
  });
}

void find_path(benchmark::State& state) {
  const CallPaths paths(trace_of(static_cast<int>(state.range(0))));
  measure(state, [&](const Trace& trace, const CallMatching& matching) {
    benchmark::DoNotOptimize(critical_path(trace, matching, paths, {}).makespan_ns);
  });
}

void diagnose_all(benchmark::State& state) {
  measure(state, [](const Trace& trace, const CallMatching& /*known*/) {
    const CallPaths paths(trace);
    benchmark::DoNotOptimize(diagnose(trace, paths).shares.length_ns);
  });
}

// 1.3 * 10^4 to 5 * 10^6 calls.
#define SLACKLINE_SIZES ->Arg(2)->Arg(20)->Arg(200)->Arg(800)
#define SLACKLINE_BENCHMARK(function) \
  BENCHMARK(function) SLACKLINE_SIZES->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()
SLACKLINE_BENCHMARK(match);
SLACKLINE_BENCHMARK(find_wait_states);
SLACKLINE_BENCHMARK(find_delay_costs);
SLACKLINE_BENCHMARK(replay_ideally);
SLACKLINE_BENCHMARK(find_path);
SLACKLINE_BENCHMARK(diagnose_all);

/// The path alone, over a graph that is there already; but "intervals" has none.
void path_by(benchmark::State& state) {
  const auto algorithm = static_cast<std::size_t>(state.range(1));
  const Trace& trace = trace_of(static_cast<int>(state.range(0)));
  const bool intervals = algorithm == kPathAlgorithms.size();
  state.SetLabel(intervals ? "intervals" : std::string(to_string(kPathAlgorithms[algorithm])));
  std::int64_t length = 0;
  if (intervals) {
    measure(state, [&](const Trace& of, const CallMatching& /*unused*/) {
      length = interval_path(of, 0).computation_ns;
    });
  } else {
    const CallMatching matching(trace);
    const CausalOrder order(trace, matching);
    const ActivityGraph graph = activity_graph(Activities(trace, matching, order));
    measure(state, [&](const Trace& /*unused*/, const CallMatching& /*unused*/) {
      length = longest_path(graph, kPathAlgorithms[algorithm]).length_ns;
    });
  }
  state.counters["path ms"] = static_cast<double>(length) / 1e6;
}
BENCHMARK(path_by)
    ->ArgsProduct({{20, 200}, {0, 1, 2, 3, 4}})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

void build_path_graph(benchmark::State& state) {
  measure(state, [](const Trace& trace, const CallMatching& matching) {
    const CausalOrder order(trace, matching);
    benchmark::DoNotOptimize(activity_graph(Activities(trace, matching, order)).size());
  });
}
SLACKLINE_BENCHMARK(build_path_graph);

}  // namespace
}  // namespace slackline

BENCHMARK_MAIN();
