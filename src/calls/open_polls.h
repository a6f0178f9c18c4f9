#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "calls/call_actions.h"
#include "trace/operation_kinds.h"
#include "trace/rank_calls.h"

namespace slackline {

/// Polls of one rank that found nothing (MPI_Test and its kind, MPI_Iprobe, MPI_Improbe), each with
/// something that is kept of it, until a call succeeds for the same requests or the same message.
/// They are grouped by what ends them, so that a call takes the time of those that it ends.
template <class Kept>
class OpenPolls {
 public:
  static bool fails(const Call& call) {
    return is_poll(call.operation) && call.has(SLK_FLAG_FAILED);
  }

  bool empty() const { return open_.empty(); }

  /// A call that fails.
  void add(const Call& call, const Kept& kept) { open_[key_of(call)].push_back({added_++, kept}); }

  /// Calls visit(kept) for all that nothing has ended, in no particular order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, polls] : open_) {
      for (const Poll& poll : polls) visit(poll.kept);
    }
  }

  /// Whether an operation can be what a poll waited for.
  static bool may_end(Operation operation) {
    const OperationClass kind = operation_class(operation);
    return kind == OperationClass::completion || kind == OperationClass::probe ||
           kind == OperationClass::recv;
  }

  /// Removes the polls that waited for what this call, of such an operation, has found; in order.
  std::vector<Kept> take_ended_by(const Call& call) {
    std::vector<Poll> ended;
    if (empty() || call.has(SLK_FLAG_FAILED)) return {};
    if (operation_class(call.operation) == OperationClass::completion) {
      for_each_completed_request(
          call, [&](std::uint32_t serial) { take(of_request(call, serial), ended); });
      for (const Operation operation : kTests) {
        if (call.operation != operation && is_test(call.operation)) continue;
        take(of_operation(call, operation), ended);
      }
    } else {
      for (const bool any_source : {false, true}) {
        for (const bool any_tag : {false, true}) {
          take(of_message(call, any_source, any_tag), ended);
        }
      }
    }
    std::ranges::sort(ended, {}, &Poll::number);
    std::vector<Kept> kept;
    for (Poll& poll : ended) kept.push_back(std::move(poll.kept));
    return kept;
  }

 private:
  static constexpr std::array kTests{Operation::test, Operation::testany, Operation::testsome,
                                     Operation::testall};

  struct Poll {
    std::size_t number;  // in the order in which they were added
    Kept kept;
  };
  /// What polls wait for: a request, any of several that are not known, or a message.
  enum class Awaited : std::uint8_t { request, requests, message };
  struct Key {
    Awaited awaited;
    std::uint16_t thread;
    std::uint32_t what;  // the request, the operation, or the communicator
    std::int32_t peer = 0, tag = 0;
    bool any_source = false, any_tag = false;

    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::size_t hash = static_cast<std::size_t>(key.awaited);
      for (const std::uint64_t part :
           {std::uint64_t{key.thread}, std::uint64_t{key.what},
            static_cast<std::uint64_t>(std::uint32_t(key.peer)) << 32 | std::uint32_t(key.tag),
            std::uint64_t{key.any_source} * 2 + std::uint64_t{key.any_tag}}) {
        hash = (hash ^ std::hash<std::uint64_t>{}(part)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };

  static Key of_request(const Call& call, std::uint32_t request) {
    return {.awaited = Awaited::request, .thread = call.thread, .what = request};
  }
  static Key of_operation(const Call& call, Operation operation) {
    return {.awaited = Awaited::requests,
            .thread = call.thread,
            .what = static_cast<std::uint32_t>(operation)};
  }
  static Key of_message(const Call& call, bool any_source, bool any_tag) {
    return {.awaited = Awaited::message,
            .thread = call.thread,
            .what = call.comm,
            .peer = any_source ? 0 : call.peer,
            .tag = any_tag ? 0 : call.tag,
            .any_source = any_source,
            .any_tag = any_tag};
  }
  static Key key_of(const Call& poll) {
    if (!is_test(poll.operation)) {
      return of_message(poll, poll.has(SLK_FLAG_ANY_SOURCE) || poll.peer < 0,
                        poll.has(SLK_FLAG_ANY_TAG) || poll.tag == kTagAny);
    }
    return poll.request != kRequestNone ? of_request(poll, poll.request)
                                        : of_operation(poll, poll.operation);
  }

  void take(const Key& key, std::vector<Poll>& ended) {
    const auto found = open_.find(key);
    if (found == open_.end()) return;
    std::ranges::move(found->second, std::back_inserter(ended));
    open_.erase(found);
  }

  std::unordered_map<Key, std::vector<Poll>, KeyHash> open_;
  std::size_t added_ = 0;
};

}  // namespace slackline
