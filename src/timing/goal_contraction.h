#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "timing/contraction.h"
#include "timing/reduced_graph.h"
#include "trace/goal/match.h"
#include "trace/goal/program.h"

namespace slackline {

/// One rank's block in an order in which each operation comes after what it requires.
class GoalBlockOrder {
 public:
  /// `rank`: its dependencies sorted by dependent.
  explicit GoalBlockOrder(const GoalRank& rank);

  /// False: the block's dependencies run in a circle.
  bool exists() const { return exists_; }
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

/// Contracts a GOAL program of eager messages (see goal_contraction.cc).
class GoalContraction {
 public:
  /// All must live on; dependencies are sorted by dependent, and orders exist.
  GoalContraction(const GoalProgram& program, const GoalMatches& matches,
                  const std::vector<GoalBlockOrder>& orders, unsigned threads);

  /// Empty when ranks get in each other's way: a graph has to be built.
  std::optional<ReducedLogGPS> run();

 private:
  using Core = Contraction<LogGPSForm, ReducedLogGPSWriter>;
  using Value = Core::Value;

  /// How far a rank has come.
  struct Progress {
    std::uint32_t next = 0;           // operation of its order
    std::uint32_t dependency = 0;     // first one of it
    std::uint32_t available = 0;      // so many of its dependencies have a value
    bool running = false;             // or waiting for a rank that runs
    std::vector<std::uint32_t> ends;  // operations for whose end nothing waits
    std::size_t fold_at = 64;         // many ends become one value
    std::optional<Value> folded;
  };
  struct Run {
    std::uint32_t rank;
    std::uint32_t until;  // this send is evaluated
  };
  enum class Advance : std::uint8_t { reached, blocked };

  // Of each operation first the number of its uses, then its value.
  static constexpr std::uint32_t kValueBits = 30;
  static constexpr std::uint32_t kLow = (1u << kValueBits) - 1;
  static constexpr std::uint32_t kPosted = 1u << kValueBits;  // a receive without its message
  static constexpr std::uint32_t kDone = 2u << kValueBits;

  void count_uses(std::uint32_t rank);
  bool follow(std::uint32_t rank);
  Advance advance(const Run& run);
  bool make_available(std::uint32_t rank, const GoalDependency& dependency);
  void evaluate(std::uint32_t rank, std::uint32_t operation,
                std::span<const GoalDependency> dependencies);
  Value start_value(std::uint32_t rank, std::span<const GoalDependency> dependencies,
                    std::uint32_t uses);
  Value local_value(std::uint32_t rank, std::span<const GoalDependency> dependencies,
                    const LogGPSForm& cost, std::uint32_t uses);
  void open_local(std::uint32_t rank, std::span<const GoalDependency> dependencies,
                  const LogGPSForm& cost);
  void from_message(std::uint32_t rank, std::uint32_t receive);
  std::uint32_t source_of(std::uint32_t rank, std::uint32_t receive) const;
  bool complete(std::uint32_t rank, std::uint32_t receive);
  void note_end(std::uint32_t rank, std::uint32_t number);
  Value end_of(std::uint32_t rank);

  bool waits_for_start(std::uint32_t rank, const GoalDependency& d) const {
    return d.on_start != 0 && program_.ranks[rank].kind(d.on) != GoalKind::send;
  }
  Value value_of(std::uint32_t rank, const GoalDependency& d) const {
    const std::uint32_t n = matches_.first(rank) + d.on;
    return (waits_for_start(rank, d) ? start_[n] : state_[n]) & kLow;
  }
  bool is_done(std::uint32_t number) const { return (state_[number] & kDone) != 0; }

  const GoalProgram& program_;
  const GoalMatches& matches_;
  const std::vector<GoalBlockOrder>& orders_;
  std::vector<std::uint32_t> state_;        // of each operation's end
  std::vector<std::uint32_t> start_;        // of its start, where somebody waits for one
  std::vector<std::uint32_t> posted_uses_;  // of receives without their message, by value
  std::vector<Progress> progress_;
  std::uint32_t wanted_ = 0;  // send that a blocked rank needs
  std::uint32_t wanted_from_ = 0;
  std::vector<Run> stack_;
  ReducedLogGPSWriter writer_;
  Core core_;
};

}  // namespace slackline
