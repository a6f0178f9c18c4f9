// What the commands' parts cost on a regular program and on an irregular one, side by side, and how
// that grows with the trace. One table for both; nothing in it depends on how fast the machine is
// but the rates themselves.
//
//   bench_programs [CALLS]     the largest traces have about this many calls (5,000,000)
//
// Columns: the process's CPU time (all threads), and calls a second; `ratio`: a call's cost on the
// irregular program over that on the halo program; `slope`: the exponent with which the cost grows
// from a quarter of the trace to all of it, 1 for linear. The last lines say how many critical
// latencies there are between 0 and 10 us, and how many passes for one value finding them costs.

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/model/prediction.h"
#include "analysis/model/sensitivity.h"
#include "analysis/summary/diagnosis.h"
#include "formats/native/reader.h"
#include "formats/native/writer.h"
#include "graph/build.h"
#include "graph/goal/goal_graph.h"
#include "halo_trace.h"
#include "irregular_trace.h"
#include "sim/loggops/loggops.h"

namespace slackline {
namespace {

const ModelChoice& model() {
  static const ModelChoice choice = [] {
    ModelChoice made;
    made.model = {3'000'000'000, 500'000'000, 18'000};
    return made;
  }();
  return choice;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class Run>
double cost_of(Run run) {
  const double before = cpu_seconds();
  run();
  return cpu_seconds() - before;
}

enum Part {
  reading,
  building,
  predicting,
  tolerating,
  one_value,
  all_latencies,
  diagnosing,
  simulating
};
constexpr std::array<const char*, 8> kParts{
    "read (native)", "build the graph",    "predict",  "tolerances of L",
    "T at one L",    "critical latencies", "diagnose", "LogGOPS, exact"};

struct Costs {
  double calls = 0;
  std::size_t critical = 0;
  std::array<double, kParts.size()> seconds{};
};

Costs measure(const Trace& made) {
  std::vector<std::byte> file;
  write_native(made, [&](std::span<const std::byte> piece) {
    file.insert(file.end(), piece.begin(), piece.end());
  });
  Costs costs;
  std::optional<Trace> trace;
  ExecutionGraph graph;
  costs.seconds[reading] = cost_of([&] { trace.emplace(read_native(file, "bench")); });
  costs.calls = static_cast<double>(trace->call_count());
  costs.seconds[building] = cost_of([&] { graph = build_graph(*trace, model().graph); });
  costs.seconds[predicting] = cost_of([&] { (void)predict(*trace, graph, model()).makespan_ns; });
  costs.seconds[tolerating] = cost_of([&] {
    (void)tolerances(graph, model(), {Parameter::latency, ""}, {10'000, 20'000, 50'000});
  });
  const ReducedProgram reduced(graph);
  MakespanFunction one(reduced, model().model, Parameter::latency);
  costs.seconds[one_value] = cost_of([&] { (void)one.line_at(one.base()); });
  MakespanFunction all(reduced, model().model, Parameter::latency);
  costs.seconds[all_latencies] = cost_of([&] {
    constexpr std::int64_t kTenMicroseconds = 10'000'000'000;
    costs.critical =
        compute_envelope(all, {0, 1}, all.from_fs(kTenMicroseconds)).breakpoints().size();
  });
  costs.seconds[diagnosing] =
      cost_of([&] { (void)diagnose(*trace, CallPaths(*trace)).shares.length_ns; });
  Findings findings;
  const GoalProgram program = goal_of_trace(*trace, model().graph, findings);
  const LogGOPS loggops{.latency_fs = 3'000'000'000,
                        .overhead_fs = 500'000'000,
                        .gap_fs = 0,
                        .gap_per_byte_fs = 18'000,
                        .overhead_per_byte_fs = 0,
                        .eager_threshold_bytes = 65'536};
  costs.seconds[simulating] =
      cost_of([&] { (void)simulate_loggops(program, loggops, "bench").makespan_ns; });
  return costs;
}

/// The costs of a quarter of the trace and of all of it.
struct Growth {
  Costs quarter;
  Costs whole;

  double slope(std::size_t part) const {
    return std::log(whole.seconds[part] / quarter.seconds[part]) /
           std::log(whole.calls / quarter.calls);
  }
};

void print(const Growth& halo, const Growth& irregular) {
  std::printf("%-20s %30s %30s\n", "", "halo program", "irregular program");
  std::printf("%-20s %9s %12s %7s %9s %12s %7s %7s\n", "", "CPU s", "calls/s", "slope", "CPU s",
              "calls/s", "slope", "ratio");
  for (std::size_t part = 0; part < kParts.size(); ++part) {
    std::printf("%-20s", kParts[part]);
    for (const Growth* g : {&halo, &irregular}) {
      const double seconds = g->whole.seconds[part];
      std::printf(" %9.3f %12.3g %7.2f", seconds, g->whole.calls / seconds, g->slope(part));
    }
    std::printf(" %7.2f\n", irregular.whole.seconds[part] / irregular.whole.calls /
                                (halo.whole.seconds[part] / halo.whole.calls));
  }
  for (const Growth* g : {&halo, &irregular}) {
    std::printf(
        "%s program: %.0f calls, %zu critical latencies, which cost as much as %.0f values\n",
        g == &halo ? "halo" : "irregular", g->whole.calls, g->whole.critical,
        g->whole.seconds[all_latencies] / g->whole.seconds[one_value]);
  }
}

int run(std::int64_t calls) {
  constexpr std::int64_t kCallsOfHaloStep = 6'400;
  constexpr std::int64_t kCallsOfIrregularStep = 890;
  const auto steps = [&](std::int64_t of_step, std::int64_t parts) {
    return static_cast<int>(std::max<std::int64_t>(1, calls / parts / of_step));
  };
  // Once for nothing: the first one also pays for the memory.
  (void)measure(make_irregular_trace(steps(kCallsOfIrregularStep, 16)));
  const Growth halo{measure(make_halo_trace(steps(kCallsOfHaloStep, 4))),
                    measure(make_halo_trace(steps(kCallsOfHaloStep, 1)))};
  const Growth irregular{measure(make_irregular_trace(steps(kCallsOfIrregularStep, 4))),
                         measure(make_irregular_trace(steps(kCallsOfIrregularStep, 1)))};
  print(halo, irregular);
  return 0;
}

}  // namespace
}  // namespace slackline

int main(int argc, char** argv) {
  const std::int64_t calls = argc > 1 ? std::atoll(argv[1]) : 5'000'000;
  if (calls <= 0) {
    std::fprintf(stderr, "usage: bench_programs [CALLS]\n");
    return 2;
  }
  return slackline::run(calls);
}
