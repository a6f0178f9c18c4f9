#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/message_queues.h"
#include "trace/goal/program.h"

namespace slackline {

/// Posted receives and unexpected messages of all ranks of a simulated GOAL program: each takes the
/// oldest of the other kind that fits, wildcards included. A receive with a wildcard waits on a
/// channel of its own, with kGoalAny as source or tag. Cost: O(1) expected; a receive with a
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
  struct Waiting : QueuedMessage {
    std::uint64_t number = 0;     // order of waiting
    std::uint32_t operation = 0;  // of the side that waits
  };

  static MessageChannel channel(std::uint32_t rank, std::uint32_t source, std::uint32_t tag);
  void wait(MessageId id, std::uint32_t operation);
  /// Forgets a message that is in no queue any more: the operation that waited.
  std::uint32_t end_wait(MessageId id);
  MessageId oldest_unexpected(const MessageChannel& wanted) const;
  MessageId oldest_receive(const MessageChannel& sent) const;

  MessageQueues<Waiting> queues_;
  std::vector<char> has_wildcards_;  // by rank
  std::uint64_t next_number_ = 0;
};

}  // namespace slackline
