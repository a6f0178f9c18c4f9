/* Requests and their completion. A handle is a place in the table that the simulator shares, under
 * a number that no real request has; everything that takes one is here. */
#include <string.h>

#include "online.h"

enum { kFirstHandle = 0x51ac0000 };

static Pending table[SLK_ONLINE_REQUESTS];

Pending* pending(uint32_t place) {
  return &table[place];
}

#if SLK_OPENMPI
MPI_Request handle_of(uint32_t place) {
  return (MPI_Request)(uintptr_t)(kFirstHandle + place);
}
static uintptr_t number_of(MPI_Request request) {
  return (uintptr_t)request - kFirstHandle;
}
#else
MPI_Request handle_of(uint32_t place) {
  return (MPI_Request)(kFirstHandle + place);
}
static uintptr_t number_of(MPI_Request request) {
  return (uintptr_t)(unsigned)request - kFirstHandle;
}
#endif

int is_ours(MPI_Request request) {
  return request != MPI_REQUEST_NULL && number_of(request) < SLK_ONLINE_REQUESTS;
}
MPI_Fint number_of_request(MPI_Request request) {
  return request == MPI_REQUEST_NULL ? PMPI_Request_c2f(request)
                                     : (MPI_Fint)(kFirstHandle + number_of(request));
}
uint32_t place_of(MPI_Request request) {
  return (uint32_t)number_of(request);
}

static void empty_status(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  status->MPI_ERROR = MPI_SUCCESS;
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
}

static int is_active(MPI_Request request) {
  return is_ours(request) && table[place_of(request)].active;
}

/* The request is complete: its data, its status, and the handle of one that is not persistent. */
static void finish(MPI_Request* request, MPI_Status* status) {
  const uint32_t place = place_of(*request);
  Pending* p = &table[place];
  struct slk_online_request* got = request_at(place);
  empty_status(status);
  if (p->kind == REQUEST_COLLECTIVE) {
    finish_collective(p->collective, got->board, 0);
  } else if (p->null_peer) {
    fill_status(status, p->comm, SLK_PEER_NULL, 0, 0);
  } else if (p->kind == REQUEST_RECEIVE) {
    if (got->data != 0) {
      unpack(block_data(got->data), got->bytes, p->buffer, p->count, p->type);
      release_block(got->data);
    }
    fill_status(status, p->comm, got->source, got->tag, got->bytes);
  }
  p->active = 0;
  if (p->persistent) return;
  free_request(place);
  *request = MPI_REQUEST_NULL;
}

/* Hands the active ones of these to the simulator. Their number; without those that were complete
 * already. */
static uint32_t name_requests(int count, const MPI_Request* requests) {
  uint32_t n = 0;
  for (int i = 0; i < count; ++i) {
    if (!is_active(requests[i]) || table[place_of(requests[i])].null_peer) continue;
    if (request_at(place_of(requests[i]))->over) continue;
    lists()[n++] = place_of(requests[i]);
  }
  return n;
}

static int is_done(MPI_Request request) {
  return is_active(request) &&
         (table[place_of(request)].null_peer || request_at(place_of(request))->over);
}

static void ask_for(enum slk_operation operation, uint32_t n) {
  struct slk_online_call* call = new_call(operation, NULL);
  call->n_args = n;
  ask();
}

static MPI_Status* status_at(MPI_Status* statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

static int any_active(int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    if (is_active(requests[i])) return 1;
  }
  return 0;
}

static int first_done(int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    if (is_done(requests[i])) return i;
  }
  return MPI_UNDEFINED;
}

static void wait_all(enum slk_operation operation, int count, MPI_Request* requests,
                     MPI_Status* statuses) {
  const uint32_t n = name_requests(count, requests);
  if (n > 0) ask_for(operation, n);
  for (int i = 0; i < count; ++i) {
    if (is_active(requests[i])) {
      finish(&requests[i], status_at(statuses, i));
    } else {
      empty_status(status_at(statuses, i));
    }
  }
}

EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (!simulated()) return PMPI_Wait(request, status);
  enter_call();
  wait_all(SLK_OP_wait, 1, request, status);
  leave_call();
  return MPI_SUCCESS;
}

EXPORT int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  if (!simulated()) return PMPI_Waitall(count, requests, statuses);
  enter_call();
  wait_all(SLK_OP_waitall, count, requests, statuses);
  leave_call();
  return MPI_SUCCESS;
}

static void complete_any(enum slk_operation operation, int count, MPI_Request* requests, int* index,
                         MPI_Status* status) {
  *index = MPI_UNDEFINED;
  if (!any_active(count, requests)) return empty_status(status);
  *index = first_done(count, requests);
  if (*index == MPI_UNDEFINED) {
    ask_for(operation, name_requests(count, requests));
    *index = first_done(count, requests);
  }
  if (*index != MPI_UNDEFINED) finish(&requests[*index], status);
}

EXPORT int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  if (!simulated()) return PMPI_Waitany(count, requests, index, status);
  enter_call();
  complete_any(SLK_OP_waitany, count, requests, index, status);
  leave_call();
  return MPI_SUCCESS;
}

EXPORT int MPI_Testany(int count, MPI_Request* requests, int* index, int* flag,
                       MPI_Status* status) {
  if (!simulated()) return PMPI_Testany(count, requests, index, flag, status);
  enter_call();
  const int had_some = any_active(count, requests);
  complete_any(SLK_OP_testany, count, requests, index, status);
  *flag = !had_some || *index != MPI_UNDEFINED;
  leave_call();
  return MPI_SUCCESS;
}

static void complete_some(enum slk_operation operation, int count, MPI_Request* requests, int* out,
                          int* indices, MPI_Status* statuses) {
  if (!any_active(count, requests)) {
    *out = MPI_UNDEFINED;
    return;
  }
  if (first_done(count, requests) == MPI_UNDEFINED)
    ask_for(operation, name_requests(count, requests));
  *out = 0;
  for (int i = 0; i < count; ++i) {
    if (!is_done(requests[i])) continue;
    finish(&requests[i], status_at(statuses, *out));
    indices[(*out)++] = i;
  }
}

EXPORT int MPI_Waitsome(int count, MPI_Request* requests, int* out, int* indices,
                        MPI_Status* statuses) {
  if (!simulated()) return PMPI_Waitsome(count, requests, out, indices, statuses);
  enter_call();
  complete_some(SLK_OP_waitsome, count, requests, out, indices, statuses);
  leave_call();
  return MPI_SUCCESS;
}

EXPORT int MPI_Testsome(int count, MPI_Request* requests, int* out, int* indices,
                        MPI_Status* statuses) {
  if (!simulated()) return PMPI_Testsome(count, requests, out, indices, statuses);
  enter_call();
  complete_some(SLK_OP_testsome, count, requests, out, indices, statuses);
  leave_call();
  return MPI_SUCCESS;
}

/* Nothing is completed before all are. */
static void test_all(enum slk_operation operation, int count, MPI_Request* requests, int* flag,
                     MPI_Status* statuses) {
  const uint32_t n = name_requests(count, requests);
  if (n > 0) ask_for(operation, n);
  *flag = 1;
  for (int i = 0; i < count; ++i)
    *flag = *flag && (!is_active(requests[i]) || is_done(requests[i]));
  if (*flag) wait_all(operation, count, requests, statuses);
}

EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (!simulated()) return PMPI_Test(request, flag, status);
  enter_call();
  test_all(SLK_OP_test, 1, request, flag, status);
  leave_call();
  return MPI_SUCCESS;
}

EXPORT int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  if (!simulated()) return PMPI_Testall(count, requests, flag, statuses);
  enter_call();
  test_all(SLK_OP_testall, count, requests, flag, statuses);
  leave_call();
  return MPI_SUCCESS;
}

EXPORT int MPI_Request_free(MPI_Request* request) {
  if (!simulated() || !is_ours(*request)) return PMPI_Request_free(request);
  Pending* p = &table[place_of(*request)];
  if (p->active && p->kind != REQUEST_SEND)
    refuse("MPI_Request_free", "a receive or collective that was not completed is freed");
  /* What is sent has been copied, so nothing refers to the place any more. */
  free_request(place_of(*request));
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

/* Persistent requests: what each start does is kept here. */

static MPI_Request keep(RequestKind kind, enum slk_operation operation, void* buffer, int count,
                        MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  const uint32_t place = new_request();
  table[place] = (Pending){.kind = kind,
                           .persistent = 1,
                           .operation = operation,
                           .comm = find_comm(comm),
                           .null_peer = peer == MPI_PROC_NULL,
                           .buffer = buffer,
                           .count = count,
                           .type = type,
                           .peer = peer,
                           .tag = tag};
  return handle_of(place);
}

#define SEND_INIT(Name, operation)                                                             \
  EXPORT int MPI_##Name(const void* buffer, int count, MPI_Datatype type, int peer, int tag,   \
                        MPI_Comm comm, MPI_Request* request) {                                 \
    if (!simulated()) return PMPI_##Name(buffer, count, type, peer, tag, comm, request);       \
    *request =                                                                                 \
        keep(REQUEST_SEND, operation, (void*)(uintptr_t)buffer, count, type, peer, tag, comm); \
    return MPI_SUCCESS;                                                                        \
  }
SEND_INIT(Send_init, SLK_OP_isend)
SEND_INIT(Bsend_init, SLK_OP_ibsend)
SEND_INIT(Ssend_init, SLK_OP_issend)
SEND_INIT(Rsend_init, SLK_OP_irsend)

EXPORT int MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag,
                         MPI_Comm comm, MPI_Request* request) {
  if (!simulated()) return PMPI_Recv_init(buffer, count, type, peer, tag, comm, request);
  *request = keep(REQUEST_RECEIVE, SLK_OP_irecv, buffer, count, type, peer, tag, comm);
  return MPI_SUCCESS;
}

/* A start is the nonblocking call, under the persistent request's place. */
static void start(MPI_Request request) {
  if (!is_ours(request)) refuse("MPI_Start", "the request is not persistent");
  const uint32_t place = place_of(request);
  Pending* p = &table[place];
  renew_request(place);
  p->active = 1;
  if (p->null_peer) return;
  struct slk_online_call* call = new_call(p->operation, p->comm);
  call->peer = world_of(p->comm, p->peer);
  call->tag = p->tag == MPI_ANY_TAG ? SLK_TAG_ANY : p->tag;
  call->bytes = packed_bytes(p->count, p->type);
  name_request(call, place);
  if (p->kind == REQUEST_SEND) call->data = packed_block(p->buffer, p->count, p->type);
  defer();
}

EXPORT int MPI_Start(MPI_Request* request) {
  if (!simulated()) return PMPI_Start(request);
  enter_call();
  start(*request);
  leave_call();
  return MPI_SUCCESS;
}

EXPORT int MPI_Startall(int count, MPI_Request* requests) {
  if (!simulated()) return PMPI_Startall(count, requests);
  enter_call();
  for (int i = 0; i < count; ++i) start(requests[i]);
  leave_call();
  return MPI_SUCCESS;
}
