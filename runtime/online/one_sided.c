/* One-sided operations. The origin moves the data when the simulator has told that it is its turn;
 * the transfer takes its simulated time until the epoch's end or a flush. As only one process
 * computes at a time, every operation is atomic. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "windows.h"

/* Elements of a target's memory, at hand: in memory that all share, or a copy of it. */
typedef struct {
  char* data;   /* the first element */
  char* memory; /* of a copy */
  struct iovec there;
  int64_t process;
} Reached;

static void copy_across(const Reached* r, int writes) {
  const struct iovec here = {r->memory, r->there.iov_len};
  const ssize_t done = writes ? process_vm_writev((pid_t)r->process, &here, 1, &r->there, 1, 0)
                              : process_vm_readv((pid_t)r->process, &here, 1, &r->there, 1, 0);
  if (done != (ssize_t)r->there.iov_len) {
    refuse("a one-sided operation",
           errno == EPERM ? "this system does not let a process copy another's memory; windows of "
                            "MPI_Win_allocate do without"
                          : "its target's memory cannot be reached");
  }
}

static Reached reach(const Window* w, int target, MPI_Aint place, int count, MPI_Datatype type) {
  const Part* part = &w->parts[target];
  const uint64_t offset = (uint64_t)place * (uint64_t)part->unit;
  Reached r = {.memory = NULL};
  if (target == w->comm->rank) {
    r.data = (char*)(uintptr_t)(part->base + offset);
    return r;
  }
  if (part->shared != 0) {
    r.data = shared_at(part->shared + offset);
    return r;
  }
  MPI_Aint lower, extent, all_lower, all_extent;
  PMPI_Type_get_true_extent(type, &lower, &extent);
  PMPI_Type_get_extent(type, &all_lower, &all_extent);
  const uint64_t bytes =
      count > 0 ? (uint64_t)extent + (uint64_t)(count - 1) * (uint64_t)all_extent : 0;
  r.memory = room("a one-sided operation", bytes);
  r.data = r.memory - lower;
  r.there.iov_base = (char*)(uintptr_t)(part->base + offset) + lower;
  r.there.iov_len = bytes;
  r.process = part->process;
  if (bytes > 0) copy_across(&r, 0);
  return r;
}

static void leave(Reached* r, int changed) {
  if (r->memory == NULL) return;
  if (changed && r->there.iov_len > 0) copy_across(r, 1);
  free(r->memory);
}

/* The predefined type that a type is made of. */
static MPI_Datatype base_of(MPI_Datatype type) {
  int integers, addresses, types, combiner;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED || types == 0) return type;
  int* i = room("a one-sided operation", sizeof(int) * (uint64_t)integers);
  MPI_Aint* a = room("a one-sided operation", sizeof(MPI_Aint) * (uint64_t)addresses);
  MPI_Datatype* t = room("a one-sided operation", sizeof(MPI_Datatype) * (uint64_t)types);
  PMPI_Type_get_contents(type, integers, addresses, types, i, a, t);
  const MPI_Datatype base = base_of(t[0]);
  free(i);
  free(a);
  free(t);
  return base;
}

/* target = target op given, both as packed bytes. */
static void combine(const char* given, char* target, uint64_t bytes, MPI_Datatype type, MPI_Op op) {
  const MPI_Datatype base = base_of(type);
  MPI_Aint lower, extent;
  PMPI_Type_get_extent(base, &lower, &extent);
  const uint64_t size = packed_bytes(1, base);
  const int n = size == 0 ? 0 : (int)(bytes / size);
  char* a = room("a one-sided operation", (uint64_t)n * (uint64_t)extent);
  char* b = room("a one-sided operation", (uint64_t)n * (uint64_t)extent);
  unpack(given, bytes, a, n, base);
  unpack(target, bytes, b, n, base);
  PMPI_Reduce_local(a, b, n, base, op);
  pack(b, n, base, target);
  free(a);
  free(b);
}

/* What an operation does to a target, and what it brings back. */
typedef struct {
  enum slk_operation operation;
  const void* sent; /* null: nothing */
  int n_sent;
  MPI_Datatype sent_type;
  void* result; /* null: nothing */
  int n_result;
  MPI_Datatype result_type;
  int target;
  MPI_Aint place;
  int count;
  MPI_Datatype type;
  MPI_Op op; /* MPI_REPLACE: put */
} Access;

static void move(const Window* w, const Access* x) {
  const uint64_t bytes = packed_bytes(x->count, x->type);
  Reached r = reach(w, x->target, x->place, x->count, x->type);
  char* packed = room("a one-sided operation", bytes);
  pack(r.data, x->count, x->type, packed);
  const int changes = x->op != MPI_NO_OP;
  char* given = room("a one-sided operation", bytes);
  if (changes) pack(x->sent, x->n_sent, x->sent_type, given);
  if (x->result != NULL) unpack(packed, bytes, x->result, x->n_result, x->result_type);
  if (changes && x->op != MPI_REPLACE) combine(given, packed, bytes, x->type, x->op);
  if (changes) unpack(x->op == MPI_REPLACE ? given : packed, bytes, r.data, x->count, x->type);
  leave(&r, changes);
  free(given);
  free(packed);
}

static void access_target(const Access* x, MPI_Win handle, MPI_Request* request) {
  if (x->target == MPI_PROC_NULL) {
    if (request != NULL) *request = together(0, NULL);
    return;
  }
  const Window* w = find_window(handle);
  const uint64_t bytes = packed_bytes(x->count, x->type);
  struct slk_online_call* call = new_call(x->operation, w->comm);
  call->peer = world_of(w->comm, x->target);
  call->bytes = x->op != MPI_NO_OP ? bytes : 0;
  call->back = x->result != NULL ? bytes : 0;
  if (request != NULL) {
    const uint32_t place = new_request();
    *pending(place) = (Pending){.kind = REQUEST_TRANSFER, .active = 1, .comm = w->comm};
    name_request(call, place);
    *request = handle_of(place);
  }
  ask();
  move(w, x);
}

/* All transfers but MPI_Compare_and_swap; `request`: null for those without one. */
void simulate_get_accumulate(enum slk_operation operation, const void* sent, int n_sent,
                             MPI_Datatype sent_type, void* result, int n_result,
                             MPI_Datatype result_type, int target, MPI_Aint place, int count,
                             MPI_Datatype type, MPI_Op op, MPI_Win window, MPI_Request* request) {
  const Access x = {operation,   sent,   n_sent, sent_type, result, n_result,
                    result_type, target, place,  count,     type,   op};
  access_target(&x, window, request);
}

void simulate_put(enum slk_operation operation, const void* sent, int n_sent,
                  MPI_Datatype sent_type, int target, MPI_Aint place, int count, MPI_Datatype type,
                  MPI_Win window, MPI_Request* request) {
  simulate_get_accumulate(operation, sent, n_sent, sent_type, NULL, 0, MPI_DATATYPE_NULL, target,
                          place, count, type, MPI_REPLACE, window, request);
}

void simulate_get(enum slk_operation operation, void* result, int n_result,
                  MPI_Datatype result_type, int target, MPI_Aint place, int count,
                  MPI_Datatype type, MPI_Win window, MPI_Request* request) {
  simulate_get_accumulate(operation, NULL, 0, MPI_DATATYPE_NULL, result, n_result, result_type,
                          target, place, count, type, MPI_NO_OP, window, request);
}

void simulate_accumulate(enum slk_operation operation, const void* sent, int n_sent,
                         MPI_Datatype sent_type, int target, MPI_Aint place, int count,
                         MPI_Datatype type, MPI_Op op, MPI_Win window, MPI_Request* request) {
  simulate_get_accumulate(operation, sent, n_sent, sent_type, NULL, 0, MPI_DATATYPE_NULL, target,
                          place, count, type, op, window, request);
}

void simulate_compare_and_swap(const void* sent, const void* expected, void* result,
                               MPI_Datatype type, int target, MPI_Aint place, MPI_Win handle) {
  if (target == MPI_PROC_NULL) return;
  const Window* w = find_window(handle);
  const uint64_t bytes = packed_bytes(1, type);
  struct slk_online_call* call = new_call(SLK_OP_compare_and_swap, w->comm);
  call->peer = world_of(w->comm, target);
  call->bytes = 2 * bytes;
  call->back = bytes;
  ask();
  Reached r = reach(w, target, place, 1, type);
  memcpy(result, r.data, bytes);
  const int swaps = memcmp(r.data, expected, bytes) == 0;
  if (swaps) memcpy(r.data, sent, bytes);
  leave(&r, swaps);
}
