#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "trace/goal/program.h"

namespace slackline {

/// Posted receives and unexpected messages of all ranks of a simulated GOAL program: each takes the
/// oldest of the other kind that fits, wildcards included. Cost: O(1) expected; a receive with a
/// wildcard O(queues).
class LogGOPSMatching {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Arrival {
    std::uint32_t source = 0;
    std::uint32_t send = 0;
    bool found = false;
  };

  explicit LogGOPSMatching(const GoalProgram& program);

  /// Posts a receive, which is operation `operation` of `rank`. Returns the message that it gets,
  /// or `found` is false and it waits.
  Arrival post(std::uint32_t rank, std::uint32_t operation, const GoalOperation& receive);
  /// A message from `source` (its operation `send`) arrives at `rank`. Returns the receive that
  /// gets it, or kNone, and it waits.
  std::uint32_t arrive(std::uint32_t rank, std::uint32_t source, std::uint32_t send,
                       const GoalOperation& sent);
  /// Throws Error, which counts them and names the first few, when receives or messages still wait.
  void require_empty(std::string_view name) const;

 private:
  struct Waiting {
    std::uint64_t number;  // order of waiting
    std::uint32_t rank;
    std::uint32_t source;  // kGoalAny in a receive: any
    std::uint32_t tag;
    std::uint32_t operation;  // receive or send
    std::uint32_t next;
    bool receive;
  };
  struct Key {
    std::uint32_t rank = 0;
    std::uint32_t source = 0;
    std::uint32_t tag = 0;
    bool receive = false;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::uint64_t operator()(const Key& k) const {
      return mix_bits((std::uint64_t{k.rank} << 32 | k.source) ^
                      mix_bits(std::uint64_t{k.tag} << 1 | (k.receive ? 1u : 0u)));
    }
  };
  struct Queue {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
  };

  void push(const Key& key, std::uint32_t operation);
  /// Takes the first of a queue; kNone if there is none.
  std::uint32_t pop(const Key& key);
  const Waiting* front(const Key& key);
  Key oldest_unexpected(std::uint32_t rank, std::uint32_t source, std::uint32_t tag);

  FlatMap<Key, Queue, KeyHash> queues_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> free_;
  std::vector<char> has_wildcards_;  // by rank
  std::uint64_t next_number_ = 0;
  std::uint64_t waiting_count_ = 0;
};

}  // namespace slackline
