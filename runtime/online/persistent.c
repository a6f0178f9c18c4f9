/* Persistent requests: what each start does is kept here. */
#include <stdlib.h>

#include "online.h"

static MPI_Request keep(RequestKind kind, enum slk_operation operation, void* buffer, int count,
                        MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  const uint32_t place = new_request();
  *pending(place) = (Pending){.kind = kind,
                              .persistent = 1,
                              .operation = operation,
                              .comm = find_comm(comm),
                              .null_peer = peer == MPI_PROC_NULL,
                              .buffer = buffer,
                              .count = count,
                              .type = kept_type(type),
                              .peer = peer == MPI_PROC_NULL ? 0 : world_of(find_comm(comm), peer),
                              .tag = tag};
  return handle_of(place);
}

void simulate_send_init(enum slk_operation started, const void* buffer, int count,
                        MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  *request = keep(REQUEST_SEND, started, (void*)(uintptr_t)buffer, count, type, peer, tag, comm);
}

void simulate_recv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag,
                        MPI_Comm comm, MPI_Request* request) {
  *request = keep(REQUEST_RECEIVE, SLK_OP_irecv, buffer, count, type, peer, tag, comm);
}

/* A start is the nonblocking call, under the persistent request's place. */
static void start(MPI_Request request) {
  if (!is_ours(request)) refuse("MPI_Start", "the request is not persistent");
  const uint32_t place = place_of(request);
  Pending* p = pending(place);
  renew_request(place);
  p->active = 1;
  if (p->again != NULL) {
    p->n_parts = 1;
    p->parts = room("MPI_Start", sizeof *p->parts);
    p->again->perform(p->again, p->parts);
    return;
  }
  if (p->null_peer) return;
  struct slk_online_call* call = new_call(p->operation, p->comm);
  call->peer = p->peer;
  call->tag = tag_of(p->tag);
  call->bytes = packed_bytes(p->count, p->type);
  name_request(call, place);
  if (p->kind == REQUEST_SEND) p->block = call->data = packed_block(p->buffer, p->count, p->type);
  defer();
}

void simulate_start(int count, MPI_Request* requests) {
  for (int i = 0; i < count; ++i) start(requests[i]);
}
