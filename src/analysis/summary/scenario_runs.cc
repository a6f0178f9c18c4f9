// What would the run take without something? Times of computation come from gap_times.h, parts of
// calls from limit_losses.h, and waiting from what the walk finds.

#include "analysis/summary/scenario_runs.h"

#include <algorithm>
#include <cmath>

#include "base/arithmetic.h"
#include "calls/run_span.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr std::size_t kLanes = ScenarioRuns::kLanes;
constexpr double kDeviations = 2;            // of the sum over stretches: half an error bar
constexpr std::size_t kFewestStretches = 5;  // say how much they vary

/// The part of the analysed interval in which all ranks are recorded.
TimeInterval known_interval(const LimitInputs& in) {
  const std::int64_t begin = run_span(in.trace).whole.begin_ns + in.shares.begin_ns;
  TimeInterval known{begin, begin + in.shares.length_ns};
  for (std::int32_t r = 0; r < in.trace.ranks(); ++r) {
    const RankCalls& calls = in.trace.calls(r);
    const bool finalized = rank_span(calls).last_call < calls.size();
    if (!calls.empty() && !finalized) known.end_ns = std::min(known.end_ns, calls.stop_ns());
  }
  return known;
}

class ScenarioLanes : public ScenarioCosts<ScenarioTimes<kLanes>> {
 public:
  using Times = ScenarioTimes<kLanes>;

  ScenarioLanes(ScenarioRuns& runs, std::span<const RunScenario> scenarios)
      : in_(runs.inputs()),
        run_(runs.inputs().run),
        gaps_(runs.gaps()),
        polls_(runs.polls()),
        balance_(runs.balance()),
        losses_(runs.losses()),
        scenarios_(scenarios) {
    for (std::size_t k = 0; k < scenarios.size(); ++k) {
      alone[k] = scenarios[k].alone;
      unlocked[k] = scenarios[k].alone || scenarios[k].unlocked;
      if (changes_computation(scenarios[k])) with_other_gaps_.push_back(k);
      if (changes_calls(scenarios[k])) with_other_calls_.push_back(k);
      if (omits_waits(scenarios[k])) with_omissions_.push_back(k);
    }
    const TimeInterval& interval = gaps_.interval();
    counted = {interval.begin_ns - run_.start_ns(), interval.end_ns - run_.start_ns()};
    for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) add_rank(r);
  }

  PolledWait polled(std::int32_t rank, CallIndex call) const override {
    return polls_.of(rank, call);
  }

  void add_gap(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    if (gaps_.is_polled(rank, call)) return;
    for (std::int64_t& t : at) t += ns;
    if (ns <= 0 || with_other_gaps_.empty()) return;
    const GapTime gap = gaps_.of(rank, call);
    const OfRank& own = ranks_[static_cast<std::size_t>(rank)];
    const auto busy = static_cast<double>(gap.busy());
    for (const std::size_t k : with_other_gaps_) {
      const RunScenario& s = scenarios_[k];
      const double of_busy = saved_of_busy_ns(s, own, gap, rank, call);
      double saved = of_busy + s.without[static_cast<std::size_t>(Limit::processors)] *
                                   static_cast<double>(gap.no_processor);
      if (s.balance) saved += static_cast<double>(gap.late_start);
      if (s.gaps) {
        // Only what the rest of the scenario leaves can change.
        const double left = busy > 0 ? std::max(0.0, 1 - of_busy / busy) : 1;
        saved -= left * static_cast<double>((*s.gaps)[static_cast<std::size_t>(rank)][call]);
      }
      at[k] -= std::min(ns, rounded(saved));
    }
  }

  void add_call(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    for (std::int64_t& t : at) t += ns;
    if (ns <= 0 || with_other_calls_.empty() || !is_inside(rank, call)) return;
    const LimitParts& parts = losses_.parts_of(rank, call, static_cast<double>(ns));
    for (const std::size_t k : with_other_calls_) {
      const RunScenario& s = scenarios_[k];
      double saved = 0;
      for (std::size_t l = 0; l < kLimits; ++l) saved += s.without[l] * parts[l];
      if (s.calls) saved += saved_part(*s.calls, rank, call, parts);
      at[k] -= rounded(static_cast<double>(ns) * std::min(1.0, saved));
    }
  }

  std::array<bool, kLanes> omitted(std::int32_t rank, CallIndex call,
                                   const CallWork::Wait& wait) const override {
    std::array<bool, kLanes> lanes{};
    for (const std::size_t k : with_omissions_) {
      lanes[k] = does_not_wait(*scenarios_[k].calls, rank, call, wait);
    }
    return lanes;
  }

 private:
  struct OfRank {
    double blocked = 0;    ///< share of its time blocked that all ranks have
    LimitParts threads{};  ///< shares of its computation that its threads lose
  };

  static bool changes_computation(const RunScenario& s) {
    constexpr std::array kOfComputation{Limit::processors, Limit::blocked, Limit::openmp_serial,
                                        Limit::openmp_imbalance, Limit::openmp_synchronisation};
    return s.balance || s.shared_out || s.gaps != nullptr ||
           std::ranges::any_of(kOfComputation, [&](Limit limit) {
             return s.without[static_cast<std::size_t>(limit)] != 0;
           });
  }
  static bool changes_calls(const RunScenario& s) {
    return s.calls != nullptr || s.without != std::array<double, kLimits>{};
  }

  static bool omits_waits(const RunScenario& s) {
    return s.calls != nullptr && (s.calls->omitted || s.calls->no_late_receivers);
  }

  /// nearest_whole() without a call for common times.
  static std::int64_t rounded(double ns) {
    constexpr double kExact = 0x1p51;
    if (std::abs(ns) >= kExact) return nearest_whole(ns);
    return static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5);
  }

  static bool is_omitted(const CallChanges& calls, std::int32_t rank, CallIndex call) {
    return calls.omitted && calls.omitted->contains(rank, call);
  }

  static bool does_not_wait(const CallChanges& calls, std::int32_t rank, CallIndex call,
                            const CallWork::Wait& wait) {
    if (wait.for_receiver && calls.no_late_receivers) return true;
    if (is_omitted(calls, rank, call)) return true;
    const CallSource& source = wait.source;
    return !source.is_last_entry() && is_omitted(calls, source.rank, source.index);
  }

  /// Which part of a call's time without waiting is saved.
  double saved_part(const CallChanges& calls, std::int32_t rank, CallIndex call,
                    const LimitParts& parts) const {
    double saved = calls.saved[static_cast<std::size_t>(in_.trace.calls(rank).operation(call))];
    if (calls.omitted) {
      const double part =
          calls.keeps_bytes ? parts[static_cast<std::size_t>(Limit::message_rate)] : 1;
      saved = std::max(saved, part * omitted_part(*calls.omitted, rank, call));
    }
    return saved;
  }

  /// Which part of what a call does is for calls that are not made: its own, or what it completes.
  double omitted_part(const CallSet& omitted, std::int32_t rank, CallIndex call) const {
    if (omitted.contains(rank, call)) return 1;
    std::size_t all = 0;
    std::size_t not_made = 0;
    in_.matching.for_completions(rank, call, [&](const CallMatching::Completion& c) {
      ++all;
      if (c.kind == CallMatching::Completion::Kind::collective) return;
      const MessageCalls& m = in_.matching.message(c.id);
      if (m.matched() && omitted.contains(m.source, m.send)) ++not_made;
    });
    return ratio_of(static_cast<double>(not_made), static_cast<double>(all));
  }

  void add_rank(std::int32_t rank) {
    OfRank own{.blocked = losses_.common_blocked(rank)};
    const OpenMPUse* const openmp = in_.openmp;
    const auto r = static_cast<std::size_t>(rank);
    if (openmp != nullptr && r < openmp->ranks.size() && !openmp->ranks[r].locations.empty()) {
      const ThreadTime& time = openmp->ranks[r].time;
      const double of_rank = static_cast<double>(openmp->ranks[r].locations.size()) *
                             static_cast<double>(in_.shares.ranks_ns[r].compute);
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
    const std::int64_t at = run_.start_ns() + run_.enter_ns(rank, call);
    return at >= gaps_.interval().begin_ns && at <= gaps_.interval().end_ns;
  }

  /// What is saved of the time in which a rank computes or is blocked.
  double saved_of_busy_ns(const RunScenario& s, const OfRank& own, const GapTime& gap,
                          std::int32_t rank, CallIndex call) const {
    const auto without = [&](Limit limit) { return s.without[static_cast<std::size_t>(limit)]; };
    double factor = s.balance ? balance_.factor(*s.balance, rank, call) : 1;
    if (s.shared_out) factor *= balance_.shared_out(rank, call);
    double saved = static_cast<double>(gap.busy()) * (1 - factor);
    saved += without(Limit::blocked) * static_cast<double>(gap.blocked) * own.blocked;
    for (const Limit limit :
         {Limit::openmp_serial, Limit::openmp_imbalance, Limit::openmp_synchronisation}) {
      const double share = own.threads[static_cast<std::size_t>(limit)];
      saved += without(limit) * static_cast<double>(gap.computing) * std::min(1.0, share);
    }
    return saved;
  }

  const LimitInputs& in_;
  const Activities& run_;
  const GapTimes& gaps_;
  const FailedPolls& polls_;
  const ComputationBalance& balance_;
  const LimitLosses& losses_;
  std::span<const RunScenario> scenarios_;
  std::vector<std::size_t> with_other_gaps_;   // lanes
  std::vector<std::size_t> with_other_calls_;  // lanes
  std::vector<std::size_t> with_omissions_;    // lanes
  std::vector<OfRank> ranks_;
};

/// These lanes, which also keep the times of all calls in the first scenario: begin and end by
/// turns.
class RecordingLanes : public ScenarioLanes {
 public:
  using Calls = std::vector<std::vector<std::int64_t>>;  // by rank

  RecordingLanes(ScenarioRuns& runs, const RunScenario& scenario, Calls& times)
      : ScenarioLanes(runs, std::span(&scenario, 1)), times_(times) {}

  void add_gap(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    ScenarioLanes::add_gap(rank, call, ns, at);
    times_[static_cast<std::size_t>(rank)].push_back(at.front());
  }
  void add_call(std::int32_t rank, CallIndex call, std::int64_t ns, Times& at) const override {
    ScenarioLanes::add_call(rank, call, ns, at);
    times_[static_cast<std::size_t>(rank)].push_back(at.front());
  }

 private:
  Calls& times_;
};

}  // namespace

ScenarioRuns::ScenarioRuns(const LimitInputs& inputs)
    : in_(inputs),
      own_(slackline::own_frames(inputs.trace.call_tree())),
      losses_(in_, own_),
      polled_(inputs.trace, inputs.waits, inputs.code, own_),
      polls_(inputs.trace, inputs.waits),
      gaps_(inputs.run, known_interval(inputs), polled_),
      balance_(gaps_),
      sources_(inputs.run.sources()) {}

std::vector<RunOutcome> ScenarioRuns::execute(std::span<const RunScenario> scenarios) {
  std::vector<RunOutcome> outcomes;
  while (!scenarios.empty()) {
    const auto some = scenarios.first(std::min(kLanes, scenarios.size()));
    const auto found = run_scenarios(in_.run, sources_, ScenarioLanes(*this, some), memory_);
    for (std::size_t k = 0; k < some.size(); ++k) {
      RunOutcome& o = outcomes.emplace_back(static_cast<double>(found.makespan_ns[k]),
                                            static_cast<double>(found.waiting_ns[k]));
      for (const auto& at : found.met_at_ns) o.met_at_ns.push_back(static_cast<double>(at[k]));
    }
    scenarios = scenarios.subspan(some.size());
  }
  return outcomes;
}

Trace ScenarioRuns::execute(const RunScenario& scenario, Trace program) {
  TraceBuilder run = std::move(program);
  RecordingLanes::Calls times(static_cast<std::size_t>(run.ranks()));
  run_scenarios(in_.run, sources_, RecordingLanes(*this, scenario, times), memory_);
  for (std::int32_t r = 0; r < run.ranks(); ++r) {
    std::vector<std::int64_t>& own = times[static_cast<std::size_t>(r)];
    for (std::int64_t& time : own) time += in_.run.start_ns();
    if (!own.empty()) run.calls(r).retime(own);
  }
  run.set_timed();
  return std::move(run).build();
}

void ScenarioRuns::keep(std::span<const RunScenario> scenarios) {
  std::vector<RunScenario> fresh;
  for (const RunScenario& s : scenarios) {
    const RunScenario what = canonical(s);
    if (!kept_at(what) && std::ranges::find(fresh, what) == fresh.end()) fresh.push_back(what);
  }
  std::vector<RunOutcome> outcomes = execute(fresh);
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    kept_.emplace_back(std::move(fresh[i]), std::move(outcomes[i]));
  }
}

const RunOutcome& ScenarioRuns::of(const RunScenario& scenario) {
  keep(std::span(&scenario, 1));
  return kept_[*kept_at(canonical(scenario))].second;
}

/// Without what the run has not anyway.
RunScenario ScenarioRuns::canonical(RunScenario s) const {
  for (std::size_t k = 0; k < kLimits; ++k) {
    if (losses_.ns(static_cast<Limit>(k)) <= 0) s.without[k] = 0;
  }
  s.unlocked = s.unlocked && !in_.run.order().window_waits().empty();
  return s;
}

std::optional<std::size_t> ScenarioRuns::kept_at(const RunScenario& scenario) const {
  const auto found = std::ranges::find(kept_, scenario, &std::pair<RunScenario, RunOutcome>::first);
  if (found == kept_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kept_.begin());
}

LimitGain ScenarioRuns::gain(const RunOutcome& longer, const RunOutcome& shorter) {
  const auto length = static_cast<double>(interval().length_ns());
  const double share = ratio_of(longer.run_ns - shorter.run_ns, length);
  const double half = kDeviations * ratio_of(deviation_ns(longer, shorter), length);
  return {share, share, share - half, share + half};
}

/// The standard deviation of what is gained in the interval, if every stretch between
/// synchronisations in it were drawn from all of them: that of a ratio of sums.
double ScenarioRuns::deviation_ns(const RunOutcome& with, const RunOutcome& without) {
  const std::vector<double>& measured_at_ns = of(RunScenario{}).met_at_ns;
  const double begin = static_cast<double>(interval().begin_ns - in_.run.start_ns());
  const auto first = static_cast<std::size_t>(std::ranges::lower_bound(measured_at_ns, begin) -
                                              measured_at_ns.begin());
  const double end = begin + static_cast<double>(interval().length_ns());
  const auto n = static_cast<std::size_t>(std::ranges::upper_bound(measured_at_ns, end) -
                                          measured_at_ns.begin());
  const std::size_t known = std::min(with.met_at_ns.size(), without.met_at_ns.size());
  if (n < first + kFewestStretches || known < n) return 0;
  const auto gained = [&](std::size_t i) { return with.met_at_ns[i] - without.met_at_ns[i]; };
  const double took = measured_at_ns[n - 1] - measured_at_ns[first];
  const double share = ratio_of(gained(n - 1) - gained(first), took);
  double squares = 0;
  for (std::size_t i = first + 1; i < n; ++i) {
    const double of_stretch = share * (measured_at_ns[i] - measured_at_ns[i - 1]);
    const double rest = gained(i) - gained(i - 1) - of_stretch;
    squares += rest * rest;
  }
  return std::sqrt(squares);
}

}  // namespace slackline
