#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/model/model_choice.h"
#include "graph/build.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "timing/link_load.h"

namespace slackline {

/// T by the eager threshold S. It is a step function, and not a monotone one: a message is either
/// eager or not, so T changes only where S passes the size of some message.
struct ThresholdSweep {
  struct Row {
    std::uint64_t threshold_bytes;
    std::uint64_t rendezvous_messages;
    double makespan_ns;
    std::int64_t lambda;  ///< right derivative by L
    LinkDelay link{};     ///< that T leaves out, if it is not negligible
  };

  double latency_ns = 0;  ///< the model's
  std::vector<Row> rows;
};

/// T at each of the thresholds, or, if there are none, where T may change: at 0 and at the sizes of
/// messages, at most `most` of them. `build` makes the program's graph under given options; a graph
/// and a reduction are made for each value. Throws what `build` throws.
ThresholdSweep sweep_thresholds(const std::function<ExecutionGraph(const GraphOptions&)>& build,
                                const ModelChoice& choice, std::vector<std::uint64_t> thresholds,
                                std::size_t most);

extern const Rows<ThresholdSweep> kThresholdSweep;
using ThresholdSweepJson = JsonBy<kThresholdSweep>;
/// Result and a table with a row for each threshold.
Described<ThresholdSweepJson> describe(const ThresholdSweep& sweep);

}  // namespace slackline
