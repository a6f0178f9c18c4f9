// Where ranks wait, and what for, by place in the code.
//
// Delay costs say of each wait which activities of the late rank caused it, and which of that
// rank's own waits. Both are summed up by place. Then each place's causes are what caused it
// directly, and the causes of those other places, each in proportion: after a few rounds what is
// left is computation and calls somewhere in the job, however many ranks away.

#include "analysis/waits/waits_in_code.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/waits/sampled_causes.h"
#include "calls/code_places.h"
#include "calls/computation_code.h"

namespace slackline {
namespace {

/// An activity of one rank.
using CauseKey = std::pair<std::int32_t, ActivityId>;
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

class Collector final : public WaitsInCodeCollector {
 public:
  Collector(const Trace& trace, const WaitStates& waits, const CallActivities& names,
            const Samples* samples)
      : trace_(trace), names_(names), samples_(samples), group_of_(waits.states.size()) {
    for (std::size_t i = 0; i < waits.states.size(); ++i) add(i, waits.states[i]);
    direct_.resize(groups_.size());
    indirect_.resize(groups_.size());
  }

  void delayed(std::size_t wait, std::int32_t rank, ActivityId activity, double ns) override {
    direct_[group_of_[wait]][{rank, activity}] += ns;
  }
  void propagated(std::size_t wait, std::size_t earlier, double ns) override {
    indirect_[group_of_[wait]][group_of_[earlier]] += ns;
  }

  std::vector<WaitInCode> take() override {
    find_causes();
    std::ranges::stable_sort(groups_, std::greater{}, &WaitInCode::sum_ns);
    return std::move(groups_);
  }

 private:
  using Key = std::tuple<WaitPattern, Operation, std::int32_t, FrameId, PathId>;

  void add(std::size_t i, const WaitState& s) {
    const RankCalls& calls = trace_.calls(s.rank);
    const ActivityId activity = names_.of(s.rank, s.call).call;
    const Key key{s.pattern, calls.operation(s.call), s.rank, calls.frame(s.call),
                  names_.path(activity)};
    const auto [at, fresh] = ids_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (fresh) {
      groups_.push_back({std::get<0>(key),
                         std::get<1>(key),
                         std::get<2>(key),
                         std::get<3>(key),
                         std::get<4>(key),
                         0,
                         0,
                         {}});
      effective_ns_.push_back(0);
    }
    WaitInCode& group = groups_[at->second];
    ++group.count;
    group.sum_ns += s.wait_ns;
    if (s.effective) effective_ns_[at->second] += static_cast<double>(s.wait_ns);
    group_of_[i] = at->second;
  }

  static void keep_largest(Shares& shares) {
    if (shares.size() <= kCausesKept) return;
    std::vector<double> sizes;
    for (const auto& [key, share] : shares) sizes.push_back(share);
    std::ranges::nth_element(sizes, sizes.begin() + (kCausesKept - 1), std::greater{});
    const double least = sizes[kCausesKept - 1];
    std::erase_if(shares, [&](const auto& entry) { return entry.second < least; });
  }

  std::vector<CauseKey> all_causes() const {
    std::vector<CauseKey> all;
    for (const auto& causes : direct_) {
      for (const auto& [cause, ns] : causes) all.push_back(cause);
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  /// What caused each group directly, as shares of its waiting.
  std::vector<Shares> direct_shares(const std::vector<CauseKey>& causes) const {
    std::vector<Shares> shares(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (effective_ns_[g] <= 0) continue;
      for (const auto& [cause, ns] : direct_[g]) {
        const auto id = std::ranges::lower_bound(causes, cause) - causes.begin();
        shares[g].emplace_back(static_cast<CauseId>(id), ns / effective_ns_[g]);
      }
    }
    return shares;
  }

  Shares next_shares(std::size_t g, const Shares& direct, const std::vector<Shares>& before,
                     CauseSums& sums) const {
    if (effective_ns_[g] <= 0) return {};
    for (const auto& [cause, share] : direct) sums.add(cause, share);
    for (const auto& [other, ns] : indirect_[g]) {
      for (const auto& [cause, share] : before[other]) {
        sums.add(cause, ns / effective_ns_[g] * share);
      }
    }
    Shares shares = sums.take();
    keep_largest(shares);
    return shares;
  }

  void find_causes() {
    const std::vector<CauseKey> causes = all_causes();
    const std::vector<Shares> direct = direct_shares(causes);
    CauseSums sums(causes.size());
    std::vector<Shares> shares(groups_.size());
    for (int round = 0; round < kRounds; ++round) {
      std::vector<Shares> next(groups_.size());
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        next[g] = next_shares(g, direct[g], shares, sums);
      }
      shares = std::move(next);
    }
    std::map<CauseKey, FrameId> frames;
    std::vector<CauseKey> largest(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto most = std::ranges::max_element(shares[g], {}, &Share::second);
      if (most == shares[g].end()) continue;
      largest[g] = causes[most->first];
      groups_[g].cause.rank = largest[g].first;
      groups_[g].cause.share = std::min(1.0, most->second);
      frames[largest[g]] = 0;
    }
    find_frames(frames);
    std::map<CauseKey, SampledCause> sampled;
    const ComputationCode code(trace_, samples_);
    if (code.sampled()) {
      std::vector<CauseKey> computed;
      for (const auto& [cause, frame] : frames) {
        if (names_.operation(cause.second) == Operation::none) computed.push_back(cause);
      }
      sampled = sampled_causes(trace_, names_, code, computed);
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].cause.rank < 0) continue;
      groups_[g].cause.frame = frames[largest[g]];
      if (const auto found = sampled.find(largest[g]); found != sampled.end()) {
        groups_[g].cause.frame = found->second.frame;
        groups_[g].cause.share *= found->second.share;
      }
    }
  }

  /// An activity may be at several lines of its function: that of most of its time stands for it.
  void find_frames(std::map<CauseKey, FrameId>& frames) const {
    std::map<std::pair<CauseKey, FrameId>, std::int64_t> times;
    std::int32_t rank = -1;
    for (const auto& [cause, frame] : frames) {
      if (cause.first != rank) add_times(rank = cause.first, frames, times);
    }
    std::map<CauseKey, std::int64_t> most;
    for (const auto& [place, ns] : times) {
      const auto [at, fresh] = most.try_emplace(place.first, ns);
      if (!fresh && ns <= at->second) continue;
      at->second = ns;
      frames[place.first] = place.second;
    }
  }

  void add_times(std::int32_t rank, const std::map<CauseKey, FrameId>& wanted,
                 std::map<std::pair<CauseKey, FrameId>, std::int64_t>& times) const {
    if (trace_.call_tree().empty()) return;
    const RankCalls& calls = trace_.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto call = static_cast<CallIndex>(i);
      const CallActivities::OfCall of = names_.of(rank, call);
      if (wanted.contains({rank, of.gap})) {
        const FrameId frame = ancestor_at(trace_.call_tree(), calls.frame(i),
                                          names_.paths().depth(names_.path(of.gap)));
        times[{{rank, of.gap}, frame}] += calls.gap_ns(i);
      }
      if (wanted.contains({rank, of.call})) {
        times[{{rank, of.call}, calls.frame(i)}] += calls.end_ns(i) - calls.begin_ns(i);
      }
    }
  }

  const Trace& trace_;
  const CallActivities& names_;
  const Samples* samples_;
  std::vector<std::uint32_t> group_of_;  // of each wait
  std::map<Key, std::uint32_t> ids_;
  std::vector<WaitInCode> groups_;
  std::vector<double> effective_ns_;  // of each group
  std::vector<std::map<CauseKey, double>> direct_;
  std::vector<std::map<std::uint32_t, double>> indirect_;
};

}  // namespace

std::unique_ptr<WaitsInCodeCollector> collect_waits_in_code(const Trace& trace,
                                                            const WaitStates& waits,
                                                            const CallActivities& names,
                                                            const Samples* samples) {
  return std::make_unique<Collector>(trace, waits, names, samples);
}

std::vector<WaitInCode> waits_in_code(const Trace& trace, const CallMatching& matching,
                                      const WaitStates& waits, const CallActivities& names,
                                      const Samples* samples) {
  Collector collector(trace, waits, names, samples);
  delay_costs(trace, matching, waits, names, &collector);
  return collector.take();
}

}  // namespace slackline
