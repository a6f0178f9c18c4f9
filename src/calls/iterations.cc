// The iterations of a run. Each rank's calls are cut by themselves (iterations.h); the loops of the
// run are those that most ranks have in the same number and with equally many iterations, so that
// the k-th iteration is the same one everywhere. A rank that deviates (a master, one with lost
// calls) takes part in those loops of which it has as many iterations.

#include "calls/iterations.h"

#include <algorithm>
#include <map>

#include "base/parallel.h"
#include "base/statistics.h"

namespace slackline {
namespace {

constexpr std::size_t kLastingStructure = 6;  // iterations

using Counts = std::vector<std::size_t>;

Counts counts_of(const std::vector<RankLoop>& loops) {
  Counts counts;
  for (const RankLoop& l : loops) counts.push_back(l.count());
  return counts;
}

/// The counts that most ranks have; empty where they are fewer than half of those with calls.
Counts usual_counts(const std::vector<std::vector<RankLoop>>& ranks,
                    std::span<const std::uint64_t> calls) {
  std::map<Counts, std::size_t> votes;
  std::size_t present = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (calls[r] == 0) continue;
    ++present;
    ++votes[counts_of(ranks[r])];
  }
  if (votes.empty()) return {};
  const auto most =
      std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
  return 2 * most->second >= present ? most->first : Counts{};
}

/// Where one structure gives way to another one, each for many iterations.
std::vector<std::size_t> lasting_changes(const std::vector<std::uint64_t>& structure) {
  std::vector<std::size_t> changes;
  std::uint64_t current = 0;
  bool any = false;
  for (std::size_t i = 0; i < structure.size();) {
    std::size_t end = i;
    while (end < structure.size() && structure[end] == structure[i]) ++end;
    if (end - i >= kLastingStructure) {
      if (any && structure[i] != current) changes.push_back(i);
      current = structure[i];
      any = true;
    }
    i = end;
  }
  return changes;
}

/// `of_ranks`: the borders of those that make the iterations.
void find_borders(const std::vector<std::vector<std::int64_t>>& of_ranks, IterationLoop& loop) {
  std::vector<std::int64_t> times;
  for (std::size_t k = 0; k <= loop.count; ++k) {
    times.clear();
    for (const std::vector<std::int64_t>& rank : of_ranks) times.push_back(rank[k]);
    const std::int64_t middle = median(times);
    loop.border_ns.push_back(loop.border_ns.empty() ? middle
                                                    : std::max(middle, loop.border_ns.back()));
  }
}

}  // namespace

double IterationLoop::period_ns() const {
  std::vector<double> lengths;
  for (std::size_t k = 0; k < count; ++k) {
    lengths.push_back(static_cast<double>(border_ns[k + 1] - border_ns[k]));
  }
  return median(std::move(lengths));
}

std::vector<IterationLoop> find_iterations(const Trace& trace, const CallPaths& paths,
                                           double shortest) {
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  std::vector<std::vector<RankLoop>> own(ranks);
  std::vector<std::uint64_t> calls(ranks);
  parallel_for(ranks, [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    calls[r] = trace.calls(rank).size();
    if (calls[r] > 0) own[r] = rank_loops(trace, paths, rank, shortest);
  });
  return find_iterations(std::move(own), calls);
}

std::vector<IterationLoop> find_iterations(std::vector<std::vector<RankLoop>> of_ranks,
                                           std::span<const std::uint64_t> calls) {
  std::vector<IterationLoop> loops;
  for (const std::size_t count : usual_counts(of_ranks, calls)) {
    loops.emplace_back().count = count;
    loops.back().first_call.resize(of_ranks.size());
  }
  std::vector<std::vector<std::vector<std::int64_t>>> borders(loops.size());
  std::vector<std::map<std::vector<std::size_t>, std::size_t>> changes(loops.size());
  for (std::size_t r = 0; r < of_ranks.size(); ++r) {
    std::vector<RankLoop>& own = of_ranks[r];
    std::size_t next = 0;  // of the rank's loops
    for (std::size_t l = 0; l < loops.size(); ++l) {
      std::size_t i = next;
      while (i < own.size() && own[i].count() != loops[l].count) ++i;
      if (i == own.size()) continue;
      loops[l].first_call[r] = std::move(own[i].first_call);
      borders[l].push_back(std::move(own[i].border_ns));
      ++changes[l][lasting_changes(own[i].structure)];
      next = i + 1;
    }
  }
  for (std::size_t l = 0; l < loops.size(); ++l) {
    find_borders(borders[l], loops[l]);
    const auto most =
        std::ranges::max_element(changes[l], {}, [](const auto& vote) { return vote.second; });
    loops[l].structure_changes = most->first;
  }
  return loops;
}

}  // namespace slackline
