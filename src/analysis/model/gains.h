#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/model/model_choice.h"
#include "calls/call_paths.h"
#include "graph/execution_graph.h"
#include "report/report.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// By how much the selected computation gets shorter, for which gains are listed.
inline constexpr std::array<double, 4> kGainSpeedups{0.1, 0.25, 0.5, 1.0};

/// What the run gains when some computation gets shorter. T as a function of how long a nanosecond
/// of that computation takes is convex and piecewise linear like T(L) (doc/decisions/0001), and its
/// slope is the computation's time on the critical path; so the whole curve is exact.
struct GainCurve {
  std::string name;          ///< region, function, call path, or rank
  std::string kind;          ///< "computation", "region", "function", "call-path", "rank"
  std::int64_t time_ns = 0;  ///< of all ranks
  double share = 0;          ///< of all ranks' computation: what a plain profile shows
  double on_path_ns = 0;     ///< on the critical path as the program is
  std::array<double, kGainSpeedups.size()> gain_ns{};
  /// Shortening it by more than this gains nothing more; 1: every bit counts.
  double saturation = 1;
};

struct Gains {
  double makespan_ns = 0;
  std::vector<GainCurve> curves;  ///< largest gain from removing it first, within each kind
};

struct GainOptions {
  bool call_paths = false;           ///< every call path, too
  bool ranks = true;                 ///< every rank's whole computation, too
  const Samples* samples = nullptr;  ///< of the trace: the functions with most computation, too
};

/// Curves for all computation, each code region with what is called from it, the functions with the
/// most computation in a sampled recording, and each rank. One
/// reduction of the graph and a few passes over it per curve.
Gains gains(const Trace& trace, const ExecutionGraph& graph, const CallPaths& paths,
            const ModelChoice& choice, const GainOptions& options = {});

Report describe(const Gains& gains);

}  // namespace slackline
