#include "training/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <utility>

#include "base/difference_constraints.h"

namespace slackline {
namespace {

using RankPair = std::pair<std::uint32_t, std::uint32_t>;

// The tightest bound of each pair: what is added to the second less what is added to the first.
std::map<RankPair, std::int64_t> bounds_of(const std::vector<TrainingCollective>& collectives) {
  std::map<RankPair, std::int64_t> bounds;
  for (const TrainingCollective& collective : collectives) {
    for (std::size_t early = 0; early < collective.members.size(); ++early) {
      for (std::size_t late = 0; late < collective.members.size(); ++late) {
        if (!needs(collective, early, late)) continue;
        const CollectiveKernel& ended = collective.members[early];
        const CollectiveKernel& began = collective.members[late];
        const std::int64_t bound = ended.time.end_ns - began.time.begin_ns;
        const auto [at, added] = bounds.try_emplace({ended.rank, began.rank}, bound);
        if (!added) at->second = std::min(at->second, bound);
      }
    }
  }
  return bounds;
}

// On one clock, the ends of NCCL's kernels of eight ranks were seen to differ by up to 40 us.
constexpr std::int64_t kTail_ns = 50'000;
constexpr std::int64_t kSpreads = 4;

// By how much the second rank's clock is behind the first one's, by the ends of collectives.
struct Lag {
  std::int64_t median_ns = 0;
  std::int64_t spread_ns = 0;  // between the quartiles

  bool is_of_clock() const {
    const std::int64_t size = std::abs(median_ns);
    return size > kTail_ns && size > kSpreads * spread_ns;
  }
};

std::map<RankPair, Lag> lags_of(const std::vector<TrainingCollective>& collectives) {
  std::map<RankPair, std::vector<std::int64_t>> lags;
  for (const TrainingCollective& collective : collectives) {
    const CollectiveKernel& first = collective.members.front();
    for (const CollectiveKernel& member : collective.members) {
      const std::int64_t lag = first.time.end_ns - member.time.end_ns;
      if (member.rank == first.rank) continue;
      lags[{first.rank, member.rank}].push_back(lag);
      lags[{member.rank, first.rank}].push_back(-lag);
    }
  }
  std::map<RankPair, Lag> result;
  for (auto& [pair, all] : lags) {
    std::ranges::sort(all);
    const std::size_t n = all.size();
    result[pair] = {all[n / 2], all[3 * n / 4] - all[n / 4]};
  }
  return result;
}

// What is to be added to each rank's times by the medians, rank by rank along common collectives.
std::vector<double> corrections_by_ends(std::size_t ranks, const std::map<RankPair, Lag>& lags) {
  std::vector<double> corrections(ranks, 0);
  std::vector<bool> known(ranks, false);
  for (std::uint32_t root = 0; root < ranks; ++root) {
    if (known[root]) continue;
    known[root] = true;
    std::deque<std::uint32_t> next{root};
    for (; !next.empty(); next.pop_front()) {
      const std::uint32_t from = next.front();
      for (auto at = lags.lower_bound({from, 0}); at != lags.end() && at->first.first == from;
           ++at) {
        const std::uint32_t to = at->first.second;
        if (known[to]) continue;
        known[to] = true;
        corrections[to] = corrections[from] + static_cast<double>(at->second.median_ns);
        next.push_back(to);
      }
    }
  }
  return corrections;
}

template <class T>
void shift(std::vector<T>& all, std::int64_t by_ns) {
  for (T& one : all) {
    one.time.begin_ns += by_ns;
    one.time.end_ns += by_ns;
  }
}

void shift(ProfiledRank& rank, std::int64_t by_ns) {
  shift(rank.gpu, by_ns);
  shift(rank.runtime_calls, by_ns);
  shift(rank.cpu, by_ns);
  shift(rank.steps, by_ns);
}

}  // namespace

void correct_clocks(TrainingRun& run) {
  Findings ignored;  // the analysis matches again
  const std::vector<TrainingCollective> collectives = match_collectives(run, ignored);
  const std::map<RankPair, std::int64_t> bounds = bounds_of(collectives);
  const std::map<RankPair, Lag> lags = lags_of(collectives);
  const bool contradicted =
      std::ranges::any_of(bounds, [](const auto& pair) { return pair.second < 0; });
  const bool apart =
      std::ranges::any_of(lags, [](const auto& pair) { return pair.second.is_of_clock(); });
  if (!contradicted && !apart) return;
  std::vector<DifferenceConstraint> constraints;
  for (const auto& [pair, bound] : bounds) {
    constraints.push_back({pair.second, pair.first, static_cast<double>(bound)});
  }
  const std::vector<double> target = corrections_by_ends(run.ranks.size(), lags);
  std::vector<std::int64_t> corrections =
      DifferenceSystem(run.ranks.size(), std::move(constraints)).solution_near(target);
  if (corrections.empty()) corrections.assign(target.begin(), target.end());
  for (std::size_t i = 0; i < run.ranks.size(); ++i) {
    const std::int64_t by_ns = corrections[i] - corrections.front();
    if (by_ns == 0) continue;
    shift(run.ranks[i], by_ns);
    run.findings.add(kGpuClocksCorrected, fmt::format("rank {} by {:+.3f} us", run.ranks[i].rank,
                                                      static_cast<double>(by_ns) / 1e3));
  }
}

}  // namespace slackline
