// What gain curves cost beside a plain pass over the reduced graph: `passes/8 groups` is the CPU
// time of all curves for each eight of them, over that of one pass; `all passes/8 groups` includes
// the reduction, which is made once.

#include <benchmark/benchmark.h>

#include <ctime>

#include "analysis/model/gain_targets.h"
#include "analysis/model/gains.h"
#include "halo_trace.h"

namespace slackline {
namespace {

const ModelChoice& model() {
  static const ModelChoice choice{{3'000'000'000, 500'000'000, 18'000}, {}, ""};
  return choice;
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class Work>
double seconds(Work work) {
  const double before = cpu_seconds();
  work();
  return cpu_seconds() - before;
}

double seconds_of_pass(const ExecutionGraph& graph) {
  constexpr int kPasses = 20;
  MakespanFunction t(graph, model().model, Parameter::latency);
  t.line_at(t.base());
  return seconds([&] {
           for (int i = 1; i <= kPasses; ++i) {
             benchmark::DoNotOptimize(t.line_at(t.from_fs(i * 1'000'000LL)).slope);
           }
         }) /
         kPasses;
}

double seconds_of_reduction(const Trace& trace, const ExecutionGraph& graph,
                            const CallPaths& paths) {
  return seconds([&] {
    with_cost(graph, model(), {Parameter::latency}, [&](const LinearCost& cost) {
      const ComputationCode code(trace, nullptr);
      GainOwners owners(trace, graph, paths, code);
      benchmark::DoNotOptimize(owners.attribute(cost, cost.tick_fs()).most_ticks);
    });
  });
}

/// Arguments: steps, functions.
void gain_curves(benchmark::State& state) {
  const Trace trace =
      make_halo_trace(static_cast<int>(state.range(0)), static_cast<std::uint32_t>(state.range(1)));
  const CallPaths paths(trace);
  const ExecutionGraph graph = build_graph(trace, model().graph);
  const double pass = seconds_of_pass(graph);
  const double reduction = seconds_of_reduction(trace, graph, paths);
  double all = 0;
  double curves = 0;
  double gaining = 0;
  for (auto _ : state) {
    Gains result;
    all = seconds([&] { result = gains(trace, graph, paths, model()); });
    curves = static_cast<double>(result.curves.size());
    gaining = 0;
    for (const GainCurve& c : result.curves) gaining += c.gain_ns.back() > 0 ? 1 : 0;
  }
  state.counters["calls"] = static_cast<double>(trace.call_count());
  state.counters["curves"] = curves;
  state.counters["with gain"] = gaining;
  state.counters["pass ms"] = pass * 1e3;
  state.counters["reduction/passes"] = reduction / pass;
  state.counters["passes/8 groups"] = (all - reduction) / pass / curves * 8;
  state.counters["all passes/8 groups"] = all / pass / curves * 8;
}
BENCHMARK(gain_curves)
    ->Args({20, 200})
    ->Args({180, 200})
    ->Args({180, 20})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace slackline

BENCHMARK_MAIN();
