/* Collectives: every member contributes a block; the simulator tells when a member may leave, and
 * where the blocks of all members are, and the member takes from them what the operation gives it.
 * The times are those of the messages that the chosen algorithm sends, which carry no data.
 *
 * Blocks for several members begin with an index: where the part of each begins and the last one
 * ends. */
#include <string.h>

#include "collectives.h"
#include "shared.h"

typedef struct Collective {
  enum slk_operation operation; /* the blocking form */
  const Comm* comm;
  int root;
  void* received;
  int count; /* of one block, or of the vector */
  const int* counts;
  const int* places;
  MPI_Datatype type;
  const MPI_Datatype* types; /* of MPI_Alltoallw, whose places are bytes */
  MPI_Op op;
  int own_stays; /* MPI_IN_PLACE: the member's own block is where it belongs */
} Collective;

static const uint64_t* index_of(uint64_t block) {
  return (const uint64_t*)(const void*)block_data(block);
}

static uint64_t* new_index(uint64_t block) {
  return (uint64_t*)(void*)block_data(block);
}

/* Contributions. */

static uint64_t parts_block(const Comm* comm, const void* buffer, const int* counts, int count,
                            const int* places, MPI_Datatype type, const MPI_Datatype* types) {
  const uint64_t head = ((uint64_t)comm->size + 1) * sizeof(uint64_t);
  uint64_t bytes = head;
  for (int r = 0; r < comm->size; ++r) {
    bytes += packed_bytes(counts != NULL ? counts[r] : count, types != NULL ? types[r] : type);
  }
  const uint64_t block = new_block(bytes);
  uint64_t* index = new_index(block);
  uint64_t at = head;
  for (int r = 0; r < comm->size; ++r) {
    const int n = counts != NULL ? counts[r] : count;
    const MPI_Datatype of = types != NULL ? types[r] : type;
    const void* from = types != NULL
                           ? (const char*)buffer + places[r]
                           : element(buffer, places != NULL ? places[r] : (int64_t)r * n, of);
    index[r] = at;
    pack(from, n, of, block_data(block) + at);
    at += packed_bytes(n, of);
  }
  index[comm->size] = at;
  return block;
}

/* Results. */

static void* place_for(const Collective* c, int member) {
  if (c->types != NULL) return (char*)c->received + c->places[member];
  const int64_t at = c->places != NULL ? c->places[member] : (int64_t)member * c->count;
  return element(c->received, at, c->type);
}

static void take_block(const Collective* c, int member, const char* from, uint64_t bytes,
                       void* to) {
  const MPI_Datatype type = c->types != NULL ? c->types[member] : c->type;
  unpack(from, bytes, to, c->counts != NULL ? c->counts[member] : c->count, type);
}

/* gather, allgather: every member's whole block. */
static void take_all(const Collective* c, const int64_t* blocks) {
  for (int r = 0; r < c->comm->size; ++r) {
    if (c->own_stays && r == c->comm->rank) continue;
    const uint64_t block = (uint64_t)blocks[r];
    take_block(c, r, block_data(block), block_bytes(block), place_for(c, r));
  }
}

/* This member's part of a block with an index. */
static void take_part(const Collective* c, uint64_t block, int member, void* to) {
  const uint64_t* index = index_of(block);
  const int own = c->comm->rank;
  take_block(c, member, block_data(block) + index[own], index[own + 1] - index[own], to);
}

static void take_parts(const Collective* c, const int64_t* blocks) {
  for (int r = 0; r < c->comm->size; ++r) take_part(c, (uint64_t)blocks[r], r, place_for(c, r));
}

/* Where elements of a type lie, as the reduction wants them. */
typedef struct {
  char* memory;
  char* data;
} Operand;

static Operand new_operand(int count, MPI_Datatype type) {
  MPI_Aint lower, extent;
  PMPI_Type_get_true_extent(type, &lower, &extent);
  MPI_Aint all_lower, all_extent;
  PMPI_Type_get_extent(type, &all_lower, &all_extent);
  const size_t bytes = (size_t)(extent + (count > 0 ? count - 1 : 0) * all_extent);
  Operand operand = {.memory = malloc(bytes + 1)};
  if (operand.memory == NULL) refuse("a reduction", "no memory is left");
  operand.data = operand.memory - lower;
  return operand;
}

/* The members' vectors from `first` to `last`, in their order, packed into a new block. */
static uint64_t reduced(const Collective* c, const int64_t* blocks, int count, int last) {
  Operand sum = new_operand(count, c->type);
  Operand next = new_operand(count, c->type);
  const uint64_t bytes = packed_bytes(count, c->type);
  unpack(block_data((uint64_t)blocks[0]), bytes, sum.data, count, c->type);
  for (int r = 1; r <= last; ++r) {
    unpack(block_data((uint64_t)blocks[r]), bytes, next.data, count, c->type);
    PMPI_Reduce_local(sum.data, next.data, count, c->type, c->op); /* next = sum op next */
    const Operand old = sum;
    sum = next;
    next = old;
  }
  const uint64_t block = packed_block(sum.data, count, c->type);
  free(sum.memory);
  free(next.memory);
  return block;
}

static int total_count(const Collective* c) {
  if (c->counts == NULL) return c->count * c->comm->size;
  int sum = 0;
  for (int r = 0; r < c->comm->size; ++r) sum += c->counts[r];
  return sum;
}

/* The reduction of all members, which the first that leaves computes for the others. */
static uint64_t common_result(const Collective* c, const int64_t* blocks, int count, uint64_t known,
                              int shared) {
  if (known != 0) return known;
  const uint64_t block = reduced(c, blocks, count, c->comm->size - 1);
  if (shared) tell_result(block);
  return block;
}

static void take_reduction(const Collective* c, const int64_t* blocks, uint64_t known, int shared) {
  const int scatters =
      c->operation == SLK_OP_reduce_scatter || c->operation == SLK_OP_reduce_scatter_block;
  const int count = scatters ? total_count(c) : c->count;
  const uint64_t result = common_result(c, blocks, count, known, shared);
  if (!scatters) {
    unpack(block_data(result), block_bytes(result), c->received, c->count, c->type);
  } else {
    int before = 0;
    for (int r = 0; r < c->comm->rank; ++r) before += c->counts != NULL ? c->counts[r] : c->count;
    const int own = c->counts != NULL ? c->counts[c->comm->rank] : c->count;
    unpack(block_data(result) + packed_bytes(before, c->type), packed_bytes(own, c->type),
           c->received, own, c->type);
  }
  if (!shared) release_block(result);
}

static void take_prefix(const Collective* c, const int64_t* blocks) {
  const int last = c->operation == SLK_OP_scan ? c->comm->rank : c->comm->rank - 1;
  if (last < 0) return;
  const uint64_t result = reduced(c, blocks, c->count, last);
  unpack(block_data(result), block_bytes(result), c->received, c->count, c->type);
  release_block(result);
}

static void take_result(const Collective* c, const int64_t* blocks, uint64_t known, int shared) {
  const int at_root = c->comm->rank == c->root;
  switch (c->operation) {
    case SLK_OP_bcast:
      if (!at_root)
        take_block(c, 0, block_data((uint64_t)blocks[c->root]),
                   block_bytes((uint64_t)blocks[c->root]), c->received);
      return;
    case SLK_OP_reduce:
      if (at_root) take_reduction(c, blocks, known, 0);
      return;
    case SLK_OP_allreduce:
    case SLK_OP_reduce_scatter:
    case SLK_OP_reduce_scatter_block:
      take_reduction(c, blocks, known, shared);
      return;
    case SLK_OP_scan:
    case SLK_OP_exscan:
      take_prefix(c, blocks);
      return;
    case SLK_OP_gather:
    case SLK_OP_gatherv:
      if (at_root) take_all(c, blocks);
      return;
    case SLK_OP_allgather:
    case SLK_OP_allgatherv:
      take_all(c, blocks);
      return;
    case SLK_OP_scatter:
    case SLK_OP_scatterv:
      if (!c->own_stays) take_part(c, (uint64_t)blocks[c->root], 0, c->received);
      return;
    case SLK_OP_alltoall:
    case SLK_OP_alltoallv:
    case SLK_OP_alltoallw:
      take_parts(c, blocks);
      return;
    default:
      return;
  }
}

void finish_collective(Collective* c, uint64_t board, uint64_t known) {
  if (board != 0) take_result(c, lists() + (board - 1), known, 0);
  drop_type(c->type);
  for (int r = 0; c->types != NULL && r < c->comm->size; ++r) drop_type(c->types[r]);
  free((void*)(uintptr_t)c->types);
  free(c);
}

/* The call, blocking if `request` is NULL. `c` is copied. */
typedef struct {
  uint64_t bytes;
  int element;
  int in_place;
  int commutes;
  uint64_t block;
  uint32_t n_args; /* in lists() */
} Told;

static int type_bytes(MPI_Datatype type) {
  int bytes = 0;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &bytes);
  return bytes;
}

static const MPI_Datatype* kept_types(const MPI_Datatype* types, int n) {
  if (types == NULL) return NULL;
  MPI_Datatype* kept = malloc(sizeof *kept * (size_t)n);
  if (kept == NULL) refuse("a collective", "no memory is left");
  for (int r = 0; r < n; ++r) kept[r] = kept_type(types[r]);
  return kept;
}

static int perform(const Collective* what, const Told* told, MPI_Request* request) {
  struct slk_online_call* call = new_call(what->operation, what->comm);
  call->peer = what->root < 0 ? SLK_PEER_NONE : what->comm->members[what->root];
  call->bytes = told->bytes;
  call->tag = told->element;
  call->flags = (told->in_place ? (uint32_t)SLK_FLAG_IN_PLACE : 0u) |
                (told->commutes ? 0u : (uint32_t)SLK_FLAG_NON_COMMUTATIVE);
  call->data = told->block;
  call->n_args = told->n_args;
  if (request == NULL) {
    const struct slk_online_answer* answer = ask();
    take_result(what, lists() + (answer->board - 1), answer->result, 1);
    return MPI_SUCCESS;
  }
  call->operation = (uint32_t)(SLK_OP_ibarrier + ((int)what->operation - (int)SLK_OP_barrier));
  const uint32_t place = new_request();
  name_request(call, place);
  Collective* kept = malloc(sizeof *kept);
  if (kept == NULL) refuse("a collective", "no memory is left");
  *kept = *what;
  kept->type = kept_type(what->type);
  kept->types = kept_types(what->types, what->comm->size);
  *pending(place) =
      (Pending){.kind = REQUEST_COLLECTIVE, .active = 1, .comm = what->comm, .collective = kept};
  ask();
  *request = handle_of(place);
  return MPI_SUCCESS;
}

static int barrier(MPI_Comm comm, MPI_Request* request) {
  const Collective what = {
      .operation = SLK_OP_barrier, .comm = find_comm(comm), .root = -1, .type = MPI_DATATYPE_NULL};
  const Told told = {.block = new_block(0), .commutes = 1};
  return perform(&what, &told, request);
}

static int bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                 MPI_Request* request) {
  const Collective what = {.operation = SLK_OP_bcast,
                           .comm = find_comm(comm),
                           .root = root,
                           .received = buffer,
                           .count = count,
                           .type = type};
  const Told told = {
      .bytes = packed_bytes(count, type),
      .element = type_bytes(type),
      .commutes = 1,
      .block = what.comm->rank == root ? packed_block(buffer, count, type) : new_block(0)};
  return perform(&what, &told, request);
}

static int reduce(enum slk_operation operation, const void* sent, void* received, int count,
                  const int* counts, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                  MPI_Request* request) {
  const Collective what = {.operation = operation,
                           .comm = find_comm(comm),
                           .root = root,
                           .received = received,
                           .count = count,
                           .counts = counts,
                           .type = type,
                           .op = op};
  const int in_place = sent == MPI_IN_PLACE;
  const int scatters =
      operation == SLK_OP_reduce_scatter || operation == SLK_OP_reduce_scatter_block;
  int commutes = 1;
  PMPI_Op_commutative(op, &commutes);
  Told told = {.bytes = packed_bytes(counts != NULL ? counts[what.comm->rank] : count, type),
               .element = type_bytes(type),
               .in_place = in_place,
               .commutes = commutes,
               .block = packed_block(in_place ? received : sent,
                                     scatters ? total_count(&what) : count, type)};
  if (counts != NULL) {
    told.n_args = (uint32_t)what.comm->size;
    for (int r = 0; r < what.comm->size; ++r) lists()[r] = (int64_t)packed_bytes(counts[r], type);
  }
  return perform(&what, &told, request);
}

/* gather(v) and allgather(v), which has no root. */
static int gather(enum slk_operation operation, const void* sent, int send_count,
                  MPI_Datatype send_type, void* received, int count, const int* counts,
                  const int* places, MPI_Datatype type, int root, MPI_Comm comm,
                  MPI_Request* request) {
  const Collective what = {.operation = operation,
                           .comm = find_comm(comm),
                           .root = root,
                           .received = received,
                           .count = count,
                           .counts = counts,
                           .places = places,
                           .type = type,
                           .own_stays = sent == MPI_IN_PLACE};
  const int rank = what.comm->rank;
  const int receives = root < 0 || rank == root;
  const int in_place = what.own_stays;
  const int own_count = in_place ? (counts != NULL ? counts[rank] : count) : send_count;
  const MPI_Datatype own_type = in_place ? type : send_type;
  const int whole =
      counts == NULL && receives && root >= 0; /* what one pair exchanges, as the root has it */
  Told told = {
      .bytes = whole ? packed_bytes(count, type) : packed_bytes(own_count, own_type),
      .element = type_bytes(receives && (counts != NULL || root >= 0) ? type : own_type),
      .in_place = in_place,
      .commutes = 1,
      .block = packed_block(in_place ? place_for(&what, rank) : sent, own_count, own_type)};
  if (counts != NULL && receives) {
    told.n_args = (uint32_t)what.comm->size;
    for (int r = 0; r < what.comm->size; ++r) lists()[r] = (int64_t)packed_bytes(counts[r], type);
  }
  return perform(&what, &told, request);
}

static int scatter(enum slk_operation operation, const void* sent, int send_count,
                   const int* counts, const int* places, MPI_Datatype send_type, void* received,
                   int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  const Collective what = {.operation = operation,
                           .comm = find_comm(comm),
                           .root = root,
                           .received = received,
                           .count = count,
                           .type = type,
                           .own_stays = received == MPI_IN_PLACE};
  const int at_root = what.comm->rank == root;
  const int own_count = counts != NULL && at_root ? counts[root] : count;
  Told told = {
      .bytes = at_root && counts == NULL   ? packed_bytes(send_count, send_type)
               : at_root && what.own_stays ? packed_bytes(own_count, send_type)
                                           : packed_bytes(count, type),
      .element = type_bytes(at_root ? send_type : type),
      .in_place = what.own_stays,
      .commutes = 1,
      .block = at_root ? parts_block(what.comm, sent, counts, send_count, places, send_type, NULL)
                       : new_block(0)};
  if (counts != NULL && at_root) {
    told.n_args = (uint32_t)what.comm->size;
    for (int r = 0; r < what.comm->size; ++r)
      lists()[r] = (int64_t)packed_bytes(counts[r], send_type);
  }
  return perform(&what, &told, request);
}

static int alltoall(const void* sent, int send_count, MPI_Datatype send_type, void* received,
                    int count, MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  const Collective what = {.operation = SLK_OP_alltoall,
                           .comm = find_comm(comm),
                           .root = -1,
                           .received = received,
                           .count = count,
                           .type = type};
  const int in_place = sent == MPI_IN_PLACE;
  const void* from = in_place ? received : sent;
  const int n = in_place ? count : send_count;
  const MPI_Datatype of = in_place ? type : send_type;
  const Told told = {.bytes = packed_bytes(n, of),
                     .element = type_bytes(of),
                     .in_place = in_place,
                     .commutes = 1,
                     .block = parts_block(what.comm, from, NULL, n, NULL, of, NULL)};
  return perform(&what, &told, request);
}

static int alltoallv(enum slk_operation operation, const void* sent, const int* send_counts,
                     const int* send_places, MPI_Datatype send_type, const MPI_Datatype* send_types,
                     void* received, const int* counts, const int* places, MPI_Datatype type,
                     const MPI_Datatype* types, MPI_Comm comm, MPI_Request* request) {
  const Collective what = {.operation = operation,
                           .comm = find_comm(comm),
                           .root = -1,
                           .received = received,
                           .counts = counts,
                           .places = places,
                           .type = type,
                           .types = types};
  const int in_place = sent == MPI_IN_PLACE;
  const int size = what.comm->size;
  const int* out = in_place ? counts : send_counts;
  const MPI_Datatype* out_types = in_place ? types : send_types;
  const MPI_Datatype out_type = in_place ? type : send_type;
  Told told = {.element = type_bytes(types != NULL ? types[0] : type),
               .in_place = in_place,
               .commutes = 1,
               .block = parts_block(what.comm, in_place ? received : sent, out, 0,
                                    in_place ? places : send_places, out_type, out_types),
               .n_args = 2u * (uint32_t)size};
  for (int r = 0; r < size; ++r) {
    lists()[r] = (int64_t)packed_bytes(out[r], out_types != NULL ? out_types[r] : out_type);
    lists()[size + r] = (int64_t)packed_bytes(counts[r], types != NULL ? types[r] : type);
    told.bytes += (uint64_t)lists()[r];
  }
  return perform(&what, &told, request);
}

int start_collective(const CollectiveArguments* a, MPI_Request* request) {
  const enum slk_operation operation = a->operation;
  switch (operation) {
    case SLK_OP_barrier:
      return barrier(a->comm, request);
    case SLK_OP_bcast:
      return bcast(a->received, a->count, a->type, a->root, a->comm, request);
    case SLK_OP_gather:
    case SLK_OP_gatherv:
    case SLK_OP_allgather:
    case SLK_OP_allgatherv:
      return gather(operation, a->sent, a->send_count, a->send_type, a->received, a->count,
                    a->counts, a->places, a->type, a->root, a->comm, request);
    case SLK_OP_scatter:
    case SLK_OP_scatterv:
      return scatter(operation, a->sent, a->send_count, a->send_counts, a->send_places,
                     a->send_type, a->received, a->count, a->type, a->root, a->comm, request);
    case SLK_OP_alltoall:
      return alltoall(a->sent, a->send_count, a->send_type, a->received, a->count, a->type, a->comm,
                      request);
    case SLK_OP_alltoallv:
    case SLK_OP_alltoallw:
      return alltoallv(operation, a->sent, a->send_counts, a->send_places, a->send_type,
                       a->send_types, a->received, a->counts, a->places, a->type, a->types, a->comm,
                       request);
    default:
      return reduce(operation, a->sent, a->received, a->count, a->counts, a->type, a->op, a->root,
                    a->comm, request);
  }
}
