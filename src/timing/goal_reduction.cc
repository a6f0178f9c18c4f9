// The walk of goal_contraction.cc where it is possible, and the graph where it is not.

#include "timing/goal_reduction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "graph/goal/goal_graph.h"
#include "timing/goal_contraction.h"

namespace slackline {
namespace {

/// What decides whether the walk is possible, of one rank.
struct BlockSurvey {
  Int128 nanoseconds = 0;
  Int128 bytes = 0;
  std::uint64_t largest_message = 0;
};

BlockSurvey survey(const GoalRank& rank) {
  BlockSurvey result;
  for (std::uint32_t i = 0; i < rank.size(); ++i) {
    const std::uint64_t size = rank.operation_size(i);
    if (rank.kind(i) == GoalKind::calc) {
      result.nanoseconds += static_cast<Int128>(size);
    } else if (rank.kind(i) == GoalKind::send) {
      result.bytes += static_cast<Int128>(size);
      result.largest_message = std::max(result.largest_message, size);
    }
  }
  return result;
}

std::optional<ReducedLogGPS> try_walk(GoalProgram& program, const GoalMatches& matches,
                                      std::uint64_t eager_threshold_bytes, unsigned threads) {
  const std::size_t ranks = program.ranks.size();
  // Values of the walk have 30 bits.
  if (matches.operation_count() >= std::uint32_t{1} << 30) return std::nullopt;
  std::vector<BlockSurvey> surveys(ranks);
  std::vector<std::optional<GoalBlockOrder>> found(ranks);
  parallel_for(
      ranks,
      [&](std::size_t r) {
        program.ranks[r].sort_dependencies();
        surveys[r] = survey(program.ranks[r]);
        found[r].emplace(program.ranks[r]);
      },
      threads);
  BlockSurvey sum;
  std::vector<GoalBlockOrder> orders;
  orders.reserve(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    sum.nanoseconds += surveys[r].nanoseconds;
    sum.bytes += surveys[r].bytes;
    sum.largest_message = std::max(sum.largest_message, surveys[r].largest_message);
    if (!found[r]->exists()) return std::nullopt;
    orders.push_back(std::move(*found[r]));
  }
  if (sum.nanoseconds >= kMostCount || sum.bytes >= kMostCount ||
      sum.largest_message > eager_threshold_bytes) {
    return std::nullopt;
  }
  return GoalContraction(program, matches, orders, threads).run();
}

}  // namespace

GoalReduction reduce_goal(GoalProgram program, std::string_view name, const GraphOptions& options,
                          unsigned threads) {
  GoalReduction result;
  {
    const GoalMatches matches(program, name, threads);
    result.findings = matches.findings();
    result.reduced = try_walk(program, matches, options.eager_threshold_bytes, threads);
  }
  if (!result.reduced) result.reduced = reduce(build_goal_graph(program, name, options).graph);
  return result;
}

}  // namespace slackline
