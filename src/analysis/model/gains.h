#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/model/model_choice.h"
#include "calls/call_paths.h"
#include "graph/execution_graph.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// By how much the selected costs are reduced, for which gains are listed, in percent.
inline constexpr std::array<int, 4> kGainSpeedups{10, 25, 50, 100};

/// What the run gains when some computation or communication gets shorter. T as a function of the
/// share that remains is convex and piecewise linear like T(L) (doc/decisions/0001), and its slope
/// is the group's time on the critical path; so the whole curve is exact.
struct GainCurve {
  /// What the critical path then consists of most.
  struct Successor {
    std::string name;
    std::string kind;  ///< "region", "function", "computation", "operation"; of ranks "rank"
    double share = 0;  ///< of the run time that is left
  };

  std::string name;       ///< region, function, call path, rank, operation or part of the network
  std::string kind;       ///< "computation", "region", "function", "call-path", "rank",
                          ///< "operation", "network"
  double time_ns = 0;     ///< of all ranks; of communication what the model charges
  double share = 0;       ///< of all ranks' computation, or communication: as in a plain profile
  double on_path_ns = 0;  ///< on the critical path as the program is
  std::array<double, kGainSpeedups.size()> gain_ns{};
  /// Shortening it by more than this gains nothing more; 1: every bit counts.
  double saturation = 0;
  Successor takes_over{};  ///< empty name: nothing is gained
};

struct Gains {
  double makespan_ns = 0;
  std::vector<GainCurve> curves;  ///< largest gain from removing it first, within each kind
};

struct GainOptions {
  bool call_paths = false;           ///< every call path, too
  const Samples* samples = nullptr;  ///< of the trace: where its ranks computed
};

/// Curves for all computation, each code region and function with what is called from it, each
/// rank, each operation, and each parameter of the network for point-to-point messages and for
/// collectives. One reduction of the graph, one pass over it, and for every eight groups that the
/// critical path has some of about five to ten passes.
Gains gains(const Trace& trace, const ExecutionGraph& graph, const CallPaths& paths,
            const ModelChoice& choice, const GainOptions& options = {});

extern const Rows<Gains> kGainRows;
using GainsJson = JsonBy<kGainRows>;
Described<GainsJson> describe(const Gains& gains);

}  // namespace slackline
