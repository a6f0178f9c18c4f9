#include "calls/call_dependences.h"

#include <algorithm>

#include "base/flat_map.h"
#include "trace/communicator_makers.h"

namespace slackline {
namespace {

using Shape = CallDependences::Shape;

Shape shape_of(Operation operation) {
  switch (operation) {
    case Operation::barrier:
    case Operation::allreduce:
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return Shape::all_to_all;
    case Operation::bcast:
    case Operation::scatter:
    case Operation::scatterv:
      return Shape::root_to_all;
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
      return Shape::all_to_root;
    default:
      return Shape::none;
  }
}

// The k-th collective of a communicator.
struct InstanceKey {
  std::uint32_t comm = 0;
  std::uint32_t sequence = 0;
  bool operator==(const InstanceKey&) const = default;
};

struct KeyHash {
  std::uint64_t operator()(const InstanceKey& k) const {
    return mix_bits(std::uint64_t{k.comm} << 32 | k.sequence);
  }
  std::uint64_t operator()(std::uint32_t comm) const { return mix_bits(comm); }
};

bool is_collective(Operation operation) {
  const OperationClass c = operation_class(operation);
  return c == OperationClass::collective || c == OperationClass::icollective ||
         c == OperationClass::comm_create;
}

/// May some member leave before another one has come, as it gets nothing of it? Of collectives that
/// have a shape.
bool has_empty_parts(const Trace& trace, std::int32_t rank, const Call& call) {
  switch (call.operation) {
    case Operation::barrier:
      return false;
    case Operation::alltoallv:
    case Operation::alltoallw: {
      const auto received = call.args.subspan(call.args.size() / 2);
      const auto own = static_cast<std::size_t>(trace.rank_in(call.comm, rank));
      bool empty = call.bytes == 0;
      for (std::size_t i = 0; i < received.size(); ++i) empty |= i != own && received[i] == 0;
      return empty;
    }
    default:
      return call.bytes == 0;
  }
}

}  // namespace

CallDependences::CallDependences(const Trace& trace)
    : messages_(static_cast<std::size_t>(trace.ranks())),
      memberships_(static_cast<std::size_t>(trace.ranks())) {
  add_messages(trace);
  add_collectives(trace);
}

void CallDependences::add_messages(const Trace& trace) {
  const auto pairs = pair_messages(trace);
  for (std::size_t to = 0; to < pairs.size(); ++to) {
    for (const MessagePair& pair : pairs[to]) {
      if (pair.done == MessagePair::kNeverCompleted) continue;
      messages_[to].push_back({pair.done, pair.source, pair.send});
    }
    std::ranges::stable_sort(messages_[to], {}, &Message::call);
  }
}

void CallDependences::add_collectives(const Trace& trace) {
  FlatMap<InstanceKey, std::uint32_t, KeyHash> ids;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    FlatMap<std::uint32_t, std::uint32_t, KeyHash> sequence;
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!is_collective(calls.operation(i))) continue;
      const Call call = calls[i];
      const std::uint32_t comm = collective_comm(call);
      if (comm == kCommSelf || comm >= trace.communicators().size()) continue;
      const InstanceKey key{comm, sequence[comm]++};
      if (trace.communicators()[comm].is_inter()) continue;
      const std::uint32_t* found = ids.find(key);
      const auto id = found != nullptr ? *found : static_cast<std::uint32_t>(collectives_.size());
      if (found == nullptr) {
        ids[key] = id;
        collectives_.push_back({shape_of(call.operation), call.operation, call.peer, {}});
      }
      Collective& collective = collectives_[id];
      // Ranks that do not agree on what it is have lost count; then it orders nothing.
      if (collective.operation != call.operation || collective.root != call.peer) {
        collective.shape = Shape::none;
      }
      if (collective.shape != Shape::none && has_empty_parts(trace, rank, call)) {
        collective.shape = Shape::none;
      }
      const auto at = static_cast<std::uint32_t>(i);
      collective.members.push_back({rank, at});
      memberships_[static_cast<std::size_t>(rank)].push_back({at, id});
    }
  }
}

std::uint32_t CallDependences::collective_of(std::int32_t rank, std::uint32_t call) const {
  const auto& list = memberships_[static_cast<std::size_t>(rank)];
  const auto found = std::ranges::lower_bound(list, call, {}, &Membership::call);
  if (found == list.end() || found->call != call) return kNoCollective;
  return collectives_[found->collective].shape == Shape::none ? kNoCollective : found->collective;
}

}  // namespace slackline
