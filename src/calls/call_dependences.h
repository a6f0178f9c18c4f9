#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "calls/message_pairs.h"
#include "trace/trace.h"

namespace slackline {

/// What must have begun before a call can end: the sends of what it receives, and the members that
/// a collective needs. Blocking collectives only.
class CallDependences {
 public:
  /// The end of call `call` waits for the begin of call `source_call` of rank `source`.
  struct Message {
    std::uint32_t call;
    std::int32_t source;
    std::uint32_t source_call;
  };
  struct Member {
    std::int32_t rank;
    std::uint32_t call;
  };
  enum class Shape { none, all_to_all, root_to_all, all_to_root };
  struct Collective {
    Shape shape = Shape::none;
    Operation operation = Operation::none;
    std::int32_t root = kPeerNone;
    std::vector<Member> members;
  };
  static constexpr std::uint32_t kNoCollective = UINT32_MAX;

  explicit CallDependences(const Trace& trace);

  /// Of one rank, in order of `call`.
  std::span<const Message> messages(std::int32_t rank) const {
    return messages_[static_cast<std::size_t>(rank)];
  }
  /// Which collective call `call` of `rank` belongs to.
  std::uint32_t collective_of(std::int32_t rank, std::uint32_t call) const;
  const std::vector<Collective>& collectives() const { return collectives_; }

 private:
  struct Membership {
    std::uint32_t call;
    std::uint32_t collective;
  };

  void add_messages(const Trace& trace);
  void add_collectives(const Trace& trace);

  std::vector<std::vector<Message>> messages_;
  std::vector<std::vector<Membership>> memberships_;  // by rank, in order of call
  std::vector<Collective> collectives_;
};

}  // namespace slackline
