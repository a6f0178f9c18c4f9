#include "formats/paraver/event_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/flat_map.h"
#include "formats/paraver/findings.h"

namespace slackline::paraver {
namespace {

struct CommHash {
  std::uint64_t operator()(std::uint32_t comm) const { return mix_bits(comm); }
};

using Roots = FlatMap<std::uint32_t, std::vector<std::int32_t>, CommHash>;

// Calls visit(i, comm, k) for the k-th rooted collective of communicator comm, call i.
template <class Visit>
void for_each_rooted(const RankCalls& calls, Visit visit) {
  FlatMap<std::uint32_t, std::size_t, CommHash> count;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!has_root(calls.operation(i))) continue;
    const std::uint32_t comm = calls[i].comm;
    visit(i, comm, count[comm]++);
  }
}

Roots known_roots(const Trace& trace) {
  Roots roots;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    for_each_rooted(trace.calls(rank), [&](std::size_t i, std::uint32_t comm, std::size_t k) {
      if (trace.calls(rank)[i].peer != rank || comm == kCommSelf) return;
      std::vector<std::int32_t>& of_comm = roots[comm];
      if (of_comm.size() <= k) of_comm.resize(k + 1, kPeerNone);
      of_comm[k] = rank;
    });
  }
  return roots;
}

void resolve_roots(TraceBuilder& trace) {
  Roots roots = known_roots(trace);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    RankCallsBuilder& calls = trace.calls(rank);
    for_each_rooted(calls, [&](std::size_t i, std::uint32_t comm, std::size_t k) {
      const std::vector<std::int32_t>* of_comm = roots.find(comm);
      std::int32_t root = of_comm != nullptr && k < of_comm->size() ? (*of_comm)[k] : kPeerNone;
      if (comm == kCommSelf) root = rank;
      const Call call = calls[i];
      if (root == kPeerNone) {
        const bool known = comm < trace.communicators().size();
        root = known ? trace.communicators()[comm].members.front() : 0;
        trace.findings().add(kRootGuessed, fmt::format("rank {}: {} at {} ns", rank,
                                                       mpi_name(call.operation), call.begin_ns));
      }
      calls.resolve(i, root, call.tag, call.bytes);
    });
  }
}

std::vector<Operation> creations(const RankCalls& calls) {
  std::vector<Operation> found;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (operation_class(calls.operation(i)) == OperationClass::comm_create) {
      found.push_back(calls.operation(i));
    }
  }
  return found;
}

void resolve_creations(TraceBuilder& trace) {
  const std::vector<Operation> first = creations(trace.calls(0));
  bool same = true;
  for (std::int32_t rank = 1; same && rank < trace.ranks(); ++rank) {
    same = creations(trace.calls(rank)) == first;
  }
  if (same) return;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    RankCallsBuilder& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (operation_class(calls.operation(i)) != OperationClass::comm_create) continue;
      calls.set_comm(i, kCommSelf);
      trace.findings().add(kCommCreation);
    }
  }
}

}  // namespace

// Extrae tells of gather and allgather what one rank contributes and what the receiver gets from
// all; of scatter the reverse; of alltoall one block (some versions: all of what is received).
std::uint64_t collective_bytes(Operation operation, std::uint64_t sent, std::uint64_t received,
                               std::size_t members) {
  const std::uint64_t n = std::max<std::size_t>(1, members);
  switch (blocking_form(operation)) {
    case Operation::gather:
    case Operation::gatherv:
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::neighbor_allgather:
      return sent > 0 ? sent : received / n;
    case Operation::scatter:
    case Operation::scatterv:
      return received > 0 ? received : sent / n;
    case Operation::alltoall:
      return sent > 0 ? sent : received / n;
    case Operation::alltoallv:
    case Operation::alltoallw:
      return sent;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return received > 0 ? received : sent / n;
    case Operation::barrier:
      return 0;
    default:
      return std::max(sent, received);
  }
}

void resolve_collectives(TraceBuilder& trace) {
  resolve_roots(trace);
  resolve_creations(trace);
}

}  // namespace slackline::paraver
