#include "analysis/summary/computation_balance.h"

#include <algorithm>
#include <unordered_map>

#include "base/arithmetic.h"

namespace slackline {
namespace {

/// A rank that does less than this share of what the busiest one does has nothing to do.
constexpr double kNothingToDo = 0.02;

/// Ranks that exceed the mean by this much less than the busiest one does make others wait as well.
constexpr double kNearlyMost = 0.1;

/// Work that ranks do together: how much each does at most, and those that do some of it.
struct SharedWork {
  double most = 0;
  double sum = 0;
  std::uint32_t workers = 0;
  std::uint32_t busiest = 0;  // that do most, or nearly

  void look(double ns) { most = std::max(most, ns); }
  bool takes_part(double ns) const { return ns > 0 && ns >= kNothingToDo * most; }
  void add(double ns) {
    if (!takes_part(ns)) return;
    sum += ns;
    ++workers;
  }
  bool is_of_one(double ns) const { return workers == 1 && takes_part(ns); }
  bool is_of_few(double ns, std::size_t ranks) const {
    return 2 * std::size_t{workers} <= ranks && takes_part(ns);
  }
  double mean() const { return ratio_of(sum, static_cast<double>(workers)); }
  double factor(double ns) const { return takes_part(ns) && workers > 1 ? mean() / ns : 1; }
  bool is_busiest(double ns) const {
    return takes_part(ns) && ns >= most - kNearlyMost * (most - mean());
  }
  void count(double ns) { busiest += is_busiest(ns) ? 1 : 0; }
  /// The part of what a rank does that it is charged with.
  double charged(double ns) const {
    return is_busiest(ns) ? (most - mean()) / static_cast<double>(busiest) / ns : 0;
  }
};

/// Numbers the visits of a rank: its k-th call of an operation at a frame is the k-th visit there.
class VisitedPlaces {
 public:
  /// Calls visit(call, SharedWork&) for each call of the rank.
  template <class Visit>
  void for_each(const RankCalls& calls, Visit visit) {
    std::vector<std::uint32_t> next(places_.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::uint64_t key =
          std::uint64_t{calls.frame(i)} << 16 | static_cast<std::uint64_t>(calls.operation(i));
      const auto [place, is_new] = numbers_.try_emplace(key, numbers_.size());
      if (is_new) places_.emplace_back();
      if (next.size() < places_.size()) next.resize(places_.size());
      std::vector<SharedWork>& visits = places_[place->second];
      const std::uint32_t number = next[place->second]++;
      if (visits.size() <= number) visits.resize(number + 1);
      visit(static_cast<CallIndex>(i), visits[number]);
    }
  }

 private:
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
  std::vector<std::vector<SharedWork>> places_;
};

/// Calls visit(call, after) for each call of a rank; `after`: all ranks meet in it.
template <class Visit>
void for_meetings(const Activities& run, std::size_t active, std::int32_t rank, Visit visit) {
  for (std::size_t i = 0; i < run.calls(rank); ++i) {
    const auto call = static_cast<CallIndex>(i);
    bool meets = false;
    run.matching().for_completions(rank, call, [&](const CallMatching::Completion& c) {
      if (c.kind != CallMatching::Completion::Kind::collective) return;
      const CollectiveInstance& of = run.matching().collective(c.id);
      const CollectiveMember* own = run.matching().member(of, rank);
      const bool blocking = own != nullptr && own->enter == own->done;
      meets = meets || (blocking && of.member_count == active && run.all_wait(c.id));
    });
    visit(call, meets);
  }
}

/// When all ranks but one wait, by the one that does not; times from the start of the run.
class SoleWorkTimes {
 public:
  SoleWorkTimes(const Activities& run, std::size_t active)
      : of_ranks_(static_cast<std::size_t>(run.trace().ranks())) {
    std::vector<Change> changes;
    std::int64_t missing = 0;  // sum of the numbers of the ranks that do not wait
    CallWork work;
    for (std::int32_t r = 0; r < run.trace().ranks(); ++r) {
      if (run.calls(r) > 0) missing += r;
      for (std::size_t i = 0; i < run.calls(r); ++i) {
        run.look(r, static_cast<CallIndex>(i), work);
        if (work.ready_ns <= work.enter_ns || run.trace().calls(r).thread(i) != 0) continue;
        changes.push_back({work.enter_ns, r, -1});
        changes.push_back({work.ready_ns, r, 1});
      }
    }
    std::ranges::sort(changes, {}, &Change::at_ns);
    std::size_t working = active;
    std::int64_t since = 0;
    for (const Change& c : changes) {
      if (working == 1 && c.at_ns > since) {
        of_ranks_[static_cast<std::size_t>(missing)].push_back({since, c.at_ns});
      }
      since = c.at_ns;
      missing += c.step * c.rank;
      working += static_cast<std::size_t>(c.step);
    }
  }

  /// The part of an interval in which the rank works alone.
  double share(std::int32_t rank, std::int64_t begin_ns, std::int64_t end_ns) const {
    const auto& own = of_ranks_[static_cast<std::size_t>(rank)];
    std::int64_t alone = 0;
    for (auto t = std::ranges::upper_bound(own, begin_ns, {}, &TimeInterval::end_ns);
         t != own.end() && t->begin_ns < end_ns; ++t) {
      alone += std::min(t->end_ns, end_ns) - std::max(t->begin_ns, begin_ns);
    }
    return ratio_of(static_cast<double>(alone), static_cast<double>(end_ns - begin_ns));
  }

 private:
  struct Change {
    std::int64_t at_ns;
    std::int32_t rank;
    std::int32_t step;  // of the number of ranks that do not wait
  };
  std::vector<std::vector<TimeInterval>> of_ranks_;  // ascending
};

}  // namespace

ComputationBalance::ComputationBalance(const GapTimes& gaps) {
  const Activities& run = gaps.run();
  for (std::int32_t r = 0; r < run.trace().ranks(); ++r) active_ += run.calls(r) > 0 ? 1 : 0;
  for (std::size_t of = 0; of < kBalances; ++of) {
    for (std::int32_t r = 0; r < run.trace().ranks(); ++r) {
      factors_[of].emplace_back(run.calls(r), 1.0F);
      charged_[of].emplace_back(run.calls(r), 0.0F);
    }
  }
  for (std::int32_t r = 0; r < run.trace().ranks(); ++r) {
    shared_out_.emplace_back(run.calls(r), 1.0F);
  }
  balance_visits(gaps);
  balance_stretches(gaps);
}

void ComputationBalance::share_out(std::int32_t rank, CallIndex call, double part,
                                   std::uint32_t workers) {
  const double saved = 1 - static_cast<double>(workers) / static_cast<double>(active_);
  float& left = shared_out_[static_cast<std::size_t>(rank)][call];
  left = std::min(left, static_cast<float>(1 - part * saved));
}

void ComputationBalance::balance_visits(const GapTimes& gaps) {
  const Activities& run = gaps.run();
  VisitedPlaces places;
  const SoleWorkTimes sole_work(run, active_);
  OfCalls& factors = factors_[static_cast<std::size_t>(BalanceOf::visits)];
  OfCalls& charged = charged_[static_cast<std::size_t>(BalanceOf::visits)];
  const auto for_all = [&](auto visit) {
    for (std::int32_t r = 0; r < run.trace().ranks(); ++r) {
      places.for_each(run.trace().calls(r), [&](CallIndex call, SharedWork& work) {
        float& of_call = factors[static_cast<std::size_t>(r)][call];
        visit(of_call, work, r, call);
      });
    }
  };
  for_all([&](float& ns, SharedWork& work, std::int32_t r, CallIndex call) {
    ns = static_cast<float>(gaps.of(r, call).busy());
    work.look(ns);
  });
  for_all([](float& ns, SharedWork& work, std::int32_t, CallIndex) { work.add(ns); });
  for_all([](float& ns, SharedWork& work, std::int32_t, CallIndex) { work.count(ns); });
  for_all([&](float& ns, const SharedWork& work, std::int32_t r, CallIndex call) {
    if (work.is_of_one(ns)) {
      const std::int64_t end = run.enter_ns(r, call);
      share_out(r, call, sole_work.share(r, end - run.gap_ns(r, call), end), 1);
    }
    charged[static_cast<std::size_t>(r)][call] = static_cast<float>(work.charged(ns));
    ns = static_cast<float>(work.factor(ns));
  });
}

void ComputationBalance::balance_stretches(const GapTimes& gaps) {
  const Activities& run = gaps.run();
  std::vector<std::vector<double>> busy;  // by rank and stretch
  std::size_t stretches = 1;
  for (std::int32_t r = 0; r < run.trace().ranks(); ++r) {
    std::vector<double>& own = busy.emplace_back(1);
    for_meetings(run, active_, r, [&](CallIndex call, bool meets) {
      own.back() += static_cast<double>(gaps.of(r, call).busy());
      if (meets) own.push_back(0);
    });
    stretches = std::max(stretches, own.size());
  }
  std::vector<SharedWork> work(stretches);
  for (void (SharedWork::*take)(double) :
       {&SharedWork::look, &SharedWork::add, &SharedWork::count}) {
    for (const auto& own : busy) {
      for (std::size_t s = 0; s < own.size(); ++s) (work[s].*take)(own[s]);
    }
  }
  OfCalls& factors = factors_[static_cast<std::size_t>(BalanceOf::stretches)];
  OfCalls& charged = charged_[static_cast<std::size_t>(BalanceOf::stretches)];
  for (std::int32_t rank = 0; rank < run.trace().ranks(); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    std::size_t s = 0;
    for_meetings(run, active_, rank, [&](CallIndex call, bool meets) {
      factors[r][call] = static_cast<float>(work[s].factor(busy[r][s]));
      charged[r][call] = static_cast<float>(work[s].charged(busy[r][s]));
      if (work[s].is_of_few(busy[r][s], active_)) share_out(rank, call, 1, work[s].workers);
      if (meets) ++s;
    });
  }
}

}  // namespace slackline
