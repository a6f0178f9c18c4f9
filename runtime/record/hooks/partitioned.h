#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_PARTITIONED_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_PARTITIONED_H

#include "hooks/completion.h"
#include "hooks/partitions.h"
#include "hooks/persistent.h"

namespace slackline::record {

// Partitioned communication (MPI 4.0, chapter 4): persistent requests whose message is sent in
// parts. It is recorded as one message of all partitions.

template <class Requests, class Call>
int partitioned_init(Thread& t, slk_record* r, Request entry, const Requests& requests, Call call,
                     int partitions_to_send) {
  entry.comm = r->comm;
  entry.peer = r->peer;
  entry.tag = r->tag;
  entry.bytes = r->bytes;
  entry.flags = r->flags;
  r->request = entry.serial = new_serial();
  const int rc = measured(t, call);
  if (rc == MPI_SUCCESS) {
    remember(requests, entry);
    if (partitions_to_send > 0) add_partitioned(requests.get(), partitions_to_send);
  }
  t.close();
  return rc;
}

inline std::uint64_t partitioned_bytes(int partitions, MPI_Count n, MPI_Datatype type) {
  return partitions > 0 ? static_cast<std::uint64_t>(partitions) * bytes_of(n, type) : 0;
}

template <class Requests, class Call>
int psend_init(Thread& t, std::uint8_t op, int partitions, MPI_Count n, MPI_Datatype type, int dest,
               int tag, MPI_Comm comm, Requests requests, Call call) {
  slk_record* r =
      open_message(t, op, communicator(t, comm), dest, tag, partitioned_bytes(partitions, n, type));
  Request entry;
  entry.init_op = SLK_OP_send_init;
  return partitioned_init(t, r, entry, requests, call, partitions);
}

/// It has no wildcards, so that its status tells nothing new.
template <class Requests, class Call>
int precv_init(Thread& t, std::uint8_t op, int partitions, MPI_Count n, MPI_Datatype type,
               int source, int tag, MPI_Comm comm, Requests requests, Call call) {
  slk_record* r = open_message(t, op, communicator(t, comm), source, tag,
                               partitioned_bytes(partitions, n, type));
  Request entry;
  entry.init_op = SLK_OP_recv_init;
  return partitioned_init(t, r, entry, requests, call, 0);
}

/// The call that makes the last partitions ready is the one that starts the message.
template <class Call>
int pready(Thread& t, std::uint8_t op, MPI_Request request, int partitions, Call call) {
  slk_record* r = t.open(op);
  const Request started = make_ready(request, partitions);
  r->comm = started.comm;
  r->flags = started.flags;
  const int rc = measured(t, call);
  std::int64_t group[kStartGroup];
  put_group(group, started);
  t.close_with(started.serial != 0 ? kStartGroup : 0, [&](std::size_t i) { return group[i]; });
  return rc;
}

template <class Call>
int parrived(Thread& t, std::uint8_t op, MPI_Request request, int partition, int* flag, Call call) {
  t.open(op);
  const int rc = measured(t, call);
  if (rc == MPI_SUCCESS && *flag == 0) {
    t.close_failed_poll(poll_key(op, handle_bits(request), static_cast<unsigned>(partition)));
  } else {
    t.close();
  }
  return rc;
}

}  // namespace slackline::record

#endif
