/* Requests and their completion. A handle is a place in the table that the simulator shares, under
 * a number that no real request has; everything that takes one is here. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

enum { kFirstHandle = 0x51ac0000 };

static Pending table[SLK_ONLINE_REQUESTS];

/* Receives and collectives that go on though the program has freed their requests. */
enum { kMostFreed = 1024 };
static MPI_Request freed[kMostFreed];
static int n_freed;

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

/* Functions of one request leave the error as it is, but for a request that is not active. */
static void clear_status(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
}

static void empty_status(MPI_Status* status) {
  clear_status(status);
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
}

int is_active(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return 0;
  return !is_ours(request) || table[place_of(request)].active; /* others are generalised ones */
}

static int finish_receive(Pending* p, struct slk_online_request* got, MPI_Status* status) {
  int error = MPI_SUCCESS;
  if (got->data != 0) {
    unpack(block_data(got->data), got->bytes, p->buffer, p->count, p->type);
    release_block(got->data);
    error = check_room(p->comm, got->bytes, p->count, p->type);
  }
  fill_status(status, p->comm, got->source, got->tag, got->bytes);
  return error;
}

static int finish(MPI_Request* request, MPI_Status* status);

static int finish_parts(Pending* p, MPI_Status* status) {
  int error = MPI_SUCCESS;
  for (int i = 0; i < p->n_parts; ++i) {
    if (!is_active(p->parts[i])) continue;
    const int own = finish(&p->parts[i], i == p->main_part ? status : MPI_STATUS_IGNORE);
    if (own != MPI_SUCCESS) error = own;
  }
  free(p->parts);
  p->parts = NULL;
  return error;
}

/* The request is complete: its data, its status, and the handle of one that is not persistent.
 * Returns MPI's error. */
static int finish(MPI_Request* request, MPI_Status* status) {
  if (!is_ours(*request)) return PMPI_Wait(request, status);
  const uint32_t place = place_of(*request);
  Pending* p = &table[place];
  struct slk_online_request* got = request_at(place);
  int error = MPI_SUCCESS;
  clear_status(status);
  if (p->kind == REQUEST_TOGETHER) {
    error = finish_parts(p, status);
  } else if (p->kind == REQUEST_COLLECTIVE) {
    if (p->collective != NULL) finish_collective(p->collective, got->board, 0);
    p->collective = NULL;
  } else if (p->kind == REQUEST_MAKER) {
    const int64_t* made = lists() + (got->board - 1);
    copy_topology(p->comm, add_comm(p->made, (uint32_t)made[0], (int)made[1], made + 2));
  } else if (p->cancelled) {
    if (status != MPI_STATUS_IGNORE) PMPI_Status_set_cancelled(status, 1);
  } else if (p->null_peer) {
    if (p->kind == REQUEST_RECEIVE) fill_status(status, p->comm, SLK_PEER_NULL, 0, 0);
  } else if (p->kind == REQUEST_RECEIVE) {
    error = finish_receive(p, got, status);
  }
  p->active = 0;
  p->cancelled = 0;
  if (p->persistent) return error;
  if (p->kind == REQUEST_RECEIVE) drop_type(p->type);
  free_request(place);
  *request = MPI_REQUEST_NULL;
  return error;
}

/* Hands the active ones of these to the simulator. Their number; without those that were complete
 * already. */
static uint32_t add_request(MPI_Request request, uint32_t n) {
  if (!is_active(request) || !is_ours(request)) return n;
  const uint32_t place = place_of(request);
  const Pending* p = &table[place];
  for (int i = 0; p->kind == REQUEST_TOGETHER && i < p->n_parts; ++i) {
    n = add_request(p->parts[i], n);
  }
  if (p->kind == REQUEST_TOGETHER || p->null_peer || request_at(place)->over) return n;
  lists()[n] = place;
  return n + 1;
}

static uint32_t name_requests(int count, const MPI_Request* requests) {
  uint32_t n = 0;
  for (int i = 0; i < count; ++i) n = add_request(requests[i], n);
  return n;
}

static int is_done(MPI_Request request) {
  if (!is_active(request)) return 0;
  int flag = 0;
  if (!is_ours(request)) {
    PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    return flag;
  }
  const Pending* p = &table[place_of(request)];
  for (int i = 0; p->kind == REQUEST_TOGETHER && i < p->n_parts; ++i) {
    if (is_active(p->parts[i]) && !is_done(p->parts[i])) return 0;
  }
  return p->kind == REQUEST_TOGETHER || p->null_peer || request_at(place_of(request))->over;
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

int simulate_complete_all(enum slk_operation operation, int count, MPI_Request* requests,
                          MPI_Status* statuses) {
  const int several = operation == SLK_OP_waitall || operation == SLK_OP_testall;
  const uint32_t n = name_requests(count, requests);
  if (n > 1 && operation == SLK_OP_wait) operation = SLK_OP_waitall;
  if (n > 0) ask_for(operation, n);
  int error = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    MPI_Status* status = status_at(statuses, i);
    int own = MPI_SUCCESS;
    if (is_active(requests[i])) {
      own = finish(&requests[i], status);
    } else {
      empty_status(status);
    }
    if (own != MPI_SUCCESS) error = several ? MPI_ERR_IN_STATUS : own;
    if (several && status != MPI_STATUS_IGNORE) status->MPI_ERROR = own;
  }
  return error;
}

/* `flag`: null for MPI_Waitany. */
int simulate_complete_any(enum slk_operation operation, int count, MPI_Request* requests,
                          int* index, int* flag, MPI_Status* status) {
  *index = MPI_UNDEFINED;
  if (flag != NULL) *flag = 1;
  if (!any_active(count, requests)) {
    empty_status(status);
    return MPI_SUCCESS;
  }
  *index = first_done(count, requests);
  while (*index == MPI_UNDEFINED) {
    const uint32_t n = name_requests(count, requests);
    if (n > 0) ask_for(operation, n);
    *index = first_done(count, requests);
    if (operation == SLK_OP_testany) break;
    if (n == 0) pass(1000); /* only another thread can complete those that are left */
  }
  if (flag != NULL) *flag = *index != MPI_UNDEFINED;
  return *index != MPI_UNDEFINED ? finish(&requests[*index], status) : MPI_SUCCESS;
}

int simulate_complete_some(enum slk_operation operation, int count, MPI_Request* requests, int* out,
                           int* indices, MPI_Status* statuses) {
  if (!any_active(count, requests)) {
    *out = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  while (first_done(count, requests) == MPI_UNDEFINED) {
    const uint32_t n = name_requests(count, requests);
    if (n > 0) ask_for(operation, n);
    if (operation == SLK_OP_testsome) break;
    if (n == 0) pass(1000); /* only another thread can complete those that are left */
  }
  int error = MPI_SUCCESS;
  *out = 0;
  for (int i = 0; i < count; ++i) {
    if (!is_done(requests[i])) continue;
    MPI_Status* status = status_at(statuses, *out);
    const int own = finish(&requests[i], status);
    if (own != MPI_SUCCESS) error = MPI_ERR_IN_STATUS;
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = own;
    indices[(*out)++] = i;
  }
  return error;
}

/* Nothing is completed before all are. */
int simulate_test_all(enum slk_operation operation, int count, MPI_Request* requests, int* flag,
                      MPI_Status* statuses) {
  const uint32_t n = name_requests(count, requests);
  if (n > 0) ask_for(n > 1 && operation == SLK_OP_test ? SLK_OP_testall : operation, n);
  *flag = 1;
  for (int i = 0; i < count; ++i)
    *flag = *flag && (!is_active(requests[i]) || is_done(requests[i]));
  return *flag ? simulate_complete_all(operation, count, requests, statuses) : MPI_SUCCESS;
}

/* Without a communication, whether those without a waiting call are over. */
void complete_freed(void) {
  if (n_freed == 0) return;
  const uint32_t n = name_requests(n_freed, freed);
  if (n > 0) ask_for(SLK_OP_testsome, n);
  int left = 0;
  for (int i = 0; i < n_freed; ++i) {
    if (is_done(freed[i])) {
      finish(&freed[i], MPI_STATUS_IGNORE);
    } else {
      freed[left++] = freed[i];
    }
  }
  n_freed = left;
}

int simulate_request_free(MPI_Request* request) {
  if (!is_ours(*request)) return PMPI_Request_free(request);
  Pending* p = &table[place_of(*request)];
  p->persistent = 0;
  /* What is sent has been copied, so nothing refers to the place any more. */
  if (!p->active || p->kind == REQUEST_SEND) {
    free_request(place_of(*request));
  } else {
    if (n_freed == kMostFreed) refuse("MPI_Request_free", "1,024 freed requests are not complete");
    freed[n_freed++] = *request;
  }
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int simulate_request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (request != MPI_REQUEST_NULL && !is_ours(request))
    return PMPI_Request_get_status(request, flag, status);
  const uint32_t n = name_requests(1, &request);
  if (n > 0) ask_for(n > 1 ? SLK_OP_testall : SLK_OP_test, n);
  *flag = !is_active(request) || is_done(request);
  empty_status(status);
  if (*flag && is_active(request)) {
    Pending* p = &table[place_of(request)];
    const struct slk_online_request* got = request_at(place_of(request));
    if (p->kind == REQUEST_COLLECTIVE && p->collective != NULL) {
      finish_collective(p->collective, got->board, 0); /* the board is gone with the next answer */
      p->collective = NULL;
    }
    if (p->cancelled && status != MPI_STATUS_IGNORE) PMPI_Status_set_cancelled(status, 1);
    if (p->kind == REQUEST_RECEIVE && !p->cancelled)
      fill_status(status, p->comm, p->null_peer ? SLK_PEER_NULL : got->source, got->tag,
                  got->bytes);
  }
  return MPI_SUCCESS;
}

int simulate_cancel(MPI_Request* request) {
  if (!is_ours(*request)) return PMPI_Cancel(request);
  Pending* p = &table[place_of(*request)];
  if (!p->active || p->null_peer || (p->kind != REQUEST_SEND && p->kind != REQUEST_RECEIVE))
    return MPI_SUCCESS;
  struct slk_online_call* call = new_call(SLK_OP_none, p->comm);
  call->kind = SLK_ONLINE_CANCEL;
  name_request(call, place_of(*request));
  call->peer = p->peer;
  call->data = p->block;
  p->cancelled = ask()->found;
  if (p->cancelled && p->block != 0) release_block(p->block);
  return MPI_SUCCESS;
}

MPI_Request together(int n, MPI_Request* parts) {
  const uint32_t place = new_request();
  table[place] = (Pending){
      .kind = REQUEST_TOGETHER, .active = 1, .n_parts = n, .parts = parts, .main_part = -1};
  return handle_of(place);
}
