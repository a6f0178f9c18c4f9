// From a native trace to T and its tolerances, and how the cost grows with the trace: read, build
// the graph, answer. One thread; the time is the process's CPU time. Reported: calls a second, and
// bytes of memory a call at the peak.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/model/prediction.h"
#include "analysis/model/sensitivity.h"
#include "formats/native/reader.h"
#include "formats/native/writer.h"
#include "graph/build.h"
#include "halo_trace.h"

namespace slackline {
namespace {

const ModelChoice& model() {
  static const ModelChoice choice{{3'000'000'000, 500'000'000, 18'000}, {}, ""};
  return choice;
}

std::vector<std::byte> native_file(const Trace& trace) {
  std::vector<std::byte> file;
  write_native(trace, [&](std::span<const std::byte> piece) {
    file.insert(file.end(), piece.begin(), piece.end());
  });
  return file;
}

void report_rate(benchmark::State& state, double calls) {
  state.counters["calls"] = calls;
  state.counters["calls/s"] =
      benchmark::Counter(calls, benchmark::Counter::kIsIterationInvariantRate);
}

void read_build_tolerance(benchmark::State& state) {
  const std::vector<std::byte> file =
      native_file(make_halo_trace(static_cast<int>(state.range(0))));
  double calls = 0;
  for (auto _ : state) {
    const Trace trace = read_native(file, "bench");
    calls = static_cast<double>(trace.call_count());
    const ExecutionGraph graph = build_graph(trace, model().graph);
    benchmark::DoNotOptimize(
        tolerances(graph, model(), Parameter::latency, {10'000, 20'000, 50'000}).makespan_ns);
  }
  report_rate(state, calls);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak bytes/call"] = static_cast<double>(usage.ru_maxrss) * 1024 / calls;
}
BENCHMARK(read_build_tolerance)
    ->RangeMultiplier(4)
    ->Range(20, 320)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

void build(benchmark::State& state) {
  const Trace trace = make_halo_trace(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(build_graph(trace, model().graph).vertex_count());
  }
  report_rate(state, static_cast<double>(trace.call_count()));
}
BENCHMARK(build)->Arg(20)->Arg(320)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

void one_pass(benchmark::State& state) {
  const Trace trace = make_halo_trace(static_cast<int>(state.range(0)));
  const ExecutionGraph graph = build_graph(trace, model().graph);
  MakespanFunction makespan(graph, model().model, Parameter::latency);
  std::int64_t x_fs = 0;
  for (auto _ : state) {
    // Another value each time: values already asked for are remembered.
    x_fs += 1'000'000;
    benchmark::DoNotOptimize(makespan.line_at(makespan.from_fs(x_fs)).slope);
  }
  report_rate(state, static_cast<double>(trace.call_count()));
}
BENCHMARK(one_pass)->Arg(20)->Arg(320)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

}  // namespace
}  // namespace slackline

BENCHMARK_MAIN();
