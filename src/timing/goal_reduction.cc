// Rank by rank where it is possible, and the graph where it is not.

#include "timing/goal_reduction.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "formats/goal/goal.h"
#include "graph/goal/goal_graph.h"
#include "timing/goal/rank_contraction.h"
#include "timing/goal/steps_walk.h"
#include "trace/goal/program.h"

namespace slackline {
namespace {

using Outcome = RankContraction::Outcome;

/// Latencies and overheads of a path are counted in 32 bits.
constexpr std::uint64_t kMostOperations = std::uint64_t{1} << 30;

/// The steps of all ranks as they come in, from several threads, and whether they suffice.
class RankCollector : public GoalBlockSink {
 public:
  void begin(std::uint32_t ranks) override {
    steps_.clear();
    steps_.resize(ranks);
    outcomes_.assign(ranks, Outcome::done);
    operations_ = 0;
  }

  void block(std::uint32_t rank, GoalRank& block) override {
    std::unique_ptr<RankContraction> contraction = borrow();
    outcomes_[rank] = contraction->contract(block, rank, steps_[rank]);
    operations_ += block.size();
    const std::lock_guard lock(idle_mutex_);
    idle_.push_back(std::move(contraction));
  }

  std::uint64_t operations() const { return operations_; }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(steps_.size()); }

  std::optional<ReducedLogGPS> walk(std::uint64_t eager_threshold_bytes, unsigned threads) {
    const bool all_done =
        std::ranges::all_of(outcomes_, [](Outcome o) { return o == Outcome::done; });
    {
      const std::lock_guard lock(idle_mutex_);
      idle_.clear();
    }
    if (operations_ >= kMostOperations || !all_done || !fits(eager_threshold_bytes))
      return std::nullopt;
    if (!join_messages(steps_, threads)) return std::nullopt;
    return StepsWalk(steps_).run();
  }

 private:
  bool fits(std::uint64_t eager_threshold_bytes) const {
    Int128 nanoseconds = 0;
    Int128 bytes = 0;
    std::uint64_t largest = 0;
    for (const RankSteps& rank : steps_) {
      nanoseconds += rank.nanoseconds;
      bytes += rank.bytes;
      largest = std::max(largest, rank.largest_message);
    }
    return nanoseconds < kMostCount && bytes < kMostCount && largest <= eager_threshold_bytes;
  }

  /// There are as many as threads, each with memory for the largest block.
  std::unique_ptr<RankContraction> borrow() {
    const std::lock_guard lock(idle_mutex_);
    if (idle_.empty()) return std::make_unique<RankContraction>();
    std::unique_ptr<RankContraction> contraction = std::move(idle_.back());
    idle_.pop_back();
    return contraction;
  }

  std::vector<RankSteps> steps_;
  std::vector<Outcome> outcomes_;
  std::atomic<std::uint64_t> operations_ = 0;
  std::mutex idle_mutex_;
  std::vector<std::unique_ptr<RankContraction>> idle_;
};

bool has_wildcards(const GoalProgram& program) {
  return std::ranges::any_of(program.ranks, [](const GoalRank& rank) {
    for (std::uint32_t i = 0; i < rank.size(); ++i) {
      if (rank.kind(i) == GoalKind::recv && (rank.peer(i) == kGoalAny || rank.tag(i) == kGoalAny)) {
        return true;
      }
    }
    return false;
  });
}

/// Gives each message a tag of its own, so that nothing is left to decide.
void resolve_messages(GoalProgram& program, const GoalMatches& matches) {
  for (std::uint32_t r = 0; r < program.ranks.size(); ++r) {
    for (std::uint32_t i = 0; i < program.ranks[r].size(); ++i) {
      const std::uint32_t number = matches.first(r) + i;
      const std::uint32_t partner = matches.partner(number);
      if (partner == GoalMatches::kNone) continue;
      const bool send = program.ranks[r].kind(i) == GoalKind::send;
      program.ranks[r].set_message(i, matches.rank_of(partner), send ? number : partner);
    }
  }
}

/// The program's blocks, as if they had been read.
void collect(GoalProgram& program, RankCollector& collector, unsigned threads) {
  collector.begin(static_cast<std::uint32_t>(program.ranks.size()));
  parallel_for(
      program.ranks.size(),
      [&](std::size_t r) { collector.block(static_cast<std::uint32_t>(r), program.ranks[r]); },
      threads);
}

}  // namespace

std::optional<ReducedLogGPS> reduce_goal_by_ranks(GoalProgram& program,
                                                  std::uint64_t eager_threshold_bytes,
                                                  unsigned threads) {
  RankCollector collector;
  collect(program, collector, threads);
  return collector.walk(eager_threshold_bytes, threads);
}

GoalReduction reduce_goal(GoalProgram program, std::string_view name, const GraphOptions& options,
                          unsigned threads) {
  GoalReduction result;
  if (has_wildcards(program)) {
    const GoalMatches matches(program, name, threads);
    result.findings = matches.findings();
    resolve_messages(program, matches);
  }
  result.reduced = reduce_goal_by_ranks(program, options.eager_threshold_bytes, threads);
  if (!result.reduced) result.reduced = reduce(build_goal_graph(program, name, options).graph);
  result.operations = program.operation_count();
  result.ranks = static_cast<std::uint32_t>(program.ranks.size());
  return result;
}

GoalReduction reduce_goal_text(std::string_view text, std::string_view name,
                               const GraphOptions& options, unsigned threads) {
  GoalReduction result;
  {
    RankCollector collector;
    read_goal_blocks(text, name, collector, threads);
    result.reduced = collector.walk(options.eager_threshold_bytes, threads);
    result.operations = collector.operations();
    result.ranks = collector.ranks();
  }
  if (result.reduced) return result;
  return reduce_goal(read_goal_text(text, name, threads), name, options, threads);
}

}  // namespace slackline
