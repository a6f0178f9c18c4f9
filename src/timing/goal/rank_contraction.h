#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/large_pages.h"
#include "timing/goal/rank_steps.h"
#include "trace/goal/program.h"

namespace slackline {

/// One rank's block in an order in which each operation comes after what it requires.
class GoalBlockOrder {
 public:
  /// `rank`: its dependencies sorted by dependent.
  explicit GoalBlockOrder(const GoalRank& rank);

  /// False: the block's dependencies run in a circle.
  bool exists() const { return exists_; }
  bool is_that_of_the_block() const { return order_.empty(); }
  std::uint32_t operation(std::uint32_t k) const { return order_.empty() ? k : order_[k]; }
  /// Index of its first dependency. `next`: the answer if the block's own order is taken.
  std::uint32_t first_dependency(std::uint32_t operation, std::uint32_t next) const {
    return order_.empty() ? next : first_[operation];
  }

 private:
  bool search(const GoalRank& rank, std::uint32_t root, std::vector<char>& state);

  std::vector<std::uint32_t> order_;  // empty: as in the block
  std::vector<std::uint32_t> first_;
  bool exists_ = true;
};

/// Contracts rank blocks one after the other (see rank_contraction.cc), for messages that are all
/// eager. Keeps its memory from one block to the next: some 50 bytes an operation of the largest.
class RankContraction {
 public:
  enum class Outcome : std::uint8_t {
    done,
    wildcards,  ///< a receive takes from anybody, or any tag: which message is not known here
    circle,     ///< the block's dependencies run in one
    too_large,  ///< sums might not fit in 61 bits
  };

  /// Sorts the block's dependencies. O(operations + dependencies + terms that it copies).
  Outcome contract(GoalRank& block, std::uint32_t rank, RankSteps& steps);

 private:
  static constexpr std::uint32_t kNoTerm = 0xffffffffu;
  struct Term {
    LogGPSForm form;
    std::uint32_t source;
    std::uint32_t before = kNoTerm;  // of the same source, among those that are open
  };
  /// When an operation ends or starts: one term, and perhaps more.
  struct Value {
    LogGPSForm form;
    std::uint32_t source;
    std::uint32_t more;  // 0, RankSteps::kMessage + a receive, or 1 + index into lists_
  };
  struct List {
    std::uint32_t begin;
    std::uint32_t count;
  };

  Outcome scan_operations();
  void number_messages();
  void prepare();
  void evaluate(std::uint32_t operation, std::span<const GoalDependency> dependencies);
  void receive(std::uint32_t operation, Value& value);
  void send(std::uint32_t operation, Value& value);
  std::uint32_t number_of(GoalChannelIds& ids, std::vector<RankSteps::Channel>& channels,
                          const GoalChannel& name);
  const Value& available(const GoalDependency& dependency);
  void after(std::span<const GoalDependency> dependencies, const LogGPSForm& cost,
             std::uint32_t uses, Value& result);

  void open();
  void add(const Value& value, const LogGPSForm& cost);
  void add_message(std::uint32_t source, const LogGPSForm& form);
  void add_local(const Term& term, const LogGPSForm& cost);
  void close(std::uint32_t uses, Value& result);
  void close_as_step(Value& result);
  void make_single(Value& value);
  void use(std::uint32_t source) {
    if (source > 0 && source < RankSteps::kMessage) ++steps_->uses[source - 1];
  }

  void note_end(const Value& value);
  void end_block();
  void sort_sends();

  bool waits_for_start(const GoalDependency& d) const {
    return d.on_start != 0 && block_->kind(d.on) != GoalKind::send;
  }

  const GoalRank* block_ = nullptr;
  std::uint32_t rank_ = 0;
  RankSteps* steps_ = nullptr;
  BigVector<std::uint32_t> uses_;          // of each operation's end
  std::vector<std::uint32_t> start_uses_;  // of its start; empty: nobody waits for any
  BigVector<Value> values_;
  std::vector<Value> starts_;
  std::vector<List> lists_;
  std::vector<Term> list_terms_;
  BigVector<std::uint32_t> channel_of_;  // of each send
  PackedEdges sent_;                     // in the order of the block
  std::uint32_t next_send_ = 0;
  std::uint32_t next_receive_ = 0;
  std::vector<std::uint32_t> message_numbers_;  // of each operation; empty: they come in order
  std::vector<std::uint32_t> unused_receives_;
  std::vector<Value> ends_;
  GoalChannelIds from_ids_;

  struct LastOfSource {
    std::uint32_t round = 0;
    std::uint32_t term = 0;
  };
  std::vector<Term> terms_;  // of what is open
  bool has_message_ = false;
  std::vector<LastOfSource> last_of_source_;
  std::uint32_t round_ = 0;
};

}  // namespace slackline
