// How long would the run be if some of its activities took less? Every moment of a measured run is
// the latest of those that it depends on plus an activity (activities.h), so one walk in causal
// order computes all moments anew, for several scenarios side by side.
//
// The same walk finds the moments at which the run falls into parts: last entries of collectives of
// all ranks that no dependence passes over. Ranks count those they have left; a dependence from a
// call that had seen fewer of them passes over those between.

#include "analysis/paths/scenario_times.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/paths/path_sums.h"

namespace slackline {
namespace {

template <std::size_t K>
class ForwardWalk {
 public:
  using Times = ScenarioTimes<K>;
  static constexpr std::array<bool, K> kNone{};

  ForwardWalk(const Activities& run, const CallSet& sources, const ScenarioCosts<K>& costs)
      : run_(run),
        sources_(sources),
        costs_(costs),
        at_(static_cast<std::size_t>(run.trace().ranks())),
        steps_(at_.size()),
        entered_(sources.size()),
        entries_(run.matching().collectives().size()) {
    std::size_t active = 0;
    for (std::int32_t r = 0; r < run.trace().ranks(); ++r) active += run.calls(r) > 0 ? 1 : 0;
    for (std::uint32_t id = 0; id < entries_.size(); ++id) entries_[id].of_all = of_all(id, active);
  }

  ScenarioRun<K> run() {
    for (std::int32_t r = 0; r < run_.trace().ranks(); ++r) {
      if (run_.calls(r) > 0) enter(r, 0);
    }
    run_.order().forward([this](std::int32_t rank, CallIndex call) { visit(rank, call); });
    count_synchronisations();
    return out_;
  }

 private:
  struct Entered {
    Times times{};
    std::uint32_t step = 0;
    bool known = false;
  };
  struct Entry {
    Times times{};
    std::uint32_t step = 0;
    bool known = false;
    bool of_all = false;
  };

  void enter(std::int32_t rank, CallIndex call) {
    const auto r = static_cast<std::size_t>(rank);
    costs_.add_gap(rank, call, run_.gap_ns(rank, call), at_[r]);
    if (sources_.contains(rank, call)) {
      entered_[sources_.number_of(rank, call)] = {at_[r], static_cast<std::uint32_t>(steps_[r]),
                                                  true};
    }
  }

  void visit(std::int32_t rank, CallIndex call) {
    const auto r = static_cast<std::size_t>(rank);
    Times& at = at_[r];
    run_.look(rank, call, work_);
    if (work_.of_collective && run_.is_own(call) && leaves_all_together(rank, call)) {
      if (!work_.from_last_entry) pass_over(steps_[r], steps_[r] + 1);
      ++steps_[r];
    }
    const Times came = at;
    const bool counts =
        work_.ready_ns >= costs_.counted.begin_ns && work_.enter_ns <= costs_.counted.end_ns;
    for (const CallWork::Wait& w : work_.waits) follow(w, r, counts);
    const std::int64_t polled_ns = follow_polled(rank, call);
    if (counts) {
      for (std::size_t k = 0; k < K; ++k) out_.waiting_ns[k] += at[k] - came[k];
    }
    costs_.add_call(rank, call, work_.work_ns() - polled_ns, at);
    if (call + 1 < run_.calls(rank)) return enter(rank, call + 1);
    const std::int64_t tail =
        std::max<std::int64_t>(0, run_.stop_ns(rank) - run_.leave_ns(rank, call));
    for (std::size_t k = 0; k < K; ++k) {
      out_.makespan_ns[k] = std::max(out_.makespan_ns[k], at[k] + tail);
    }
  }

  bool leaves_all_together(std::int32_t rank, CallIndex call) const {
    bool together = false;
    run_.matching().for_completions(rank, call, [&](const CallMatching::Completion& c) {
      const bool collective = c.kind == CallMatching::Completion::Kind::collective;
      together = together || (collective && entries_[c.id].of_all);
    });
    return together;
  }

  /// `may_skip`: the call need not wait in scenarios without such waiting.
  void follow(const CallWork::Wait& wait, std::size_t r, bool may_skip) {
    const CallSource& source = wait.source;
    if (source.is_last_entry()) {
      const Entry& e = entry(source.index);
      if (e.of_all) return raise(at_[r], e.times);
      pass_over(e.step, steps_[r]);
      return raise_but(may_skip ? costs_.alone : kNone, at_[r], e.times);
    }
    const Entered& e = entered_[sources_.number_of(source.rank, source.index)];
    pass_over(e.step, steps_[r]);
    const std::array<bool, K>& skipped = wait.for_lock ? costs_.unlocked : costs_.alone;
    raise_but(may_skip ? skipped : kNone, at_[r], e.times);
  }

  /// Returns how much of the call's work is no work.
  std::int64_t follow_polled(std::int32_t rank, CallIndex call) {
    const auto polled = costs_.polled(rank, call);
    if (polled.wait_ns <= 0 || polled.wait_ns > work_.work_ns()) return 0;
    if (polled.source) {
      const auto [from, of] = *polled.source;
      // The order is that of calls that succeed: it may come later than a poll that found nothing.
      if (!sources_.contains(from, of) || !entered_[sources_.number_of(from, of)].known) return 0;
      follow({*polled.source, 0}, static_cast<std::size_t>(rank), true);
    }
    return polled.wait_ns;
  }

  /// A blocking one, of all ranks that have calls.
  bool of_all(std::uint32_t id, std::size_t active) const {
    const CollectiveInstance& c = run_.matching().collective(id);
    if (c.member_count != active || !run_.all_wait(id)) return false;
    return std::ranges::all_of(run_.matching().members(c),
                               [](const CollectiveMember& m) { return m.enter == m.done; });
  }

  const Entry& entry(std::uint32_t id) {
    Entry& e = entries_[id];
    if (e.known) return e;
    e.known = true;
    e.step = std::numeric_limits<std::uint32_t>::max();
    run_.for_entries(id, [&](const CollectiveMember& m) {
      const Entered& entered = entered_[sources_.number_of(m.rank, m.enter)];
      raise(e.times, entered.times);
      e.step = std::min(e.step, entered.step);
    });
    if (e.of_all) out_.met_at_ns.push_back(e.times);
    return e;
  }

  static void raise(Times& to, const Times& by) {
    for (std::size_t k = 0; k < K; ++k) to[k] = std::max(to[k], by[k]);
  }

  static void raise_but(const std::array<bool, K>& not_in, Times& to, const Times& by) {
    for (std::size_t k = 0; k < K; ++k) to[k] = not_in[k] ? to[k] : std::max(to[k], by[k]);
  }

  void pass_over(std::size_t from, std::size_t to) {
    if (from >= to) return;
    if (passed_.size() <= to) passed_.resize(to + 1);
    ++passed_[from];
    --passed_[to];
  }

  void count_synchronisations() {
    std::size_t common = run_.matching().collectives().size();
    for (std::int32_t r = 0; r < run_.trace().ranks(); ++r) {
      if (run_.calls(r) > 0) common = std::min(common, steps_[static_cast<std::size_t>(r)]);
    }
    passed_.resize(std::max(common, passed_.size()));
    std::int64_t over = 0;
    for (std::size_t i = 0; i < common; ++i) {
      over += passed_[i];
      if (over == 0) ++out_.synchronisations;
    }
  }

  const Activities& run_;
  const CallSet& sources_;
  const ScenarioCosts<K>& costs_;
  std::vector<Times> at_;             // per rank: when its next call would begin
  std::vector<std::size_t> steps_;    // per rank: collectives of all that it has left
  std::vector<Entered> entered_;      // by number of the source
  std::vector<Entry> entries_;        // of each collective
  std::vector<std::int64_t> passed_;  // changes of how many dependences pass over a step
  CallWork work_;
  ScenarioRun<K> out_;
};

}  // namespace

template <std::size_t K>
ScenarioRun<K> run_scenarios(const Activities& run, const CallSet& sources,
                             const ScenarioCosts<K>& costs) {
  return ForwardWalk<K>(run, sources, costs).run();
}

template ScenarioRun<kGainsAsked> run_scenarios(const Activities&, const CallSet&,
                                                const ScenarioCosts<kGainsAsked>&);
template ScenarioRun<8> run_scenarios(const Activities&, const CallSet&, const ScenarioCosts<8>&);

}  // namespace slackline
