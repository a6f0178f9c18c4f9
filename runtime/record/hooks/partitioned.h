#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_PARTITIONED_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_PARTITIONED_H

#include "hooks/completion.h"
#include "hooks/partitions.h"
#include "hooks/persistent.h"

namespace slackline::record {

// Partitioned communication (MPI 4.0, chapter 4): persistent requests whose message is sent in
// parts. It is recorded as one message of all partitions.

inline std::uint64_t partitioned_bytes(int partitions, MPI_Count n, MPI_Datatype type) {
  return partitions > 0 ? static_cast<std::uint64_t>(partitions) * bytes_of(n, type) : 0;
}

/// `init_op`: SLK_OP_send_init or SLK_OP_recv_init. A receive has no wildcards, so that its status
/// tells nothing new.
template <class Requests, class Call>
int partitioned_init(Thread& t, std::uint8_t op, int partitions, MPI_Count n, MPI_Datatype type,
                     int peer, int tag, MPI_Comm comm, std::uint8_t init_op, Requests requests,
                     Call call) {
  slk_record* r =
      open_message(t, op, communicator(t, comm), peer, tag, partitioned_bytes(partitions, n, type));
  r->request = new_serial();
  Request entry = request_of(*r);
  entry.init_op = init_op;
  const int rc = measured(t, call);
  if (rc == MPI_SUCCESS) {
    remember(requests, entry);
    if (init_op == SLK_OP_send_init && partitions > 0) add_partitioned(requests.get(), partitions);
  }
  t.close();
  return rc;
}

/// The call that makes the last partitions ready is the one that starts the message.
template <class Call>
int pready(Thread& t, std::uint8_t op, MPI_Request request, int partitions, Call call) {
  return start_one(t, op, make_ready(request, partitions), call);
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
