// Advice.
//
// The authors of SILAS propose as future work that the tool itself find and rank hypotheses
// ("Verifying Causal Connections between Distant Performance Phenomena in Large-Scale
// Message-Passing Applications", Hermanns et al. 2008). Here wait states are not subtracted: the
// measured run is executed as it would be otherwise (analysis/summary/scenario_runs.h), so that
// every hypothesis which the program gives cause for can be tried, also those that turn out to be
// wrong.

#include "advice/advice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "advice/combination.h"
#include "advice/hypotheses.h"
#include "advice/hypothesis.h"
#include "advice/program_profile.h"
#include "base/arithmetic.h"
#include "base/error.h"
#include "whatif/program_writer.h"
#include "whatif/scenario.h"

namespace slackline {
namespace {

/// Gains below this share of the run are not worth a change.
constexpr double kLeastGain = 0.001;
/// Nor are causes that gain less than this share worth more than faster computation.
constexpr double kLeastCause = 0.02;
/// Lack of processors that gains less hides nothing.
constexpr double kHides = 0.01;
/// This many are simulated, even if fewer are asked for: the first is the same then.
constexpr std::size_t kSimulated = 10;

bool lacks_processors(std::span<const LimitingCause> limits) {
  return std::ranges::any_of(limits, [](const LimitingCause& c) {
    return c.limit == Limit::processors && c.gain && c.gain->share > kHides;
  });
}

/// What all computation takes on the processors of the job, where their number is known.
double least_run_ns(const LimitInputs& run) {
  const auto processors_ns = static_cast<double>(run.trace.info().processors_ns);
  const double processors =
      std::round(ratio_of(processors_ns, static_cast<double>(run.shares.run_ns)));
  return ratio_of(static_cast<double>(run.shares.sum_ns.compute), processors);
}

/// With all computation balanced, no communication and no dependences: the mean of the ranks. What
/// they compute between polls only to pass the time is no computation.
double ideal_ns(const ScenarioRuns& runs) {
  const LimitInputs& in = runs.inputs();
  double sum = 0;
  for (std::int32_t r = 0; r < in.trace.ranks(); ++r) {
    for (CallIndex call = 0; call < in.trace.calls(r).size(); ++call) {
      if (runs.gaps().is_polled(r, call)) continue;
      sum += static_cast<double>(runs.gaps().of(r, call).busy());
    }
  }
  return ratio_of(sum, static_cast<double>(in.shares.present));
}

/// Executes the run under hypotheses, eight at a time.
class Evaluation {
 public:
  /// `crowded`: ranks lack processors, which may hide what a hypothesis gains, and allow no more
  /// computation at the same time.
  Evaluation(ScenarioRuns& runs, bool crowded) : runs_(runs) {
    const auto length = static_cast<double>(runs.interval().length_ns());
    if (crowded) most_gained_ = 1 - ratio_of(least_run_ns(runs.inputs()), length);
    bases_.emplace_back();
    if (crowded) bases_.push_back(RunScenario().without_loss(Limit::processors));
  }

  void add(Hypothesis h) {
    if (h.gain) {
      const LimitGain gain = *h.gain;
      return keep(std::move(h), gain);
    }
    waiting_.push_back(std::move(h));
    if (waiting_.size() == kTogether) execute();
  }

  std::vector<EvaluatedHypothesis> take() {
    execute();
    return std::move(evaluated_);
  }

 private:
  static constexpr std::size_t kTogether = 8;

  void execute() {
    std::vector<LimitGain> gains(waiting_.size());
    for (const RunScenario& base : bases_) {
      std::vector<RunScenario> changed;
      for (const Hypothesis& h : waiting_) changed.push_back(both(base, h.change));
      const std::vector<RunOutcome> outcomes = runs_.execute(changed);
      for (std::size_t i = 0; i < gains.size(); ++i) {
        LimitGain gain = runs_.gain(runs_.of(base), outcomes[i]);
        if (&base == &bases_.front()) {
          if (!waiting_[i].of_computation) limit_gain(gain);
          gains[i] = gain;
        } else {
          gains[i].certain = std::min(gains[i].certain, gain.certain);
          gains[i].low = std::min(gains[i].low, gain.low);
          gains[i].high = std::max(gains[i].high, gain.high);
        }
      }
    }
    for (std::size_t i = 0; i < gains.size(); ++i) {
      waiting_[i].change.gaps.reset();
      keep(std::move(waiting_[i]), gains[i]);
    }
    waiting_.clear();
  }

  void limit_gain(LimitGain& gain) const {
    for (double* share : {&gain.share, &gain.certain, &gain.low, &gain.high}) {
      *share = std::min(*share, std::max(0.0, most_gained_));
    }
  }

  void keep(Hypothesis h, const LimitGain& gain) {
    // Variation between stretches says nothing of the sign of what happened once.
    const double low = std::max(gain.low, std::min(0.0, gain.certain));
    const auto ns = static_cast<double>(runs_.interval().length_ns());
    evaluated_.push_back(
        {std::move(h), gain.share * ns, gain.certain * ns, low * ns, gain.high * ns});
  }

  ScenarioRuns& runs_;
  std::vector<RunScenario> bases_;
  double most_gained_ = 1;
  std::vector<Hypothesis> waiting_;
  std::vector<EvaluatedHypothesis> evaluated_;
};

/// The order of proposals: causes before faster computation, which shortens any program, unless
/// they gain next to nothing; then by the gain that is certain.
struct Rank {
  bool cause;
  double certain_ns;
  auto operator<=>(const Rank&) const = default;
};

Rank rank_of(const Proposal& p, double run_ns) {
  const double certain_ns = std::min(p.certain_ns, p.simulated_gain_ns.value_or(p.certain_ns));
  const bool cause = p.hypothesis.problem != Problem::computation;
  return {cause && certain_ns >= kLeastCause * run_ns, certain_ns};
}

/// False where the edited program would not end.
bool simulate(Proposal& p, const ProgramView& program, double base_ns, const RunTime& run_ns) {
  if (p.hypothesis.edits.empty()) return true;
  try {
    p.simulated_gain_ns = base_ns - run_ns(apply({.edits = p.hypothesis.edits}, program).trace);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void simulate(Advice& advice, const ProgramView& program, const RunTime& run_ns) {
  const double base_ns = run_ns(untimed_copy(program.trace));
  advice.simulated_ns = base_ns;
  std::erase_if(advice.proposals, [&](Proposal& p) {
    return !simulate(p, program, base_ns, run_ns) ||
           p.simulated_gain_ns.value_or(base_ns) < kLeastGain * base_ns;
  });
}

}  // namespace

std::string_view identifier(Problem problem) {
  constexpr std::array<std::string_view, 19> kNames{"imbalance",
                                                    "variation",
                                                    "slow_ranks",
                                                    "serial",
                                                    "outliers",
                                                    "computation",
                                                    "empty_messages",
                                                    "message_volume",
                                                    "barriers",
                                                    "rendezvous",
                                                    "collective_algorithm",
                                                    "latency",
                                                    "bandwidth",
                                                    "small_messages",
                                                    "processors",
                                                    "serialisation",
                                                    "blocking",
                                                    "io",
                                                    "threads"};
  return kNames[static_cast<std::size_t>(problem)];
}

Advice advise(ScenarioRuns& runs, std::span<const LimitingCause> limits, const Samples& samples,
              const ModelChoice& choice, const AdviceOptions& options) {
  const LimitInputs& run = runs.inputs();
  if (run.shares.length_ns <= 0) return {};
  const ProgramView program{run.trace, samples};
  const CallPaths paths = CallPaths::of_regions_or_functions(run.trace);
  const ProgramProfile profile = program_profile(run.trace, paths, run.code);
  Evaluation evaluation(runs, lacks_processors(limits));
  const TakeHypothesis take = [&](Hypothesis h) { evaluation.add(std::move(h)); };
  computation_hypotheses(program, paths, profile, take);
  communication_hypotheses(runs, profile, choice, take);
  limit_hypotheses(runs, limits, take);

  std::vector<EvaluatedHypothesis> tried = evaluation.take();
  if (options.only_edits) {
    std::erase_if(tried, [](const auto& h) { return h.hypothesis.edits.empty(); });
  }
  Advice advice{.run_ns = static_cast<double>(run.shares.length_ns),
                .ideal_ns = ideal_ns(runs),
                .hypotheses = tried.size()};
  for (EvaluatedHypothesis& h : ranked(std::move(tried), paths, kLeastGain * advice.run_ns)) {
    advice.proposals.push_back(
        {std::move(h.hypothesis), h.gain_ns, h.certain_ns, h.low_ns, h.high_ns});
  }
  const auto sort = [&] {
    std::ranges::stable_sort(advice.proposals, std::ranges::greater{},
                             [&](const Proposal& p) { return rank_of(p, advice.run_ns); });
  };
  sort();
  if (options.simulated) {
    advice.proposals.resize(std::min(advice.proposals.size(), std::max(options.count, kSimulated)));
    simulate(advice, program, options.simulated);
    sort();
  }
  advice.proposals.resize(std::min(advice.proposals.size(), options.count));
  advice.combination = combination(advice.proposals, runs, program);
  return advice;
}

}  // namespace slackline
