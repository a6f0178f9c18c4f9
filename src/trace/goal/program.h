#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/findings.h"
#include "base/large_pages.h"

namespace slackline {

/// What a GOAL operation does (Hoefler et al., "Group Operation Assembly Language", 2009).
enum class GoalKind : std::uint8_t { send, recv, calc };

/// A receive's source or tag that matches any.
inline constexpr std::uint32_t kGoalAny = 0xffffffffu;

struct GoalOperation {
  GoalKind kind = GoalKind::calc;
  std::uint8_t cpu = 0;
  std::uint8_t nic = 0;
  std::uint32_t peer = 0;  ///< destination or source; of receives also kGoalAny
  std::uint32_t tag = 0;   ///< of receives also kGoalAny
  std::uint64_t size = 0;  ///< calc: duration in ns (or whatever the file counts); else bytes

  bool operator==(const GoalOperation&) const = default;
};

/// `dependent` must wait for `on`, another operation of its rank. 8 bytes.
struct GoalDependency {
  std::uint32_t dependent;
  std::uint32_t on : 31;
  std::uint32_t on_start : 1;  ///< `irequires`: the other has started; else it is done

  bool operator==(const GoalDependency&) const = default;
};

/// One rank's block: operations and dependencies, both in the order of the file. (The order of the
/// dependencies decides ties in LogGOPSim.) 16 bytes an operation and 8 a dependency.
class GoalRank {
 public:
  static constexpr std::uint32_t kMostOperations = (1u << 31) - 1;

  std::uint32_t size() const { return static_cast<std::uint32_t>(operations_.size()); }
  GoalOperation operator[](std::uint32_t i) const {
    const Packed& p = operations_[i];
    return {.kind = p.kind,
            .cpu = p.cpu,
            .nic = p.nic,
            .peer = p.peer,
            .tag = p.tag,
            .size = operation_size(i)};
  }
  GoalKind kind(std::uint32_t i) const { return operations_[i].kind; }
  std::uint32_t peer(std::uint32_t i) const { return operations_[i].peer; }
  std::uint32_t tag(std::uint32_t i) const { return operations_[i].tag; }
  std::uint64_t operation_size(std::uint32_t i) const {
    const Packed& p = operations_[i];
    return p.wide != 0 ? wide_sizes_[p.size] : p.size;
  }
  std::span<const GoalDependency> dependencies() const { return dependencies_; }

  /// Room for that many; memory that is not used is not touched.
  void reserve(std::size_t operations, std::size_t dependencies) {
    operations_.reserve(operations);
    dependencies_.reserve(dependencies);
  }
  /// Returns the operation's index. At most kMostOperations.
  std::uint32_t add(const GoalOperation& operation) {
    if (size() >= kMostOperations) {
      expects(false, "a GOAL rank block has fewer than two billion operations");
    }
    const bool wide = operation.size > 0xffffffffu;
    const auto size_field = static_cast<std::uint32_t>(wide ? wide_sizes_.size() : operation.size);
    if (wide) wide_sizes_.push_back(operation.size);
    operations_.push_back({.size = size_field,
                           .peer = operation.peer,
                           .tag = operation.tag,
                           .kind = operation.kind,
                           .cpu = operation.cpu,
                           .nic = operation.nic,
                           .wide = static_cast<std::uint8_t>(wide)});
    return size() - 1;
  }
  void add_dependency(std::uint32_t dependent, std::uint32_t on, bool on_start) {
    dependencies_.push_back({dependent, on & kMostOperations, on_start});
  }
  /// By dependent, each one's in the order of the file. (A program for LogGOPSim must not: ties.)
  void sort_dependencies();
  /// Gives back what growth left over.
  void shrink();
  /// Changes which messages a send or receive is of.
  void set_message(std::uint32_t i, std::uint32_t peer, std::uint32_t tag) {
    operations_[i].peer = peer;
    operations_[i].tag = tag;
  }
  /// Empties it and keeps its memory.
  void clear() {
    operations_.clear();
    wide_sizes_.clear();
    dependencies_.clear();
  }

 private:
  struct Packed {
    std::uint32_t size;  // or index into wide_sizes_
    std::uint32_t peer;
    std::uint32_t tag;
    GoalKind kind;
    std::uint8_t cpu;
    std::uint8_t nic;
    std::uint8_t wide;
  };

  BigVector<Packed> operations_;
  std::vector<std::uint64_t> wide_sizes_;
  BigVector<GoalDependency> dependencies_;
};

/// The dependencies of one rank by operation, each list in the order of the file.
/// 4 bytes an operation and 4 a dependency.
class GoalAdjacency {
 public:
  struct Entry {
    std::uint32_t operation : 31;
    std::uint32_t on_start : 1;
  };

  static GoalAdjacency predecessors(const GoalRank& rank);
  static GoalAdjacency successors(const GoalRank& rank);

  std::span<const Entry> of(std::uint32_t operation) const {
    return {entries_.data() + first_[operation], entries_.data() + first_[operation + 1]};
  }

 private:
  template <class Key, class Value>
  static GoalAdjacency by(const GoalRank& rank, Key key, Value value);

  std::vector<std::uint32_t> first_;
  std::vector<Entry> entries_;
};

/// A GOAL file: what every rank does, as a graph and not as a list. (A Trace is one order of it:
/// trace/goal/linearise.h.)
struct GoalProgram {
  std::vector<GoalRank> ranks;

  std::uint64_t operation_count() const;
};

/// Which send each receive of a GOAL program gets, and the other way round. Operations are numbered
/// over all ranks. 4 bytes an operation.
class GoalMatches {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  /// Matches in the order of the file: the n-th receive from a source and tag gets the n-th send
  /// from there with that tag. Receives with wildcards come after all others and take, of what is
  /// left, what is earliest in its sender's block; who comes first in a run depends on time, and
  /// the findings say how many there are. Throws Error when something has no partner: how many,
  /// and the first few.
  GoalMatches(const GoalProgram& program, std::string_view name, unsigned threads = 0);

  std::uint32_t first(std::uint32_t rank) const { return first_[rank]; }
  std::uint32_t operation_count() const { return first_.back(); }
  std::uint32_t rank_of(std::uint32_t operation) const;
  /// The operation that sends to or receives from `operation`; kNone for a calc.
  std::uint32_t partner(std::uint32_t operation) const { return partner_[operation]; }
  const Findings& findings() const { return findings_; }

 private:
  std::vector<std::uint32_t> first_;  // of each rank, and one past the end
  std::vector<std::uint32_t> partner_;
  Findings findings_;
};

}  // namespace slackline
