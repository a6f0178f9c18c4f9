#pragma once

#include "analysis/waits/wait_states.h"
#include "calls/call_matching.h"
#include "graph/execution_graph.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

using MatricesJson = JsonOf<struct MatricesJsonTag>;
const JsonType& declared_type(const MatricesJsonTag*);
/// Bytes and messages between pairs (point-to-point; collectives are not expanded), who waited for
/// whom if `waits` are given, and the latencies that `schedule`'s critical path pays by pair. Each
/// that is not empty, with a table of its largest cells; `matrices` in the result, up to 10,000
/// cells of each. Linear in messages, waits and the path's length.
Described<MatricesJson> pair_matrices(const Trace& trace, const CallMatching& matching,
                                      const WaitStates* waits, const ExecutionGraph& graph,
                                      const Schedule& schedule);

}  // namespace slackline
