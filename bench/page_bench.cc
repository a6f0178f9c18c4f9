// What a report's page costs and how that grows with the trace: from the trace in memory, with no
// graph yet, to the bytes of the file. Wall clock, on as many threads as the machine has (run it
// under `taskset -c 0` for one). Reported: calls a second, and the page's bytes a call.

#include <benchmark/benchmark.h>

#include <optional>

#include "app/report/run_report.h"
#include "graph/build.h"
#include "halo_trace.h"
#include "report/writers.h"

namespace slackline {
namespace {

void page(benchmark::State& state) {
  const Trace trace = make_halo_trace(static_cast<int>(state.range(0)));
  const CallMatching matching(trace);
  const ModelChoice choice{{3'000'000'000, 500'000'000, 18'000}, {}, ""};
  const RunReportOptions options{.degradations_ppm = {10'000, 20'000, 50'000}, .pictures = true};
  std::size_t bytes = 0;
  for (auto _ : state) {
    std::optional<ExecutionGraph> graph;
    const GraphSource source = [&]() -> const ExecutionGraph& {
      return graph.emplace(build_graph(trace, choice.graph));
    };
    bytes = write_html(run_report(trace, matching, source, choice, options)).size();
  }
  const auto calls = static_cast<double>(trace.call_count());
  state.counters["calls"] = calls;
  state.counters["calls/s"] =
      benchmark::Counter(calls, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/call"] = static_cast<double>(bytes) / calls;
}
BENCHMARK(page)->Arg(2)->Arg(20)->Arg(200)->Arg(800)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace slackline

BENCHMARK_MAIN();
