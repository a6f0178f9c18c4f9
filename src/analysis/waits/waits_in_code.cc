// Where ranks wait, and what for, by place in the code.
//
// Delay costs say of each wait which activities of the late rank caused it, and which of that
// rank's own waits. Both are summed up by place. Then each place's causes are what caused it
// directly, and the causes of those other places, each in proportion: after a few rounds what is
// left is computation and calls somewhere in the job, however many ranks away.

#include "analysis/waits/waits_in_code.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "calls/computation_code.h"

namespace slackline {
namespace {

/// Index into all causes in their order.
using CauseId = std::uint32_t;
using Share = std::pair<CauseId, double>;
/// In order of the causes, each once.
using Shares = std::vector<Share>;

// Waiting that has gone through so many others is shared out; small causes are forgotten on the
// way.
constexpr int kRounds = 8;
constexpr std::size_t kCausesKept = 8;

/// Sums by cause: those that nothing was added to cost nothing.
class CauseSums {
 public:
  explicit CauseSums(std::size_t causes) : sums_(causes), is_listed_(causes) {}

  void add(CauseId cause, double share) {
    if (!is_listed_[cause]) listed_.push_back(cause);
    is_listed_[cause] = true;
    sums_[cause] += share;
  }
  /// The sums, which are 0 from then on.
  Shares take() {
    std::ranges::sort(listed_);
    Shares shares;
    shares.reserve(listed_.size());
    for (const CauseId cause : listed_) {
      shares.emplace_back(cause, std::exchange(sums_[cause], 0));
      is_listed_[cause] = false;
    }
    listed_.clear();
    return shares;
  }

 private:
  std::vector<double> sums_;
  std::vector<bool> is_listed_;
  std::vector<CauseId> listed_;
};

class Collector final : public WaitsByCodeCollector {
 public:
  Collector(const Trace& trace, const WaitStates& waits, const CallActivities& names)
      : trace_(trace), names_(names), place_of_(waits.states.size()) {
    for (std::size_t i = 0; i < waits.states.size(); ++i) add(i, waits.states[i]);
    direct_.resize(waiting_.size());
    indirect_.resize(waiting_.size());
  }

  void delayed(std::size_t wait, std::int32_t rank, ActivityId activity, double ns) override {
    direct_[place_of_[wait]][{rank, activity}] += ns;
  }
  void propagated(std::size_t wait, std::size_t earlier, double ns) override {
    indirect_[place_of_[wait]][place_of_[earlier]] += ns;
  }

  WaitsByCode take() override {
    WaitsByCode out;
    for (std::size_t p = 0; p < waiting_.size(); ++p) {
      const Place& place = waiting_[p].of;
      for (const auto& [cause, ns] : direct_[p]) {
        const auto& [rank, activity] = cause;
        const ActivityName& name = names_.name(activity);
        out.direct.push_back({{place, {rank, name.path, name.operation, name.late_start}}, ns});
      }
      for (const auto& [other, ns] : indirect_[p]) {
        out.indirect.push_back({{place, waiting_[other].of}, ns});
      }
    }
    out.waiting = std::move(waiting_);
    out.add_up();
    return out;
  }

 private:
  using Place = WaitsByCode::Place;

  void add(std::size_t i, const WaitState& s) {
    const RankCalls& calls = trace_.calls(s.rank);
    const ActivityId activity = names_.of(s.rank, s.call).call;
    const Place place{s.pattern, calls.operation(s.call), s.rank, calls.frame(s.call),
                      names_.path(activity)};
    const auto [at, fresh] = ids_.try_emplace(place, static_cast<std::uint32_t>(waiting_.size()));
    if (fresh) waiting_.push_back({place, 0, 0, 0});
    waiting_[at->second].add({place, 1, s.wait_ns, s.effective ? s.wait_ns : 0});
    place_of_[i] = at->second;
  }

  const Trace& trace_;
  const CallActivities& names_;
  std::vector<std::uint32_t> place_of_;  // of each wait
  std::map<Place, std::uint32_t> ids_;
  std::vector<WaitsByCode::Waiting> waiting_;
  std::vector<std::map<std::pair<std::int32_t, ActivityId>, FixedPointSum>> direct_;
  std::vector<std::map<std::uint32_t, FixedPointSum>> indirect_;
};

void keep_largest(Shares& shares) {
  if (shares.size() <= kCausesKept) return;
  std::vector<double> sizes;
  for (const auto& [key, share] : shares) sizes.push_back(share);
  std::ranges::nth_element(sizes, sizes.begin() + (kCausesKept - 1), std::greater{});
  const double least = sizes[kCausesKept - 1];
  std::erase_if(shares, [&](const auto& entry) { return entry.second < least; });
}

/// Finds what caused the waiting in each place, through the waiting in others.
class SharedCauses {
 public:
  explicit SharedCauses(const WaitsByCode& waits)
      : waits_(waits), direct_(waits.waiting.size()), indirect_(waits.waiting.size()) {
    for (const auto& row : waits.direct) causes_.push_back(row.of.cause);
    std::ranges::sort(causes_);
    causes_.erase(std::unique(causes_.begin(), causes_.end()), causes_.end());
    for (const auto& row : waits.direct) {
      const auto id = std::ranges::lower_bound(causes_, row.of.cause) - causes_.begin();
      add_share(direct_, row, static_cast<CauseId>(id));
    }
    for (const auto& row : waits.indirect) {
      add_share(indirect_, row, static_cast<std::uint32_t>(index_of(row.of.cause)));
    }
  }

  const RankActivity& cause(CauseId id) const { return causes_[id]; }

  /// The causes of each place, as shares of its waiting.
  std::vector<Shares> find() const {
    CauseSums sums(causes_.size());
    std::vector<Shares> shares(direct_.size());
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Shares> next(direct_.size());
      for (std::size_t p = 0; p < next.size(); ++p) next[p] = next_shares(p, shares, sums);
      shares = std::move(next);
    }
    return shares;
  }

 private:
  std::size_t index_of(const WaitsByCode::Place& place) const {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(waits_.waiting, place, {}, &WaitsByCode::Waiting::key) -
        waits_.waiting.begin());
  }

  template <class Row>
  void add_share(std::vector<Shares>& shares, const Row& row, std::uint32_t id) const {
    const std::size_t place = index_of(row.of.place);
    const auto effective = static_cast<double>(waits_.waiting[place].effective_ns);
    if (effective > 0) shares[place].emplace_back(id, row.sum.value() / effective);
  }

  Shares next_shares(std::size_t place, const std::vector<Shares>& before, CauseSums& sums) const {
    for (const auto& [cause, share] : direct_[place]) sums.add(cause, share);
    for (const auto& [other, part] : indirect_[place]) {
      for (const auto& [cause, share] : before[other]) sums.add(cause, part * share);
    }
    Shares shares = sums.take();
    keep_largest(shares);
    return shares;
  }

  const WaitsByCode& waits_;
  std::vector<RankActivity> causes_;  // ascending
  std::vector<Shares> direct_;        // of each place
  std::vector<Shares> indirect_;      // and by which other places
};

}  // namespace

std::unique_ptr<WaitsByCodeCollector> collect_waits_by_code(const Trace& trace,
                                                            const WaitStates& waits,
                                                            const CallActivities& names) {
  return std::make_unique<Collector>(trace, waits, names);
}

CodeCauses::CodeCauses(const WaitsByCode& waits, const CallTree& tree, std::int32_t ranks)
    : tree_(tree), largest_(waits.waiting.size()) {
  const SharedCauses causes(waits);
  const std::vector<Shares> shares = causes.find();
  for (std::size_t p = 0; p < waits.waiting.size(); ++p) {
    const WaitsByCode::Waiting& w = waits.waiting[p];
    WaitInCode& place = places_.emplace_back(WaitInCode{w.of.pattern, w.of.operation, w.of.rank,
                                                        w.of.frame, w.of.path, w.count, w.sum_ns});
    const auto most = std::ranges::max_element(shares[p], {}, &Share::second);
    if (most == shares[p].end()) continue;
    largest_[p] = causes.cause(most->first);
    place.cause.rank = largest_[p]->rank;
    place.cause.share = std::min(1.0, most->second);
    frames_[*largest_[p]] = 0;
  }
  sampled_.emplace(tree, ranks, late_computations());
}

std::vector<LateComputation> CodeCauses::late_computations() const {
  std::vector<LateComputation> computations;
  for (const auto& [cause, frame] : frames_) {
    if (cause.operation == Operation::none && !cause.late_start)
      computations.emplace_back(cause.rank, cause.path);
  }
  return computations;
}

CauseTimes CodeCauses::times_of(const Trace& trace, const CallActivities& names,
                                const ComputationCode& code, const RunPart& part) const {
  CauseTimes times;
  if (!needs_calls()) return times;
  add_times(trace, names, part, times);
  if (code.sampled()) times.in_functions = sampled_->times_of(trace, names, code, part);
  return times;
}

void CodeCauses::add_times(const Trace& trace, const CallActivities& names, const RunPart& part,
                           CauseTimes& times) const {
  std::map<CauseTimes::ActivityAtFrame, std::int64_t> sums;
  std::int32_t rank = -1;
  for (const auto& [cause, frame] : frames_) {
    if (cause.rank == rank) continue;
    rank = cause.rank;
    const RankCalls& calls = trace.calls(rank);
    std::vector<bool> wanted(names.size());
    for (ActivityId id = 0; id < names.size(); ++id) {
      wanted[id] =
          frames_.contains({rank, names.path(id), names.operation(id), names.name(id).late_start});
    }
    for (std::size_t i = part.lead(); i < calls.size(); ++i) {
      const CallActivities::OfCall of = names.of(rank, static_cast<CallIndex>(i));
      if (of.gap != CallActivities::kSeveral && wanted[of.gap]) {
        const PathId path = names.path(of.gap);
        const FrameId at = ancestor_at(tree_, calls.frame(i), names.paths().depth(path));
        sums[{{rank, path, Operation::none}, at}] += calls.gap_ns(i);
      }
      if (wanted[of.call]) {
        sums[{{rank, names.path(of.call), names.operation(of.call)}, calls.frame(i)}] +=
            calls.end_ns(i) - calls.begin_ns(i);
      }
    }
  }
  for (const auto& [key, ns] : sums) times.at_frames.push_back({key, ns});
}

/// An activity may be at several lines of its function: that of most of its time stands for it.
void CodeCauses::find_frames(const CauseTimes& times) {
  std::map<RankActivity, std::int64_t> most;
  for (const auto& time : times.at_frames) {
    const auto [at, fresh] = most.try_emplace(time.of.activity, time.sum);
    if (!fresh && time.sum <= at->second) continue;
    at->second = time.sum;
    frames_[time.of.activity] = time.of.frame;
  }
}

std::vector<WaitInCode> CodeCauses::take(const CauseTimes& times) {
  find_frames(times);
  const std::map<LateComputation, SampledCause> sampled = sampled_->find(times.in_functions);
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (!largest_[p]) continue;
    WaitInCode::Cause& cause = places_[p].cause;
    cause.frame = frames_[*largest_[p]];
    if (largest_[p]->operation != Operation::none || largest_[p]->late_start) continue;
    const auto found = sampled.find({largest_[p]->rank, largest_[p]->path});
    if (found == sampled.end()) continue;
    cause.frame = found->second.frame;
    cause.share *= found->second.share;
  }
  std::ranges::stable_sort(places_, std::greater{}, &WaitInCode::sum_ns);
  return std::move(places_);
}

}  // namespace slackline
