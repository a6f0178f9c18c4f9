#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_POINT_TO_POINT_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_POINT_TO_POINT_H

#include "arguments.h"

namespace slackline::record {

/// Serials of requests start at 1 and are never used twice in a rank.
inline std::uint32_t new_serial() {
  if (!process.multiple) return process.next_serial++;
  return __atomic_fetch_add(&process.next_serial, 1u, __ATOMIC_RELAXED);
}

/// The second of two serials that follow each other.
inline std::uint32_t new_pair_of_serials() {
  if (!process.multiple) return (process.next_serial += 2) - 1;
  return __atomic_fetch_add(&process.next_serial, 2u, __ATOMIC_RELAXED) + 1;
}

inline slk_record* open_message(Thread& t, std::uint8_t op, const Communicator* c, int peer,
                                int tag, std::uint64_t bytes) {
  slk_record* r = t.open(op);
  r->peer = peer_of(peer);
  r->tag = tag_of(tag);
  r->bytes = bytes;
  r->comm = comm_id(c);
  if (c != nullptr && c->inter) r->flags = SLK_FLAG_INTERCOMM;
  return r;
}

inline void add_flags(slk_record* r, std::uint8_t flags) {
  r->flags = static_cast<std::uint8_t>(r->flags | flags);
}

/// What the message that was received or found really was.
inline void fill_from_status(slk_record* r, const MPI_Status& s) {
  if (r->peer == SLK_PEER_NULL) {
    r->bytes = 0;
    return;
  }
  r->peer = peer_of(s.MPI_SOURCE);
  r->tag = s.MPI_TAG;
  r->bytes = status_bytes(s);
}

template <class Count, class Call>
int send(Thread& t, std::uint8_t op, Count n, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
         Call call) {
  const Communicator* c = communicator(t, comm);
  open_message(t, op, c, dest, tag, bytes_of(n, type));
  const int rc = measured(t, call);
  refused(rc) ? t.discard() : t.close();
  return rc;
}

template <class Count, class Call>
int recv(Thread& t, std::uint8_t op, Count n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
         MPI_Status* status, Call call) {
  const Communicator* c = communicator(t, comm);
  slk_record* r = open_message(t, op, c, source, tag, bytes_of(n, type));
  add_flags(r, wildcards(source, tag));
  const int rc = measured(t, call, status);
  if (rc == MPI_SUCCESS) fill_from_status(r, load(status));
  refused(rc) ? t.discard() : t.close();
  return rc;
}

template <class SendCount, class RecvCount, class Call>
int sendrecv(Thread& t, std::uint8_t op, SendCount sn, MPI_Datatype stype, int dest, int stag,
             RecvCount rn, MPI_Datatype rtype, int source, int rtag, MPI_Comm comm,
             MPI_Status* status, Call call) {
  const Communicator* c = communicator(t, comm);
  open_message(t, op, c, dest, stag, bytes_of(sn, stype));
  slk_record got{};
  got.peer = peer_of(source);
  got.tag = tag_of(rtag);
  got.bytes = bytes_of(rn, rtype);
  const int rc = measured(t, call, status);
  if (refused(rc)) {
    t.discard();
    return rc;
  }
  if (rc == MPI_SUCCESS) fill_from_status(&got, load(status));
  const std::int64_t args[4] = {got.peer, got.tag, static_cast<std::int64_t>(got.bytes),
                                wildcards(source, rtag)};
  t.close_with(4, [&](std::size_t i) { return args[i]; });
  return rc;
}

/// Remembers the request that the call just returned.
template <class Requests>
void remember(const Requests& requests, Request entry) {
  const MPI_Request handle = requests.get();
  if (handle == MPI_REQUEST_NULL) return;
  entry.handle = handle_bits(handle);
  entry.address = requests.address();
  const Lock lock;
  process.requests.insert(entry);
}

/// What is known of the request whose record this is.
inline Request request_of(const slk_record& r) {
  Request entry;
  entry.serial = r.request;
  entry.comm = r.comm;
  entry.peer = r.peer;
  entry.tag = r.tag;
  entry.bytes = r.bytes;
  entry.flags = r.flags;
  return entry;
}

enum RequestKind : unsigned { kSend = 0, kReceive = 1, kPersistent = 2 };

template <class Requests, class Call>
int start_request(Thread& t, std::uint8_t op, slk_record* r, unsigned kind,
                  const Requests& requests, Call call) {
  r->request = new_serial();
  Request entry = request_of(*r);
  entry.receive = (kind & kReceive) != 0;
  entry.active = (kind & kPersistent) == 0;
  if (!entry.active) entry.init_op = op;
  const int rc = measured(t, call);
  if (rc == MPI_SUCCESS) remember(requests, entry);
  refused(rc) ? t.discard() : t.close();
  return rc;
}

/// Nonblocking and persistent sends and receives.
template <class Count, class Requests, class Call>
int start_message(Thread& t, std::uint8_t op, Count n, MPI_Datatype type, int peer, int tag,
                  MPI_Comm comm, unsigned kind, Requests requests, Call call) {
  slk_record* r = open_message(t, op, communicator(t, comm), peer, tag, bytes_of(n, type));
  if ((kind & kReceive) != 0) add_flags(r, wildcards(peer, tag));
  return start_request(t, op, r, kind, requests, call);
}

// In the record both are told alike, and no Trace has them.
inline constexpr std::uint8_t SLK_OP_isendrecv = SLK_REC_ISENDRECV;
inline constexpr std::uint8_t SLK_OP_isendrecv_replace = SLK_REC_ISENDRECV;

/// A send and a receive with one request: it has the receive's serial, and the send the one before.
template <class SendCount, class RecvCount, class Requests, class Call>
int isendrecv(Thread& t, std::uint8_t op, SendCount sn, MPI_Datatype stype, int dest, int stag,
              RecvCount rn, MPI_Datatype rtype, int source, int rtag, MPI_Comm comm,
              Requests requests, Call call) {
  slk_record* r = open_message(t, op, communicator(t, comm), dest, stag, bytes_of(sn, stype));
  Request entry;
  entry.active = true;
  entry.receive = true;
  entry.serial = new_pair_of_serials();
  entry.comm = r->comm;
  entry.peer = peer_of(source);
  entry.tag = tag_of(rtag);
  entry.bytes = bytes_of(rn, rtype);
  entry.flags = static_cast<std::uint8_t>(r->flags | wildcards(source, rtag));
  r->request = entry.serial;
  const int rc = measured(t, call);
  if (rc == MPI_SUCCESS) remember(requests, entry);
  const std::int64_t args[4] = {entry.peer, entry.tag, static_cast<std::int64_t>(entry.bytes),
                                wildcards(source, rtag)};
  t.close_with(4, [&](std::size_t i) { return args[i]; });
  return rc;
}

}  // namespace slackline::record

#endif
