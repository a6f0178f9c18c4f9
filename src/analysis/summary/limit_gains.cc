// What would the run take without one of its losses? Each loss is a scenario of the measured run
// (analysis/paths/scenario_times.h):
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
#include <cmath>
#include <span>

#include "analysis/paths/scenario_times.h"
#include "base/arithmetic.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::array kOfCalls{Limit::transfer, Limit::message_rate, Limit::io, Limit::unknown};
constexpr double kMatters = 0.01;            // of the interval: gains less hides nothing
constexpr double kDeviations = 2;            // of the sum over stretches: half an error bar
constexpr std::size_t kFewestStretches = 5;  // say how much they vary

/// What a run does not have, or does otherwise.
struct Scenario {
  std::array<bool, kLimits> without{};  ///< lack of processors, parts of calls, common blocking
  std::optional<BalanceOf> balance{};
  bool unlocked = false;
  bool alone = false;       ///< ranks do not wait for each other
  bool shared_out = false;  ///< what one rank does alone

  Scenario without_loss(Limit limit) const {
    Scenario s = *this;
    s.without[static_cast<std::size_t>(limit)] = true;
    return s;
  }
  bool operator==(const Scenario&) const = default;
};

struct Outcome {
  double run_ns = 0;
  double waiting_ns = 0;
  std::vector<double> met_at_ns{};
};

struct Inputs {
  const Activities& run;
  const GapTimes& gaps;
  const ComputationBalance& balance;
  const LimitInputs& of;
  const LimitLosses& losses;
  TimeInterval interval;
};

class LimitCosts : public ScenarioCosts<kLanes> {
 public:
  using Times = ScenarioTimes<kLanes>;

  LimitCosts(const Inputs& in, std::span<const Scenario> scenarios)
      : in_(in), scenarios_(scenarios) {
    for (std::size_t k = 0; k < scenarios.size(); ++k) {
      alone[k] = scenarios[k].alone;
      unlocked[k] = scenarios[k].alone || scenarios[k].unlocked;
    }
    counted = {in.interval.begin_ns - in.run.start_ns(), in.interval.end_ns - in.run.start_ns()};
    for (std::int32_t r = 0; r < in.of.trace.ranks(); ++r) add_rank(r);
    for (const WaitState& w : in.of.waits.states) add_poll(w);
    for (OfRank& own : ranks_) std::ranges::sort(own.polls, {}, &Poll::call);
  }

  Polled polled(std::int32_t rank, CallIndex call) const override {
    const std::vector<Poll>& own = ranks_[static_cast<std::size_t>(rank)].polls;
    const auto poll = std::ranges::lower_bound(own, call, {}, &Poll::call);
    return poll == own.end() || poll->call != call ? Polled{} : poll->waits;
  }

  void add_gap(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    if (in_.gaps.is_polled(rank, call)) return;
    for (std::int64_t& t : at) t += ns;
    if (ns <= 0) return;
    const GapTime gap = in_.gaps.of(rank, call);
    if (gap.busy() + gap.no_processor + gap.late_start == 0) return;
    const OfRank& own = ranks_[static_cast<std::size_t>(rank)];
    for (std::size_t k = 0; k < scenarios_.size(); ++k) {
      at[k] -= std::llround(saved_ns(scenarios_[k], own, gap, rank, call));
    }
  }

  void add_call(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    for (std::int64_t& t : at) t += ns;
    if (ns <= 0 || !is_inside(rank, call)) return;
    const LimitParts& parts = in_.losses.parts_of(rank, call, static_cast<double>(ns));
    for (std::size_t k = 0; k < scenarios_.size(); ++k) {
      double saved = 0;
      for (std::size_t l = 0; l < kLimits; ++l) saved += scenarios_[k].without[l] ? parts[l] : 0;
      at[k] -= std::llround(static_cast<double>(ns) * std::min(1.0, saved));
    }
  }

 private:
  struct Poll {
    CallIndex call;
    Polled waits;
  };
  struct OfRank {
    double blocked = 0;         ///< share of its time blocked that all ranks have
    LimitParts threads{};       ///< shares of its computation that its threads lose
    std::vector<Poll> polls{};  ///< in program order
  };

  /// A poll that found nothing waited to its end, or until what it asked for came.
  void add_poll(const WaitState& w) {
    const RankCalls& calls = in_.of.trace.calls(w.rank);
    if (!w.asked_again || !w.effective || w.cause_rank < 0 || w.cause_call == kNoCall) return;
    // Not cut to the interval, as the wait is.
    const std::int64_t came = in_.of.trace.calls(w.cause_rank).begin_ns(w.cause_call);
    const std::int64_t end = calls.end_ns(w.call);
    Poll poll{w.call, {std::min(came, end) - calls.begin_ns(w.call), {}}};
    if (came < end) poll.waits.source = CallSource{w.cause_rank, w.cause_call};
    ranks_[static_cast<std::size_t>(w.rank)].polls.push_back(poll);
  }

  void add_rank(std::int32_t rank) {
    OfRank own{.blocked = in_.losses.common_blocked(rank)};
    const OpenMPUse* const openmp = in_.of.openmp;
    const auto r = static_cast<std::size_t>(rank);
    if (openmp != nullptr && r < openmp->ranks.size() && !openmp->ranks[r].locations.empty()) {
      const ThreadTime& time = openmp->ranks[r].time;
      const double of_rank = static_cast<double>(openmp->ranks[r].locations.size()) *
                             static_cast<double>(in_.of.shares.ranks_ns[r].compute);
      const auto share = [&](Limit limit, std::int64_t ns) {
        own.threads[static_cast<std::size_t>(limit)] = ratio_of(static_cast<double>(ns), of_rank);
      };
      if (LimitLosses::is_hybrid(openmp->ranks[r])) {
        share(Limit::openmp_serial, time.serial_idle);
      }
      share(Limit::openmp_imbalance, time.imbalance);
      share(Limit::openmp_synchronisation, time.synchronisation);
    }
    ranks_.push_back(own);
  }

  bool is_inside(std::int32_t rank, CallIndex call) const {
    const std::int64_t at = in_.run.start_ns() + in_.run.enter_ns(rank, call);
    return at >= in_.interval.begin_ns && at <= in_.interval.end_ns;
  }

  double saved_ns(const Scenario& s, const OfRank& own, const GapTime& gap, std::int32_t rank,
                  CallIndex call) const {
    const auto without = [&](Limit limit) { return s.without[static_cast<std::size_t>(limit)]; };
    double saved = 0;
    double factor = 1;
    if (without(Limit::processors)) saved += static_cast<double>(gap.no_processor);
    if (s.balance) {
      saved += static_cast<double>(gap.late_start);
      factor = in_.balance.factor(*s.balance, rank, call);
    }
    if (s.shared_out) factor *= in_.balance.shared_out(rank, call);
    saved += static_cast<double>(gap.busy()) * (1 - factor);
    if (without(Limit::blocked)) saved += static_cast<double>(gap.blocked) * own.blocked;
    for (const Limit limit :
         {Limit::openmp_serial, Limit::openmp_imbalance, Limit::openmp_synchronisation}) {
      const double share = own.threads[static_cast<std::size_t>(limit)];
      if (without(limit)) saved += static_cast<double>(gap.computing) * std::min(1.0, share);
    }
    return saved;
  }

  const Inputs& in_;
  std::span<const Scenario> scenarios_;
  std::vector<OfRank> ranks_;
};

/// Scenarios of a run, each executed once, several in one walk.
class Outcomes {
 public:
  explicit Outcomes(const Inputs& in) : in_(in), sources_(in.run.sources()) {}

  /// Executes those that are not known yet.
  void ask(std::span<const Scenario> scenarios) {
    std::vector<Scenario> fresh;
    for (const Scenario& s : scenarios) {
      const Scenario what = canonical(s);
      if (!known_at(what) && std::ranges::find(fresh, what) == fresh.end()) fresh.push_back(what);
    }
    for (std::span<const Scenario> rest = fresh; !rest.empty();) {
      const std::size_t count = std::min(kLanes, rest.size());
      execute(rest.first(count));
      rest = rest.subspan(count);
    }
  }
  const Outcome& of(const Scenario& scenario) {
    ask(std::span(&scenario, 1));
    return known_[*known_at(canonical(scenario))].second;
  }

 private:
  /// Without what the run has not anyway.
  Scenario canonical(Scenario s) const {
    for (std::size_t k = 0; k < kLimits; ++k) {
      s.without[k] = s.without[k] && in_.losses.ns(static_cast<Limit>(k)) > 0;
    }
    s.unlocked = s.unlocked && !in_.run.order().window_waits().empty();
    return s;
  }

  std::optional<std::size_t> known_at(const Scenario& scenario) const {
    const auto found = std::ranges::find(known_, scenario, &std::pair<Scenario, Outcome>::first);
    if (found == known_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - known_.begin());
  }

  void execute(std::span<const Scenario> scenarios) {
    const ScenarioRun<kLanes> found = run_scenarios(in_.run, sources_, LimitCosts(in_, scenarios));
    for (std::size_t k = 0; k < scenarios.size(); ++k) {
      Outcome o{static_cast<double>(found.makespan_ns[k]),
                static_cast<double>(found.waiting_ns[k])};
      for (const auto& at : found.met_at_ns) o.met_at_ns.push_back(static_cast<double>(at[k]));
      known_.emplace_back(scenarios[k], std::move(o));
    }
  }

  const Inputs& in_;
  CallSet sources_;
  std::vector<std::pair<Scenario, Outcome>> known_;
};

class GainSearch {
 public:
  explicit GainSearch(const Inputs& in) : in_(in), outcomes_(in_) {}

  LimitGains find() {
    const std::vector<Limit> limits = lost();
    balance_computation(limits);
    std::vector<Scenario> asked;
    for (const Limit limit : limits) {
      for (const Scenario& s : pair_for(limit, with_)) asked.push_back(s);
      if (!processors_matter_) continue;
      for (const Scenario& s : pair_for(limit, as_measured_)) asked.push_back(s);
    }
    outcomes_.ask(asked);
    for (const Limit limit : limits) {
      out_.of[static_cast<std::size_t>(limit)] = gain_without(limit);
    }
    widen_by_unknown();
    forget_doubtful();
    share_out_waiting();
    return out_;
  }

 private:
  double length() const { return static_cast<double>(in_.interval.length_ns()); }
  void reset(Limit limit) { out_.of[static_cast<std::size_t>(limit)].reset(); }

  void forget_doubtful() {
    // Where recordings end, the run would have gone on for a time that is not known.
    const double rank_time =
        static_cast<double>(in_.of.shares.length_ns) * static_cast<double>(in_.of.shares.present);
    if (in_.losses.ns(Limit::serialisation) > kMatters * rank_time) reset(Limit::serialisation);
    const auto outside = static_cast<double>(in_.of.shares.sum_ns.outside);
    if (2 * outside >= in_.losses.ns(Limit::unknown)) reset(Limit::unknown);
    if (2 * in_.interval.length_ns() < in_.of.shares.length_ns) out_.of.fill(std::nullopt);
    // The calls of a rank's threads stand one after the other in the activity graph, which leaves
    // no room for what the main thread computes meanwhile.
    for (std::int32_t r = 0; r < in_.of.trace.ranks(); ++r) {
      if (!in_.of.trace.calls(r).has_threads()) continue;
      reset(Limit::imbalance);
      reset(Limit::serialisation);
    }
  }

  void balance_computation(const std::vector<Limit>& limits) {
    with_ = as_measured_.without_loss(Limit::processors);
    std::array<Scenario, 3> balanced{with_, with_, with_};
    balanced[0].balance = BalanceOf::visits;
    balanced[1].balance = BalanceOf::stretches;
    balanced[2].unlocked = true;
    std::vector<Scenario> asked{as_measured_, with_, in_no_time(with_)};
    asked.insert(asked.end(), balanced.begin(), balanced.end());
    // For the lanes that are left.
    for (const Limit limit : limits) asked.push_back(with_.without_loss(limit));
    outcomes_.ask(asked);
    measured_at_ns_ = outcomes_.of(as_measured_).met_at_ns;
    processors_matter_ =
        outcomes_.of(as_measured_).run_ns - outcomes_.of(with_).run_ns > kMatters * length();
    balanced_ = shortest(balanced);
    out_.balance = balanced_.balance;
    const Scenario computing = in_no_time(balanced_);
    outcomes_.ask(
        std::array{computing, in_parallel(computing, false), in_parallel(computing, true)});
    out_.works_alone = outcomes_.of(in_parallel(computing, true)).run_ns <=
                       (1 + kMatters) * outcomes_.of(in_parallel(computing, false)).run_ns;
  }

  /// The one with the least waiting, of those that are about as short as any.
  Scenario shortest(std::span<const Scenario> scenarios) {
    double least = outcomes_.of(scenarios.front()).run_ns;
    for (const Scenario& s : scenarios) least = std::min(least, outcomes_.of(s).run_ns);
    const Scenario* best = nullptr;
    for (const Scenario& s : scenarios) {
      if (outcomes_.of(s).run_ns > (1 + kMatters) * least) continue;
      if (best == nullptr || outcomes_.of(s).waiting_ns < outcomes_.of(*best).waiting_ns) best = &s;
    }
    return *best;
  }

  /// Calls take no time but for waiting.
  static Scenario in_no_time(Scenario s) {
    for (const Limit limit : kOfCalls) s = s.without_loss(limit);
    return s;
  }

  /// Ranks do not wait for each other, or what one of them does alone is shared out.
  static Scenario in_parallel(Scenario s, bool shared_out) {
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
      if (!listed && in_.losses.ns(limit) > 0) limits.push_back(limit);
    }
    return limits;
  }

  /// With the loss and without it.
  std::array<Scenario, 2> pair_for(Limit limit, const Scenario& base) const {
    Scenario balanced = base;
    balanced.balance = balanced_.balance;
    balanced.unlocked = balanced_.unlocked;
    if (limit == Limit::processors) return {as_measured_, with_};
    if (limit == Limit::imbalance) return {base, balanced};
    if (limit != Limit::serialisation) return {base, base.without_loss(limit)};
    balanced = in_no_time(balanced);
    return {balanced, in_parallel(balanced, out_.works_alone)};
  }

  LimitGain gain_without(Limit limit) {
    LimitGain gain = gain_of(pair_for(limit, with_));
    if (!processors_matter_) return gain;
    const LimitGain measured = gain_of(pair_for(limit, as_measured_));
    if (limit == Limit::imbalance) out_.hides_imbalance = 2 * measured.share < gain.share;
    gain.certain = std::min(gain.certain, measured.certain);
    gain.low = std::min(gain.low, measured.low);
    gain.high = std::max(gain.high, measured.high);
    return gain;
  }

  LimitGain gain_of(const std::array<Scenario, 2>& pair) {
    outcomes_.ask(pair);
    const Outcome& with = outcomes_.of(pair[0]);
    const Outcome& without = outcomes_.of(pair[1]);
    LimitGain gain;
    gain.share = std::clamp((with.run_ns - without.run_ns) / length(), 0.0, 1.0);
    gain.certain = gain.share;
    const double half = kDeviations * deviation(with, without) / length();
    gain.low = std::max(0.0, gain.share - half);
    gain.high = std::min(1.0, gain.share + half);
    return gain;
  }

  /// Calls of unknown waiting may hide as much of another loss as they take.
  void widen_by_unknown() {
    const auto& unknown = out_.of[static_cast<std::size_t>(Limit::unknown)];
    const double hidden = unknown ? unknown->share : 0;
    for (std::size_t k = 0; k < kLimits; ++k) {
      if (!out_.of[k] || k == static_cast<std::size_t>(Limit::unknown)) continue;
      out_.of[k]->high = std::min(1.0, out_.of[k]->high + hidden);
    }
  }

  /// The standard deviation of the gained share of the interval, if every stretch between
  /// synchronisations in it were drawn from all of them: that of a ratio of sums.
  double deviation(const Outcome& with, const Outcome& without) const {
    const double begin = static_cast<double>(in_.interval.begin_ns - in_.run.start_ns());
    const auto first = static_cast<std::size_t>(std::ranges::lower_bound(measured_at_ns_, begin) -
                                                measured_at_ns_.begin());
    const double end = begin + static_cast<double>(in_.interval.length_ns());
    const auto n = static_cast<std::size_t>(std::ranges::upper_bound(measured_at_ns_, end) -
                                            measured_at_ns_.begin());
    const std::size_t known = std::min(with.met_at_ns.size(), without.met_at_ns.size());
    if (n < first + kFewestStretches || known < n) return 0;
    const auto gained = [&](std::size_t i) { return with.met_at_ns[i] - without.met_at_ns[i]; };
    const double took = measured_at_ns_[n - 1] - measured_at_ns_[first];
    const double share = ratio_of(gained(n - 1) - gained(first), took);
    double squares = 0;
    for (std::size_t i = first + 1; i < n; ++i) {
      const double of_stretch = share * (measured_at_ns_[i] - measured_at_ns_[i - 1]);
      const double rest = gained(i) - gained(i - 1) - of_stretch;
      squares += rest * rest;
    }
    return std::sqrt(squares);
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
    const double all = in_.losses.waiting_ns();
    const double more = std::min(with - measured, in_.losses.ns(Limit::processors));
    const double rest = more >= 0 ? all + more : all * with / measured;
    part(Limit::processors) = all - rest;
    const double calls = std::max(0.0, with - computing);
    const double imbalance = std::max(0.0, computing - balanced);
    const double sum = calls + imbalance + balanced;
    part(Limit::imbalance) = rest * ratio_of(imbalance, sum);
    part(Limit::serialisation) = rest * ratio_of(balanced, sum);
    double in_calls = 0;
    for (const Limit limit : kOfCalls) in_calls += in_.losses.ns(limit);
    for (const Limit limit : kOfCalls) {
      part(limit) = rest * ratio_of(calls, sum) * ratio_of(in_.losses.ns(limit), in_calls);
    }
    // Waiting that the graph of the run does not have.
    if (sum <= 0) part(Limit::unknown) += rest;
  }

  const Inputs in_;
  Outcomes outcomes_;
  const Scenario as_measured_{};
  Scenario with_;                       // processors
  Scenario balanced_;                   // that, and the computation
  std::vector<double> measured_at_ns_;  // when all ranks met
  bool processors_matter_ = false;
  LimitGains out_;
};

}  // namespace

LimitGains limit_gains(const GapTimes& gaps, const ComputationBalance& balance,
                       const LimitInputs& inputs, const LimitLosses& losses) {
  return GainSearch({gaps.run(), gaps, balance, inputs, losses, gaps.interval()}).find();
}

}  // namespace slackline
