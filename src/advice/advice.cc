// Advice.
//
// The authors of SILAS propose as future work that the tool itself find and rank hypotheses
// ("Verifying Causal Connections between Distant Performance Phenomena in Large-Scale
// Message-Passing Applications", Hermanns et al. 2008). Here wait states are not subtracted but the
// edited program is timed by the model, which takes a fraction of a second, so that every
// hypothesis which the program gives cause for can be tried, also those that turn out to be wrong.

#include "advice/advice.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "advice/evaluation.h"
#include "advice/hypotheses.h"
#include "advice/hypothesis.h"
#include "advice/program_profile.h"
#include "base/error.h"
#include "base/parallel.h"
#include "graph/build.h"
#include "whatif/program_writer.h"
#include "whatif/scenario.h"

namespace slackline {
namespace {

/// Gains below this share of the run are not worth a change.
constexpr double kLeastGain = 0.001;
/// Nor are causes that gain less than this share worth more than faster computation.
constexpr double kLeastCause = 0.02;
/// A further proposal joins a combination if it gains this share of the run more.
constexpr double kLeastFurtherGain = 0.01;
constexpr std::size_t kLargestCombination = 4;
/// This many are ranked, even if fewer are asked for: the first is the same then.
constexpr std::size_t kLeastRanked = 10;

/// Keeps the hypotheses that the limit of work has room for, those with least work first. Which
/// they are does not depend on how fast anything is.
std::vector<Hypothesis> within(std::size_t most_vertices, const Evaluator& evaluator,
                               std::vector<Hypothesis> hypotheses) {
  std::vector<std::size_t> work;
  for (const Hypothesis& h : hypotheses) {
    work.push_back(evaluator.most_vertices(h.edits, h.variation));
  }
  std::vector<std::size_t> order(work.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return work[i]; });
  std::size_t sum = 0;
  const auto end =
      std::ranges::find_if(order, [&](std::size_t i) { return (sum += work[i]) > most_vertices; });
  order.erase(end, order.end());
  std::ranges::sort(order);
  std::vector<Hypothesis> kept;
  for (const std::size_t i : order) kept.push_back(std::move(hypotheses[i]));
  return kept;
}

/// Those with too many messages are left out.
std::vector<EvaluatedHypothesis> evaluated(std::vector<Hypothesis> hypotheses,
                                           const Evaluator& evaluator) {
  std::vector<std::optional<EvaluatedHypothesis>> all(hypotheses.size());
  parallel_for(all.size(), [&](std::size_t i) {
    double gain_ns = 0;
    try {
      gain_ns = evaluator.gain_ns(hypotheses[i].edits, hypotheses[i].variation);
    } catch (const GraphTooLarge&) {
      return;
    } catch (const Error&) {
      gain_ns = 0;  // it cannot be applied to this program
    }
    all[i] = EvaluatedHypothesis{std::move(hypotheses[i]), gain_ns};
  });
  std::vector<EvaluatedHypothesis> kept;
  for (std::optional<EvaluatedHypothesis>& h : all) {
    if (h) kept.push_back(std::move(*h));
  }
  return kept;
}

Proposal proposal(EvaluatedHypothesis h, const Evaluator& evaluator) {
  const std::array<double, 3> gains =
      evaluator.gains_ns(h.hypothesis.edits, h.hypothesis.variation);
  const auto [low, high] = std::ranges::minmax(gains);
  return {std::move(h.hypothesis), h.gain_ns, low, high};
}

/// No algorithm of a collective is faster than none.
bool removal_gains(Operation operation, const Evaluator& evaluator) {
  const Edit removal{"remove", {{"operation", std::string(identifier(operation))}}};
  try {
    return evaluator.gain_ns({removal}, {}) >= kLeastGain * evaluator.base_ns();
  } catch (const Error&) {
    return true;
  }
}

/// The order of proposals: causes before faster computation, which shortens any program, unless
/// they gain next to nothing; then by the gain that is certain.
struct Rank {
  bool cause;
  double certain_ns;
  auto operator<=>(const Rank&) const = default;
};

Rank rank_of(Problem problem, double certain_ns, double run_ns) {
  return {problem != Problem::computation && certain_ns >= kLeastCause * run_ns, certain_ns};
}

Rank rank_of(const Proposal& p, double run_ns) {
  return rank_of(p.hypothesis.problem, std::min(p.low_ns, p.simulated_gain_ns.value_or(p.low_ns)),
                 run_ns);
}

/// False where the edited program would not end.
bool simulate(Proposal& p, const ProgramView& program, double base_ns, const RunTime& run_ns) {
  const Hypothesis& h = p.hypothesis;
  if (h.edits.empty() || h.variation.any()) return true;
  try {
    p.simulated_gain_ns = base_ns - run_ns(apply({.edits = h.edits}, program).trace);
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

/// Two changes of the same thing cannot be made together.
bool compatible(const Hypothesis& a, const Hypothesis& b) {
  return a.variation.collectives.empty() || b.variation.collectives.empty() || a.place != b.place;
}

ModelVariation together(ModelVariation a, const ModelVariation& b) {
  a.collectives.insert(a.collectives.end(), b.collectives.begin(), b.collectives.end());
  if (b.eager_threshold_bytes) a.eager_threshold_bytes = b.eager_threshold_bytes;
  a.latency_factor *= b.latency_factor;
  a.gap_factor *= b.gap_factor;
  return a;
}

/// Grows a combination by whatever gains more beside what it has.
class Growth {
 public:
  Growth(const std::vector<Proposal>& proposals, const Evaluator& evaluator)
      : proposals_(proposals), evaluator_(evaluator) {}

  Combination run() {
    for (std::size_t i = 0; i < proposals_.size(); ++i) {
      if (result_.proposals.size() == kLargestCombination) break;
      try_with(i);
    }
    if (result_.proposals.size() < 2) return {};
    return std::move(result_);
  }

 private:
  void try_with(std::size_t i) {
    const Hypothesis& h = proposals_[i].hypothesis;
    for (const std::size_t other : result_.proposals) {
      if (!compatible(proposals_[other].hypothesis, h)) return;
    }
    std::vector<Edit> edits = edits_;
    edits.insert(edits.end(), h.edits.begin(), h.edits.end());
    const ModelVariation variation = together(variation_, h.variation);
    double gain_ns = proposals_[i].gain_ns;
    if (!result_.proposals.empty()) {
      try {
        gain_ns = evaluator_.gain_ns(edits, variation);
      } catch (const Error&) {
        return;
      }
      if (gain_ns < result_.gain_ns + kLeastFurtherGain * evaluator_.base_ns()) return;
    }
    result_.proposals.push_back(i);
    result_.gain_ns = gain_ns;
    edits_ = std::move(edits);
    variation_ = variation;
  }

  const std::vector<Proposal>& proposals_;
  const Evaluator& evaluator_;
  Combination result_{};
  std::vector<Edit> edits_{};
  ModelVariation variation_{};
};

}  // namespace

std::string_view identifier(Problem problem) {
  constexpr std::array<std::string_view, 14> kNames{
      "imbalance", "variation",     "slow_ranks",           "serial",
      "outliers",  "computation",   "empty_messages",       "message_volume",
      "barriers",  "rendezvous",    "collective_algorithm", "latency",
      "bandwidth", "small_messages"};
  return kNames[static_cast<std::size_t>(problem)];
}

Advice advise(const ProgramView& program, const ExecutionGraph& graph, const ModelChoice& choice,
              const AdviceOptions& options) {
  const CallPaths paths = CallPaths::of_regions_or_functions(program.trace);
  const ComputationCode code(program.trace, &program.samples);
  const ProgramProfile profile = program_profile(program.trace, paths, code);
  const Evaluator evaluator(program, graph, choice);
  const PathUse path{evaluator.on_critical_path(Parameter::latency),
                     evaluator.on_critical_path(Parameter::gap_per_byte),
                     evaluator.gain_ns({}, {.gap_factor = 0}) >= kLeastGain * evaluator.base_ns(),
                     [&](Operation operation) { return removal_gains(operation, evaluator); }};
  std::vector<Hypothesis> hypotheses = computation_hypotheses(program, paths, profile);
  std::ranges::move(communication_hypotheses(profile, choice, path),
                    std::back_inserter(hypotheses));

  const std::size_t found = hypotheses.size();
  std::vector<EvaluatedHypothesis> tried =
      evaluated(within(options.most_vertices, evaluator, std::move(hypotheses)), evaluator);
  Advice advice{.measured_network = choice.bounds.has_value(),
                .makespan_ns = evaluator.base_ns(),
                .simulated_ns = {},
                .ideal_ns = static_cast<double>(profile.mean_ns()),
                .hypotheses = tried.size(),
                .not_evaluated = found - tried.size(),
                .proposals = {},
                .combination = {}};
  std::vector<EvaluatedHypothesis> best =
      ranked(std::move(tried), paths, kLeastGain * advice.makespan_ns);
  std::ranges::stable_sort(best, std::ranges::greater{}, [&](const EvaluatedHypothesis& h) {
    return rank_of(h.hypothesis.problem, h.gain_ns, advice.makespan_ns);
  });
  best.resize(std::min(best.size(), std::max(options.count, kLeastRanked)));
  advice.proposals.resize(best.size());
  parallel_for(best.size(), [&](std::size_t i) {
    advice.proposals[i] = proposal(std::move(best[i]), evaluator);
  });
  if (options.simulated) simulate(advice, program, options.simulated);
  std::ranges::stable_sort(advice.proposals, std::ranges::greater{},
                           [&](const Proposal& p) { return rank_of(p, advice.makespan_ns); });
  if (advice.proposals.size() > options.count) advice.proposals.resize(options.count);
  advice.combination = Growth(advice.proposals, evaluator).run();
  return advice;
}

}  // namespace slackline
