#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_COLLECTIVE_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_COLLECTIVE_H

#include "hooks/persistent.h"
#include "hooks/point_to_point.h"

namespace slackline::record {

inline constexpr int kNoRoot = -1000000;

/// What a collective's record says, but for its per-rank arguments.
struct Collective {
  Communicator* comm = nullptr;
  int root = kNoRoot;
  std::uint64_t bytes = 0;
  std::uint64_t element = 0;
  bool in_place = false;
  bool commutes = true;
};

inline void fill(slk_record* r, const Collective& c) {
  r->comm = comm_id(c.comm);
  r->peer = c.root == kNoRoot ? SLK_PEER_NONE : peer_of(c.root);
  r->bytes = c.bytes;
  r->tag = static_cast<std::int32_t>(c.element);
  r->flags = static_cast<std::uint8_t>(
      (c.in_place ? SLK_FLAG_IN_PLACE : 0) | (c.commutes ? 0 : SLK_FLAG_NON_COMMUTATIVE) |
      (c.comm != nullptr && c.comm->inter ? SLK_FLAG_INTERCOMM : 0));
}

// Blocking and nonblocking forms differ in the request only.
inline void announce(slk_record*, Request&, NoRequest) {}
template <class Requests>
void announce(slk_record* r, Request& entry, const Requests&) {
  entry.active = true;
  entry.serial = new_serial();
  entry.comm = r->comm;
  r->request = entry.serial;
}
inline void keep(const Request&, NoRequest) {}
template <class Requests>
void keep(const Request& entry, const Requests& requests) {
  remember(requests, entry);
}

/// `at(i)` gives the i-th of n arguments of the record.
template <class Requests, class At, class Call>
int collective(Thread& t, std::uint8_t op, const Collective& what, std::size_t n, At at,
               Requests requests, Call call) {
  slk_record* r = t.open(op);
  fill(r, what);
  Request entry;
  announce(r, entry, requests);
  const int rc = measured(t, call);
  if (rc == MPI_SUCCESS) keep(entry, requests);
  if (refused(rc)) {
    t.discard();
  } else if (n == 0) {
    t.close();
  } else {
    t.close_with(n, at);
  }
  return rc;
}

/// The persistent form: nothing is communicated yet, but what every start will do is known.
template <class Requests, class At, class Call>
int collective(Thread& t, std::uint8_t op, const Collective& what, std::size_t n, At at,
               const Persistent<Requests>& persistent, Call call) {
  slk_record* r = t.open(op);
  fill(r, what);
  const int rc = measured(t, call);
  if (rc == MPI_SUCCESS) {
    slk_record started = *t.record();
    started.op = persistent.started;
    remember_plan(persistent.requests, started, what.comm, n, at);
  }
  t.close();
  return rc;
}

template <class Requests, class Call>
int collective(Thread& t, std::uint8_t op, const Collective& what, Requests requests, Call call) {
  return collective(
      t, op, what, 0, [](std::size_t) { return std::int64_t{0}; }, requests, call);
}

/// This rank is the one that gathers or scatters: the root, or MPI_ROOT of an intercommunicator.
inline bool is_root(const Communicator* c, int root) {
  return root == MPI_ROOT || (c != nullptr && !c->inter && c->rank == root);
}
inline std::size_t peers(const Communicator* c) {
  return c != nullptr ? static_cast<std::size_t>(c->peers) : 0;
}
/// Index of this rank in arguments per rank. An intercommunicator's speak of the other side.
inline int own_index(const Communicator* c) {
  return c == nullptr || c->inter ? -1 : c->rank;
}

inline bool commutes(MPI_Op op) {
  int commutative = 1;
  if (op != MPI_OP_NULL) PMPI_Op_commutative(op, &commutative);
  return commutative != 0;
}

template <class Requests, class Call>
int barrier(Thread& t, std::uint8_t op, MPI_Comm comm, Requests requests, Call call) {
  return collective(t, op, {communicator(t, comm)}, requests, call);
}

template <class Count, class Requests, class Call>
int bcast(Thread& t, std::uint8_t op, Count n, MPI_Datatype type, int root, MPI_Comm comm,
          Requests requests, Call call) {
  return collective(t, op, {communicator(t, comm), root, bytes_of(n, type), type_bytes(type)},
                    requests, call);
}

/// Reductions of one vector: reduce, allreduce, scan, exscan, reduce_scatter_block.
template <class Count, class Requests, class Call>
int reduce(Thread& t, std::uint8_t op, const void* sbuf, Count n, MPI_Datatype type,
           MPI_Op reduction, int root, MPI_Comm comm, Requests requests, Call call) {
  return collective(t, op,
                    {communicator(t, comm), root, bytes_of(n, type), type_bytes(type),
                     sbuf == MPI_IN_PLACE, commutes(reduction)},
                    requests, call);
}

/// gather and scatter: each rank has a block of its own; the root describes those of all ranks,
/// where MPI_IN_PLACE stands for its own.
template <class Count, class AllCount, class Requests, class Call>
int rooted(Thread& t, std::uint8_t op, const void* own_buf, Count own_n, MPI_Datatype own_type,
           AllCount all_n, MPI_Datatype all_type, int root, MPI_Comm comm, Requests requests,
           Call call) {
  Communicator* c = communicator(t, comm);
  const bool by_all = is_root(c, root);
  return collective(t, op,
                    {c, root, by_all ? bytes_of(all_n, all_type) : bytes_of(own_n, own_type),
                     type_bytes(by_all ? all_type : own_type), own_buf == MPI_IN_PLACE},
                    requests, call);
}

/// Sizes in bytes of the blocks that an array of counts describes.
template <class Counts>
auto blocks(Counts counts, std::uint64_t element) {
  return [counts, element](std::size_t i) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(counts[i]) * element);
  };
}

/// gatherv and scatterv: as rooted(), with a count for each rank at the root.
template <class Count, class AllCounts, class Requests, class Call>
int rootedv(Thread& t, std::uint8_t op, const void* own_buf, Count own_n, MPI_Datatype own_type,
            AllCounts all_n, MPI_Datatype all_type, int root, MPI_Comm comm, Requests requests,
            Call call) {
  Collective what{communicator(t, comm), root};
  what.in_place = own_buf == MPI_IN_PLACE;
  const bool at_root = is_root(what.comm, root);
  const int own = own_index(what.comm);
  what.element = type_bytes(at_root ? all_type : own_type);
  if (!what.in_place && root != MPI_ROOT) what.bytes = bytes_of(own_n, own_type);
  if (what.in_place && at_root && own >= 0) what.bytes = bytes_of(all_n[own], all_type);
  return collective(t, op, what, at_root ? peers(what.comm) : 0, blocks(all_n, what.element),
                    requests, call);
}

/// allgather and alltoall: one block of the same size between each pair.
template <class SendCount, class RecvCount, class Requests, class Call>
int pairwise(Thread& t, std::uint8_t op, const void* sbuf, SendCount sn, MPI_Datatype stype,
             RecvCount rn, MPI_Datatype rtype, MPI_Comm comm, Requests requests, Call call) {
  const bool in_place = sbuf == MPI_IN_PLACE;
  return collective(
      t, op,
      {communicator(t, comm), kNoRoot, in_place ? bytes_of(rn, rtype) : bytes_of(sn, stype),
       type_bytes(in_place ? rtype : stype), in_place},
      requests, call);
}

template <class SendCount, class Counts, class Requests, class Call>
int allgatherv(Thread& t, std::uint8_t op, const void* sbuf, SendCount sn, MPI_Datatype stype,
               Counts rn, MPI_Datatype rtype, MPI_Comm comm, Requests requests, Call call) {
  Communicator* c = communicator(t, comm);
  const bool in_place = sbuf == MPI_IN_PLACE;
  const int own = own_index(c);
  const std::uint64_t received = in_place && own >= 0 ? bytes_of(rn[own], rtype) : 0;
  const std::uint64_t element = type_bytes(rtype);
  return collective(t, op,
                    {c, kNoRoot, in_place ? received : bytes_of(sn, stype), element, in_place},
                    peers(c), blocks(rn, element), requests, call);
}

/// alltoallv and alltoallw. With MPI_IN_PLACE what is received is also what is sent.
template <class SendCounts, class SendTypes, class RecvCounts, class RecvTypes, class Requests,
          class Call>
int alltoallv(Thread& t, std::uint8_t op, const void* sbuf, SendCounts sn, SendTypes stype,
              RecvCounts rn, RecvTypes rtype, MPI_Comm comm, Requests requests, Call call) {
  Collective what{communicator(t, comm)};
  what.in_place = sbuf == MPI_IN_PLACE;
  const std::size_t n = peers(what.comm);
  what.element = n > 0 ? type_bytes(rtype[0]) : 0;
  const auto received = [=](int i) { return bytes_of(rn[i], rtype[i]); };
  const bool in_place = what.in_place;
  const auto sent = [=](int i) { return in_place ? received(i) : bytes_of(sn[i], stype[i]); };
  for (std::size_t i = 0; i < n; ++i) what.bytes += sent(static_cast<int>(i));
  const auto at = [=](std::size_t i) {
    const int which = static_cast<int>(i < n ? i : i - n);
    return static_cast<std::int64_t>(i < n ? sent(which) : received(which));
  };
  return collective(t, op, what, 2 * n, at, requests, call);
}

template <class Counts, class Requests, class Call>
int reduce_scatter(Thread& t, std::uint8_t op, const void* sbuf, Counts counts, MPI_Datatype type,
                   MPI_Op reduction, MPI_Comm comm, Requests requests, Call call) {
  Communicator* c = communicator(t, comm);
  // Counts are per rank of the local group, also for intercommunicators.
  const std::size_t n = c != nullptr ? static_cast<std::size_t>(c->size) : 0;
  const std::uint64_t element = type_bytes(type);
  return collective(t, op,
                    {c, kNoRoot, n > 0 ? bytes_of(counts[c->rank], type) : 0, element,
                     sbuf == MPI_IN_PLACE, commutes(reduction)},
                    n, blocks(counts, element), requests, call);
}

/// Neighbourhood collectives: who gets and gives how much, in the topology's order.
template <class SendCounts, class SendTypes, class RecvCounts, class RecvTypes, class Requests,
          class Call>
int neighbor(Thread& t, std::uint8_t op, SendCounts sn, SendTypes stype, RecvCounts rn,
             RecvTypes rtype, MPI_Comm comm, Requests requests, Call call) {
  Collective what{communicator(t, comm)};
  if (what.comm == nullptr) return call();
  const Neighbors& near = neighbors_of(*what.comm);
  const auto out = static_cast<std::size_t>(near.out_count);
  const auto in = static_cast<std::size_t>(near.in_count);
  const auto sent = [=](int i) { return bytes_of(sn[i], stype[i]); };
  const auto received = [=](int i) { return bytes_of(rn[i], rtype[i]); };
  if (out > 0) what.element = type_bytes(stype[0]);
  for (std::size_t i = 0; i < out; ++i) what.bytes += sent(static_cast<int>(i));
  const auto at = [=, &near](std::size_t i) -> std::int64_t {
    if (i == 0) return static_cast<std::int64_t>(out);
    if (i == 1 + 2 * out) return static_cast<std::int64_t>(in);
    const bool sending = i < 1 + 2 * out;
    const std::size_t place = i - (sending ? 1 : 2 + 2 * out);
    const int which = static_cast<int>(place / 2);
    if (place % 2 == 0) return peer_of(sending ? near.out[which] : near.in[which]);
    return static_cast<std::int64_t>(sending ? sent(which) : received(which));
  };
  return collective(t, op, what, 2 + 2 * out + 2 * in, at, requests, call);
}

}  // namespace slackline::record

#endif
