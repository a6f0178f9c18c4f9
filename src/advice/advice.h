#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "advice/hypothesis.h"
#include "analysis/model/model_choice.h"
#include "graph/execution_graph.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/samples.h"

namespace slackline {

/// A change that shortens the run under the model.
struct Proposal {
  Hypothesis hypothesis;
  double gain_ns = 0;
  /// Over the network_range(); gain_ns lies between them.
  double low_ns = 0;
  double high_ns = 0;
  /// By simulation; none where there is no simulation, or the change is one of the network.
  std::optional<double> simulated_gain_ns{};
  std::string command{};  ///< that evaluates it; for the caller to fill in
};

/// Several proposals together.
struct Combination {
  std::vector<std::size_t> proposals;  ///< indices into Advice::proposals, in order of application
  double gain_ns = 0;
};

struct Advice {
  bool measured_network = false;         ///< gains are over the measured intervals of L, o and G
  double makespan_ns = 0;                ///< of the run as it is
  std::optional<double> simulated_ns{};  ///< the same by simulation, if there is one
  /// With all computation balanced, no communication and no dependences: what remains.
  double ideal_ns = 0;
  std::size_t hypotheses = 0;     ///< evaluated
  std::size_t not_evaluated = 0;  ///< that would have exceeded the limit of work
  /// Causes before faster computation, which shortens any program; the largest certain gain
  /// (low_ns, or the simulated one) first.
  std::vector<Proposal> proposals;
  Combination combination;  ///< empty unless it gains more than the first alone
};

/// The run time of a program in ns by a simulation. Throws Error where it would not end.
using RunTime = std::function<double(const Trace&)>;

struct AdviceOptions {
  std::size_t count = 1;  ///< most proposals
  /// Limit of the work: the vertices of all graphs that are evaluated, one for each hypothesis.
  std::size_t most_vertices = std::numeric_limits<std::size_t>::max();
  RunTime simulated{};
};

/// Generates hypotheses, evaluates each under `choice`, keeps the `count` best, one for each
/// problem, and combines them greedily. `graph` is of `program`. Hypotheses about messages and
/// collectives build a graph each; those that the limit of work leaves no room for, and those with
/// far more messages than the program, are not evaluated. With `simulated`, what is kept is
/// simulated once each, and ranked by the smaller of both gains; changes that gain nothing by
/// simulation are left out.
Advice advise(const ProgramView& program, const ExecutionGraph& graph, const ModelChoice& choice,
              const AdviceOptions& options);

using AdviceJson = JsonOf<struct AdviceJsonTag>;
const JsonType& declared_type(const AdviceJsonTag*);
Described<AdviceJson> describe(const Advice& advice);

}  // namespace slackline
