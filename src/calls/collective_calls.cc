#include "calls/collective_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "calls/findings.h"

namespace slackline {
namespace {

bool moves_bytes(const Call& call) {
  return call.bytes > 0 || std::ranges::any_of(call.args, [](std::int64_t n) { return n > 0; });
}

class Assembly {
 public:
  Assembly(const Trace& trace, CollectiveCalls& out)
      : trace_(trace), out_(out), by_comm_(trace.communicators().size()) {}

  void run() {
    out_.of_rank.resize(static_cast<std::size_t>(trace_.ranks()));
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) walk(rank);
    for (const CollectiveInstance& c : out_.instances) {
      const std::uint32_t expected = capacity(c.comm);
      if (c.member_count == expected) continue;
      out_.findings.add(kCollectiveIncomplete,
                        fmt::format("{} on communicator {}: {} of {} ranks",
                                    identifier(c.operation), c.comm, c.member_count, expected));
    }
  }

 private:
  static constexpr std::uint32_t kNone = CollectiveCalls::kNone;

  void walk(std::int32_t rank) {
    const RankCalls& calls = trace_.calls(rank);
    auto& mine = out_.of_rank[static_cast<std::size_t>(rank)];
    sequence_.assign(by_comm_.size(), 0);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Operation operation = calls.operation(i);
      if (!joins_collective(operation)) continue;
      const auto call = static_cast<CallIndex>(i);
      mine.push_back(operation_class(operation) == OperationClass::environment
                         ? global(rank, call, operation == Operation::finalize)
                         : collective(rank, call, calls[i]));
    }
  }

  CollectiveCalls::Part collective(std::int32_t rank, CallIndex i, const Call& call) {
    if (call.comm >= by_comm_.size() || call.comm == kCommSelf) return {kNone, 0};
    const std::uint32_t k = sequence_[call.comm]++;
    auto& known = by_comm_[call.comm];
    const Operation operation = blocking_form(call.operation);
    if (k == known.size()) known.push_back(add_instance(operation, call.comm));
    CollectiveInstance& instance = out_.instances[known[k]];
    if (instance.operation != operation) {
      out_.findings.add(kCollectiveMismatch,
                        fmt::format("rank {}: {}, others {}", rank, identifier(operation),
                                    identifier(instance.operation)));
    }
    if (call.peer >= 0) instance.root = call.peer;
    return enter(known[k], {rank, i, kNoCall, moves_bytes(call)});
  }

  CollectiveCalls::Part global(std::int32_t rank, CallIndex i, bool finalize) {
    std::uint32_t& id = finalize ? finalize_ : init_;
    if (id == kNone) {
      id = add_instance(finalize ? Operation::finalize : Operation::init, kCommWorld);
    }
    return enter(id, {rank, i, kNoCall, false});
  }

  std::uint32_t capacity(std::uint32_t comm) const {
    const Communicator& c = trace_.communicators()[comm];
    if (comm == kCommWorld || c.members.empty()) return static_cast<std::uint32_t>(trace_.ranks());
    return static_cast<std::uint32_t>(c.members.size() + c.remote.size());
  }

  std::uint32_t add_instance(Operation operation, std::uint32_t comm) {
    CollectiveInstance instance;
    instance.operation = operation;
    instance.comm = comm;
    instance.first_member = static_cast<std::uint32_t>(out_.members.size());
    out_.members.resize(out_.members.size() + capacity(comm));
    out_.instances.push_back(instance);
    return static_cast<std::uint32_t>(out_.instances.size() - 1);
  }

  CollectiveCalls::Part enter(std::uint32_t id, const CollectiveMember& member) {
    CollectiveInstance& instance = out_.instances[id];
    if (instance.member_count == capacity(instance.comm)) return {kNone, 0};
    const std::uint32_t at = instance.first_member + instance.member_count++;
    out_.members[at] = member;
    return {id, at};
  }

  const Trace& trace_;
  CollectiveCalls& out_;
  std::vector<std::uint32_t> sequence_;
  std::vector<std::vector<std::uint32_t>> by_comm_;
  std::uint32_t init_ = kNone;
  std::uint32_t finalize_ = kNone;
};

}  // namespace

bool joins_collective(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::comm_create:
      return true;
    case OperationClass::environment:
      return operation != Operation::abort;
    default:
      return false;
  }
}

CollectiveCalls assemble_collectives(const Trace& trace) {
  CollectiveCalls out;
  Assembly(trace, out).run();
  return out;
}

}  // namespace slackline
