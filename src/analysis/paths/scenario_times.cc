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
const ScenarioTimes<K>& lengths(const ScenarioTimes<K>& of) {
  return of;
}
template <std::size_t K>
const ScenarioTimes<K>& lengths(const GroupTimes<K>& of) {
  return of.at;
}

template <std::size_t K>
void raise_lane(ScenarioTimes<K>& to, const ScenarioTimes<K>& by, std::size_t k) {
  to[k] = std::max(to[k], by[k]);
}
template <std::size_t K>
void raise_lane(GroupTimes<K>& to, const GroupTimes<K>& by, std::size_t k) {
  const bool later = to.at[k] < by.at[k] || (to.at[k] == by.at[k] && to.part[k] < by.part[k]);
  to.part[k] = later ? by.part[k] : to.part[k];
  to.at[k] = std::max(to.at[k], by.at[k]);
}

template <std::size_t K>
void add_to_all(ScenarioTimes<K>& times, std::int64_t units) {
  for (std::int64_t& t : times) t += units;
}
template <std::size_t K>
void add_to_all(GroupTimes<K>& times, std::int64_t units) {
  add_to_all(times.at, units);
}

template <class Times>
class ForwardWalk {
 public:
  static constexpr std::size_t kScenarios = ScenarioLanesOf<Times>::value;

  ForwardWalk(const Activities& run, const CallSet& sources, const ScenarioCosts<Times>& costs,
              ScenarioMemory<Times>& memory, ScenarioPath* path)
      : run_(run),
        sources_(sources),
        costs_(costs),
        path_(path),
        at_(static_cast<std::size_t>(run.trace().ranks())),
        steps_(at_.size()),
        entered_(memory.entered),
        is_known_(sources.size()),
        entries_(run.matching().collectives().size()) {
    entered_.resize(sources.size());
    std::size_t active = 0;
    for (std::int32_t r = 0; r < run.trace().ranks(); ++r) active += run.calls(r) > 0 ? 1 : 0;
    for (std::uint32_t id = 0; id < entries_.size(); ++id) entries_[id].of_all = of_all(id, active);
  }

  ScenarioRun<Times> run() {
    if (path_ != nullptr) path_->by_rank.resize(at_.size());
    for (std::int32_t r = 0; r < run_.trace().ranks(); ++r) {
      if (run_.calls(r) > 0) enter(r, 0);
    }
    run_.order().forward([this](std::int32_t rank, CallIndex call) { visit(rank, call); });
    count_synchronisations();
    return out_;
  }

 private:
  using Entered = ScenarioMemory<Times>::Entered;
  struct Entry {
    Times times{};
    CallSource last{};  // of the members, in the first scenario
    std::uint32_t step = 0;
    bool known = false;
    bool of_all = false;
  };

  void enter(std::int32_t rank, CallIndex call) {
    const auto r = static_cast<std::size_t>(rank);
    costs_.add_gap(rank, call, run_.gap_ns(rank, call), at_[r]);
    if (sources_.contains(rank, call)) {
      const std::size_t number = sources_.number_of(rank, call);
      entered_[number] = {at_[r], static_cast<std::uint32_t>(steps_[r])};
      is_known_[number] = true;
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
    const ScenarioTimes<kScenarios> came = lengths(at);
    last_.reset();
    const bool counts =
        work_.ready_ns >= costs_.counted.begin_ns && work_.enter_ns <= costs_.counted.end_ns;
    for (const CallWork::Wait& w : work_.waits) follow(w, rank, call, counts);
    const std::int64_t polled_ns = follow_polled(rank, call);
    if (counts && !std::is_same_v<Times, GroupTimes<kScenarios>>) {
      for (std::size_t k = 0; k < kScenarios; ++k) out_.waiting_ns[k] += lengths(at)[k] - came[k];
    }
    if (path_ != nullptr && (last_ || polled_ns > 0)) {
      path_->by_rank[r].push_back({call, polled_ns, last_});
    }
    costs_.add_call(rank, call, work_.work_ns() - polled_ns, at);
    if (call + 1 < run_.calls(rank)) return enter(rank, call + 1);
    const std::int64_t tail =
        std::max<std::int64_t>(0, run_.stop_ns(rank) - run_.leave_ns(rank, call));
    add_to_all(at, tail * costs_.units_per_ns);
    const bool last = lengths(out_.makespan_ns).front() < lengths(at).front();
    if (path_ != nullptr && last) path_->last_rank = rank;
    raise(out_.makespan_ns, at);
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
  void follow(const CallWork::Wait& wait, std::int32_t rank, CallIndex call, bool may_skip) {
    const CallSource& source = wait.source;
    const auto r = static_cast<std::size_t>(rank);
    std::array<bool, kScenarios> skipped = costs_.omitted(rank, call, wait);
    const auto skip = [&](const std::array<bool, kScenarios>& more) {
      for (std::size_t k = 0; k < kScenarios; ++k) skipped[k] = skipped[k] || (may_skip && more[k]);
    };
    if (source.is_last_entry()) {
      const Entry& e = entry(source.index);
      if (!e.of_all) {
        pass_over(e.step, steps_[r]);
        skip(costs_.alone);
      }
      return wait_for(e.last, skipped, at_[r], e.times);
    }
    const Entered& e = entered_[sources_.number_of(source.rank, source.index)];
    pass_over(e.step, steps_[r]);
    skip(wait.for_lock ? costs_.unlocked : costs_.alone);
    wait_for(source, skipped, at_[r], e.times);
  }

  void wait_for(CallSource source, const std::array<bool, kScenarios>& skipped, Times& at,
                const Times& by) {
    if (!skipped.front() && lengths(at).front() < lengths(by).front()) last_ = source;
    if (skipped == std::array<bool, kScenarios>{}) return raise(at, by);
    for (std::size_t k = 0; k < kScenarios; ++k) {
      if (!skipped[k]) raise_lane(at, by, k);
    }
  }

  /// Returns how much of the call's work is no work.
  std::int64_t follow_polled(std::int32_t rank, CallIndex call) {
    const auto polled = costs_.polled(rank, call);
    if (polled.wait_ns <= 0 || polled.wait_ns > work_.work_ns()) return 0;
    if (polled.source) {
      const auto [from, of] = *polled.source;
      // The order is that of calls that succeed: it may come later than a poll that found nothing.
      if (!sources_.contains(from, of) || !is_known_[sources_.number_of(from, of)]) return 0;
      follow({*polled.source, 0}, rank, call, true);
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
      if (lengths(e.times).front() <= lengths(entered.times).front()) e.last = {m.rank, m.enter};
      raise(e.times, entered.times);
      e.step = std::min(e.step, entered.step);
    });
    if (e.of_all) out_.met_at_ns.push_back(e.times);
    return e;
  }

  static void raise(Times& to, const Times& by) {
    for (std::size_t k = 0; k < kScenarios; ++k) raise_lane(to, by, k);
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
  const ScenarioCosts<Times>& costs_;
  ScenarioPath* path_;
  std::vector<Times> at_;             // per rank: when its next call would begin
  std::vector<std::size_t> steps_;    // per rank: collectives of all that it has left
  BigVector<Entered>& entered_;       // by number of the source
  std::vector<bool> is_known_;        // the same
  std::vector<Entry> entries_;        // of each collective
  std::vector<std::int64_t> passed_;  // changes of how many dependences pass over a step
  CallWork work_;
  std::optional<CallSource> last_;  // what the call waited for last, in the first scenario
  ScenarioRun<Times> out_;
};

}  // namespace

template <class Times>
ScenarioRun<Times> run_scenarios(const Activities& run, const CallSet& sources,
                                 const ScenarioCosts<Times>& costs, ScenarioMemory<Times>& memory,
                                 ScenarioPath* path) {
  return ForwardWalk<Times>(run, sources, costs, memory, path).run();
}

template ScenarioRun<ScenarioTimes<kGainsAsked>> run_scenarios(
    const Activities&, const CallSet&, const ScenarioCosts<ScenarioTimes<kGainsAsked>>&,
    ScenarioMemory<ScenarioTimes<kGainsAsked>>&, ScenarioPath*);
template ScenarioRun<ScenarioTimes<8>> run_scenarios(const Activities&, const CallSet&,
                                                     const ScenarioCosts<ScenarioTimes<8>>&,
                                                     ScenarioMemory<ScenarioTimes<8>>&,
                                                     ScenarioPath*);
template ScenarioRun<GroupTimes<8>> run_scenarios(const Activities&, const CallSet&,
                                                  const ScenarioCosts<GroupTimes<8>>&,
                                                  ScenarioMemory<GroupTimes<8>>&, ScenarioPath*);

}  // namespace slackline
