#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advice/hypothesis.h"
#include "analysis/model/model_choice.h"
#include "analysis/summary/scenario_runs.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/samples.h"

namespace slackline {

/// How much shorter replays of an edited program are than those of the program as it was.
struct ReplayedGain {
  double gain_ns = 0;  ///< of the medians
  double low_ns = 0;   ///< between the replays that are closest
  double high_ns = 0;  ///< between those that are farthest apart
};

/// A change that shortens the run.
struct Proposal {
  Hypothesis hypothesis;
  double gain_ns = 0;
  double certain_ns = 0;  ///< whether or not ranks have processors of their own
  /// Error bar: how much stretches of the run vary, and what lack of processors may hide.
  double low_ns = 0;
  double high_ns = 0;
  /// By simulation; none where there is no simulation, or the change is no edit of the program.
  std::optional<double> simulated_gain_ns{};
  std::optional<ReplayedGain> replayed{};  ///< by verify()
  std::string command{};                   ///< that verifies it; for the caller to fill in
};

/// Several proposals together.
struct Combination {
  std::vector<std::size_t> proposals;  ///< indices into Advice::proposals, in their order
  double gain_ns = 0;
};

struct Advice {
  bool measured = true;                  ///< the run is a measured one, and no model's
  double run_ns = 0;                     ///< of the analysed interval
  std::optional<double> simulated_ns{};  ///< the run by simulation, if there is one
  /// With all computation balanced, no communication and no dependences: what remains.
  double ideal_ns = 0;
  std::size_t hypotheses = 0;  ///< evaluated
  /// Causes before faster computation, which shortens any program; the largest certain gain
  /// (or the simulated one) first.
  std::vector<Proposal> proposals{};
  Combination combination{};  ///< empty unless it gains more than the first alone
};

/// The run time of a program in ns by a simulation. Throws Error where it would not end.
using RunTime = std::function<double(const Trace&)>;

struct AdviceOptions {
  std::size_t count = 1;    ///< most proposals
  bool only_edits = false;  ///< changes that can be made to the trace, and replayed
  RunTime simulated{};
};

/// Generates hypotheses, executes the run of `runs` under each, keeps the `count` best, one for
/// each problem, and combines the first ones. `limits`: of the same run. `choice`: for what other
/// algorithms of collectives take. With `simulated`, edits of the program that are kept are
/// simulated once each, and ranked by the smaller of both gains; those that gain nothing by
/// simulation are left out. A walk over the run for eight hypotheses, and passes over its calls to
/// find them; memory for eight of them.
Advice advise(ScenarioRuns& runs, std::span<const LimitingCause> limits, const Samples& samples,
              const ModelChoice& choice, const AdviceOptions& options);

/// The run times in ns of replays under MPI of the program with each of these lists of edits, at
/// least one of each. Throws Error where one cannot be replayed.
using ReplayTimes =
    std::function<std::vector<std::vector<double>>(const std::vector<std::vector<Edit>>& programs)>;

/// Replays the program as it was and with the first `count` proposals, which are edits of it.
void verify(Advice& advice, std::size_t count, const ReplayTimes& replay);

using AdviceJson = JsonOf<struct AdviceJsonTag>;
const JsonType& declared_type(const AdviceJsonTag*);
Described<AdviceJson> describe(const Advice& advice);

}  // namespace slackline
