#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/call_actions.h"
#include "trace/operation_kinds.h"
#include "trace/rank_calls.h"

namespace slackline {

/// Polls of one rank that found nothing (MPI_Test and its kind, MPI_Iprobe, MPI_Improbe), each with
/// something that is kept of it, until a call succeeds for the same requests or the same message.
template <class Kept>
class OpenPolls {
 public:
  static bool fails(const Call& call) {
    return is_poll(call.operation) && call.has(SLK_FLAG_FAILED);
  }

  bool empty() const { return open_.empty(); }

  /// A call that fails. Of too many the oldest is forgotten.
  void add(const Call& call, const Kept& kept) {
    if (open_.size() == kMostOpen) open_.erase(open_.begin());
    open_.push_back({.operation = call.operation,
                     .thread = call.thread,
                     .request = call.request,
                     .peer = call.peer,
                     .tag = call.tag,
                     .comm = call.comm,
                     .any_source = call.has(SLK_FLAG_ANY_SOURCE) || call.peer < 0,
                     .any_tag = call.has(SLK_FLAG_ANY_TAG) || call.tag == kTagAny,
                     .kept = kept});
  }

  /// Whether an operation can be what a poll waited for.
  static bool may_end(Operation operation) {
    const OperationClass kind = operation_class(operation);
    return kind == OperationClass::completion || kind == OperationClass::probe ||
           kind == OperationClass::recv;
  }

  /// Removes the polls that waited for what this call, of such an operation, has found; in order.
  std::vector<Kept> take_ended_by(const Call& call) {
    std::vector<Kept> ended;
    std::erase_if(open_, [&](const Poll& poll) {
      if (!ends(poll, call)) return false;
      ended.push_back(poll.kept);
      return true;
    });
    return ended;
  }

 private:
  static constexpr std::size_t kMostOpen = 4096;

  struct Poll {
    Operation operation;
    std::uint16_t thread;
    std::uint32_t request;  // kRequestNone: several, or not known
    std::int32_t peer, tag;
    std::uint32_t comm;
    bool any_source, any_tag;
    Kept kept;
  };

  static bool completes(const Call& call, std::uint32_t request) {
    bool found = false;
    for_each_completed_request(call, [&](std::uint32_t serial) { found |= serial == request; });
    return found;
  }

  static bool ends(const Poll& poll, const Call& call) {
    if (call.thread != poll.thread || call.has(SLK_FLAG_FAILED)) return false;
    const bool completion = operation_class(call.operation) == OperationClass::completion;
    if (is_test(poll.operation) != completion) return false;
    if (!completion) {
      return call.comm == poll.comm && (poll.any_source || call.peer == poll.peer) &&
             (poll.any_tag || call.tag == poll.tag);
    }
    if (poll.request != kRequestNone) return completes(call, poll.request);
    return call.operation == poll.operation || !is_test(call.operation);
  }

  std::vector<Poll> open_;
};

}  // namespace slackline
