// What would the run take without one of its losses? Each loss is a scenario of the measured run
// (scenario_runs.h):
//
// - lack of processors: computation without the time in which the rank had none, and calls without
//   what they take longer for that;
// - bytes, messages, files, calls that sizes do not explain: calls without these parts of their
//   time (limit_losses.h);
// - imbalance: computation balanced by visits or between synchronisations, or no waiting for locks,
//   whichever gains most; all ranks start together;
// - serialisation: where computation is balanced and calls take no time, ranks do not wait for each
//   other but where all of them synchronise, or what one of them does alone is shared out among
//   all.
//
// Where ranks lack processors, every other loss is hidden by that or comes from it. So the others
// are asked of the run in which they do not; how much each gains in the run as it was is the other
// end of its error bar.
//
// What is left of the waiting when lack of processors, then all time in calls, then imbalance is
// removed says what the waiting comes from.

#include "analysis/summary/limit_gains.h"

#include <algorithm>
#include <span>

#include "base/arithmetic.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr std::array kOfCalls{Limit::transfer, Limit::message_rate, Limit::io, Limit::unknown};
constexpr double kMatters = 0.01;  // of the interval: gains less hides nothing

class GainSearch {
 public:
  explicit GainSearch(ScenarioRuns& runs)
      : in_(runs.inputs()), losses_(runs.losses()), outcomes_(runs) {}

  LimitGains find() {
    const std::vector<Limit> limits = lost();
    balance_computation(limits);
    std::vector<RunScenario> asked;
    for (const Limit limit : limits) {
      for (const RunScenario& s : pair_for(limit, with_)) asked.push_back(s);
      if (!processors_matter_) continue;
      for (const RunScenario& s : pair_for(limit, as_measured_)) asked.push_back(s);
    }
    outcomes_.keep(asked);
    for (const Limit limit : limits) {
      out_.of[static_cast<std::size_t>(limit)] = gain_without(limit);
    }
    widen_by_unknown();
    forget_doubtful();
    share_out_waiting();
    return out_;
  }

 private:
  double length() const { return static_cast<double>(outcomes_.interval().length_ns()); }
  void reset(Limit limit) { out_.of[static_cast<std::size_t>(limit)].reset(); }

  void forget_doubtful() {
    // Where recordings end, the run would have gone on for a time that is not known.
    const double rank_time =
        static_cast<double>(in_.shares.length_ns) * static_cast<double>(in_.shares.present);
    if (losses_.ns(Limit::serialisation) > kMatters * rank_time) reset(Limit::serialisation);
    const auto outside = static_cast<double>(in_.shares.sum_ns.outside);
    if (2 * outside >= losses_.ns(Limit::unknown)) reset(Limit::unknown);
    if (2 * outcomes_.interval().length_ns() < in_.shares.length_ns) out_.of.fill(std::nullopt);
    // The calls of a rank's threads stand one after the other in the activity graph, which leaves
    // no room for what the main thread computes meanwhile.
    for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
      if (!in_.trace.calls(r).has_threads()) continue;
      reset(Limit::imbalance);
      reset(Limit::serialisation);
    }
  }

  void balance_computation(const std::vector<Limit>& limits) {
    with_ = as_measured_.without_loss(Limit::processors);
    std::array<RunScenario, 3> balanced{with_, with_, with_};
    balanced[0].balance = BalanceOf::visits;
    balanced[1].balance = BalanceOf::stretches;
    balanced[2].unlocked = true;
    std::vector<RunScenario> asked{as_measured_, with_, in_no_time(with_)};
    asked.insert(asked.end(), balanced.begin(), balanced.end());
    // For the lanes that are left.
    for (const Limit limit : limits) asked.push_back(with_.without_loss(limit));
    outcomes_.keep(asked);
    processors_matter_ =
        outcomes_.of(as_measured_).run_ns - outcomes_.of(with_).run_ns > kMatters * length();
    balanced_ = shortest(balanced);
    out_.balance = balanced_.balance;
    const RunScenario computing = in_no_time(balanced_);
    outcomes_.keep(
        std::array{computing, in_parallel(computing, false), in_parallel(computing, true)});
    out_.works_alone = outcomes_.of(in_parallel(computing, true)).run_ns <=
                       (1 + kMatters) * outcomes_.of(in_parallel(computing, false)).run_ns;
  }

  /// The one with the least waiting, of those that are about as short as any.
  RunScenario shortest(std::span<const RunScenario> scenarios) {
    double least = outcomes_.of(scenarios.front()).run_ns;
    for (const RunScenario& s : scenarios) least = std::min(least, outcomes_.of(s).run_ns);
    const RunScenario* best = nullptr;
    for (const RunScenario& s : scenarios) {
      if (outcomes_.of(s).run_ns > (1 + kMatters) * least) continue;
      if (best == nullptr || outcomes_.of(s).waiting_ns < outcomes_.of(*best).waiting_ns) best = &s;
    }
    return *best;
  }

  /// Calls take no time but for waiting.
  static RunScenario in_no_time(RunScenario s) {
    for (const Limit limit : kOfCalls) s = s.without_loss(limit);
    return s;
  }

  /// Ranks do not wait for each other, or what one of them does alone is shared out.
  static RunScenario in_parallel(RunScenario s, bool shared_out) {
    s.shared_out = shared_out;
    s.alone = !shared_out;
    return s;
  }

  /// The limits that a scenario is defined for and that take anything; waiting may be for the first
  /// three.
  std::vector<Limit> lost() const {
    std::vector<Limit> limits{Limit::processors, Limit::imbalance, Limit::serialisation};
    for (std::size_t k = 1; k < kLimits; ++k) {
      const auto limit = static_cast<Limit>(k);
      const bool listed = std::ranges::find(limits, limit) != limits.end();
      if (!listed && losses_.ns(limit) > 0) limits.push_back(limit);
    }
    return limits;
  }

  /// With the loss and without it.
  std::array<RunScenario, 2> pair_for(Limit limit, const RunScenario& base) const {
    RunScenario balanced = base;
    balanced.balance = balanced_.balance;
    balanced.unlocked = balanced_.unlocked;
    if (limit == Limit::processors) return {as_measured_, with_};
    if (limit == Limit::imbalance) return {base, balanced};
    if (limit != Limit::serialisation) return {base, base.without_loss(limit)};
    balanced = in_no_time(balanced);
    return {balanced, in_parallel(balanced, out_.works_alone)};
  }

  LimitGain gain_of(Limit limit, const RunScenario& base) {
    const auto [with, without] = pair_for(limit, base);
    outcomes_.keep(std::array{RunScenario{}, with, without});
    LimitGain gain = outcomes_.gain(outcomes_.of(with), outcomes_.of(without));
    for (double* share : {&gain.share, &gain.certain, &gain.low, &gain.high}) {
      *share = std::clamp(*share, 0.0, 1.0);
    }
    return gain;
  }

  LimitGain gain_without(Limit limit) {
    LimitGain gain = gain_of(limit, with_);
    if (!processors_matter_) return gain;
    const LimitGain measured = gain_of(limit, as_measured_);
    if (limit == Limit::imbalance) out_.hides_imbalance = 2 * measured.share < gain.share;
    gain.certain = std::min(gain.certain, measured.certain);
    gain.low = std::min(gain.low, measured.low);
    gain.high = std::max(gain.high, measured.high);
    return gain;
  }

  /// Calls of unknown waiting may hide as much of another loss as they take. What is not known is
  /// certain only as far as the whole run shows it.
  void widen_by_unknown() {
    auto& unknown = out_.of[static_cast<std::size_t>(Limit::unknown)];
    if (unknown) unknown->certain = std::min(unknown->certain, unknown->low);
    const double hidden = unknown ? unknown->share : 0;
    for (std::size_t k = 0; k < kLimits; ++k) {
      if (!out_.of[k] || k == static_cast<std::size_t>(Limit::unknown)) continue;
      out_.of[k]->high = std::min(1.0, out_.of[k]->high + hidden);
    }
  }

  void share_out_waiting() {
    const double measured = outcomes_.of(as_measured_).waiting_ns;
    const double with = outcomes_.of(with_).waiting_ns;
    const double computing = outcomes_.of(in_no_time(with_)).waiting_ns;
    const double balanced = outcomes_.of(in_no_time(balanced_)).waiting_ns;
    const auto part = [&](Limit limit) -> double& {
      return out_.waiting_ns[static_cast<std::size_t>(limit)];
    };
    // With processors ranks wait less for those that lacked one, or more: until those come that
    // lacked none.
    const double all = losses_.waiting_ns();
    const double more = std::min(with - measured, losses_.ns(Limit::processors));
    const double rest = more >= 0 ? all + more : all * with / measured;
    part(Limit::processors) = all - rest;
    const double calls = std::max(0.0, with - computing);
    const double imbalance = std::max(0.0, computing - balanced);
    const double sum = calls + imbalance + balanced;
    part(Limit::imbalance) = rest * ratio_of(imbalance, sum);
    part(Limit::serialisation) = rest * ratio_of(balanced, sum);
    double in_calls = 0;
    for (const Limit limit : kOfCalls) in_calls += losses_.ns(limit);
    for (const Limit limit : kOfCalls) {
      part(limit) = rest * ratio_of(calls, sum) * ratio_of(losses_.ns(limit), in_calls);
    }
    // Waiting that the graph of the run does not have.
    if (sum <= 0) part(Limit::unknown) += rest;
  }

  const LimitInputs& in_;
  const LimitLosses& losses_;
  ScenarioRuns& outcomes_;
  const RunScenario as_measured_{};
  RunScenario with_;      // processors
  RunScenario balanced_;  // that, and the computation
  bool processors_matter_ = false;
  LimitGains out_;
};

}  // namespace

LimitGains limit_gains(ScenarioRuns& runs) {
  return GainSearch(runs).find();
}

}  // namespace slackline
