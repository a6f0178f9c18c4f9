/* Collectives: every member contributes a block; the simulator tells when a member may leave, and
 * where the blocks of all members are, and the member takes from them what the operation gives it.
 * The times are those of the messages that the chosen algorithm sends, which carry no data.
 *
 * Blocks for several members begin with an index: where the part of each begins and the last one
 * ends. */
#include <stdlib.h>
#include <string.h>

#include "collectives.h"

struct Collective {
  Arguments a;
  const Comm* comm;
  int own_stays; /* MPI_IN_PLACE: the member's own block is where it belongs */
};

Side sent_side(const Arguments* a) {
  return (Side){a->sbuf, a->sn, a->sns, a->sd, a->sa, a->stype, a->stypes, 0};
}
Side received_side(const Arguments* a) {
  return (Side){a->rbuf, a->rn, a->rns, a->rd, a->ra, a->rtype, a->rtypes, 0};
}
MPI_Datatype type_at(const Side* side, int i) {
  return side->types != NULL ? side->types[i] : side->type;
}
int count_at(const Side* side, int i) {
  return side->counts != NULL ? side->counts[i] : side->count;
}
uint64_t bytes_at(const Side* side, int i) {
  return packed_bytes(count_at(side, i), type_at(side, i));
}
void* part_at(const Side* side, int i) {
  char* begin = (char*)(uintptr_t)side->buffer;
  if (side->is_same) return begin;
  if (side->bytes != NULL) return begin + side->bytes[i];
  if (side->types != NULL) return begin + side->places[i];
  return element(begin, side->places != NULL ? side->places[i] : (int64_t)i * side->count,
                 side->type);
}

static const uint64_t* index_of(uint64_t block) {
  return (const uint64_t*)(const void*)block_data(block);
}

static uint64_t* new_index(uint64_t block) {
  return (uint64_t*)(void*)block_data(block);
}

/* Contributions. */

static uint64_t parts_block(const Comm* comm, const Side* side) {
  const uint64_t head = ((uint64_t)comm->size + 1) * sizeof(uint64_t);
  uint64_t bytes = head;
  for (int r = 0; r < comm->size; ++r) bytes += bytes_at(side, r);
  const uint64_t block = new_block(bytes);
  uint64_t* index = new_index(block);
  uint64_t at = head;
  for (int r = 0; r < comm->size; ++r) {
    index[r] = at;
    pack(part_at(side, r), count_at(side, r), type_at(side, r), block_data(block) + at);
    at += bytes_at(side, r);
  }
  index[comm->size] = at;
  return block;
}

/* Results. */

static void take_block(const Collective* c, int member, const char* from, uint64_t bytes) {
  const Side in = received_side(&c->a);
  unpack(from, bytes, part_at(&in, member), count_at(&in, member), type_at(&in, member));
}

static void take_whole(const Collective* c, int member, uint64_t block) {
  take_block(c, member, block_data(block), block_bytes(block));
}

/* gather, allgather: every member's whole block. */
static void take_all(const Collective* c, const int64_t* blocks) {
  for (int r = 0; r < c->comm->size; ++r) {
    if (!c->own_stays || r != c->comm->rank) take_whole(c, r, (uint64_t)blocks[r]);
  }
}

/* This member's part of a block with an index. */
static void take_part(const Collective* c, uint64_t block, int member) {
  const uint64_t* index = index_of(block);
  const int own = c->comm->rank;
  take_block(c, member, block_data(block) + index[own], index[own + 1] - index[own]);
}

static void take_parts(const Collective* c, const int64_t* blocks) {
  for (int r = 0; r < c->comm->size; ++r) take_part(c, (uint64_t)blocks[r], r);
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
  Operand operand = {.memory = room("a reduction", bytes)};
  operand.data = operand.memory - lower;
  return operand;
}

/* The members' vectors from `first` to `last`, in their order, packed into a new block. */
static uint64_t reduced(const Collective* c, const int64_t* blocks, int count, int last) {
  Operand sum = new_operand(count, c->a.rtype);
  Operand next = new_operand(count, c->a.rtype);
  const uint64_t bytes = packed_bytes(count, c->a.rtype);
  unpack(block_data((uint64_t)blocks[0]), bytes, sum.data, count, c->a.rtype);
  for (int r = 1; r <= last; ++r) {
    unpack(block_data((uint64_t)blocks[r]), bytes, next.data, count, c->a.rtype);
    PMPI_Reduce_local(sum.data, next.data, count, c->a.rtype, c->a.op); /* next = sum op next */
    const Operand old = sum;
    sum = next;
    next = old;
  }
  const uint64_t block = packed_block(sum.data, count, c->a.rtype);
  free(sum.memory);
  free(next.memory);
  return block;
}

/* How many elements the members before that one get. */
static int count_before(const Arguments* a, int member) {
  const Side in = received_side(a);
  int sum = 0;
  for (int r = 0; r < member; ++r) sum += count_at(&in, r);
  return sum;
}

static int is_scattered(const Arguments* a) {
  return a->operation == SLK_OP_reduce_scatter || a->operation == SLK_OP_reduce_scatter_block;
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
  const Arguments* a = &c->a;
  const int own = c->comm->rank, scatters = is_scattered(a);
  const int count = scatters ? count_before(a, c->comm->size) : a->rn;
  const uint64_t result = common_result(c, blocks, count, known, shared);
  const Side in = received_side(a);
  const int before = scatters ? count_before(a, own) : 0;
  unpack(block_data(result) + packed_bytes(before, a->rtype), bytes_at(&in, own), a->rbuf,
         count_at(&in, own), a->rtype);
  if (!shared) release_block(result);
}

static void take_prefix(const Collective* c, const int64_t* blocks) {
  const int last = c->a.operation == SLK_OP_scan ? c->comm->rank : c->comm->rank - 1;
  if (last < 0) return;
  const uint64_t result = reduced(c, blocks, c->a.rn, last);
  unpack(block_data(result), block_bytes(result), c->a.rbuf, c->a.rn, c->a.rtype);
  release_block(result);
}

static void take_result(const Collective* c, const int64_t* blocks, uint64_t known, int shared) {
  const int at_root = c->comm->rank == c->a.root;
  switch (c->a.operation) {
    case SLK_OP_bcast:
      if (!at_root) take_whole(c, 0, (uint64_t)blocks[c->a.root]);
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
      if (!c->own_stays) take_part(c, (uint64_t)blocks[c->a.root], 0);
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
  drop_type(c->a.rtype);
  for (int r = 0; c->a.rtypes != NULL && r < c->comm->size; ++r) drop_type(c->a.rtypes[r]);
  free((void*)(uintptr_t)c->a.rtypes);
  free(c);
}

/* What the simulator is told of the call. */
typedef struct {
  uint64_t bytes;
  int element;
  int in_place;
  int does_not_commute;
  uint64_t block;
  uint32_t n_args; /* in lists() */
} Told;

static int type_bytes(MPI_Datatype type) {
  return (int)packed_bytes(1, type);
}

/* The sizes of all members' blocks. */
static uint32_t list_blocks(const Comm* comm, const Side* side, int64_t* to) {
  for (int r = 0; r < comm->size; ++r) to[r] = (int64_t)bytes_at(side, r);
  return (uint32_t)comm->size;
}

static Told tell_bcast(const Arguments* a, const Comm* comm) {
  const int at_root = comm->rank == a->root;
  return (Told){.bytes = packed_bytes(a->rn, a->rtype),
                .element = type_bytes(a->rtype),
                .block = at_root ? packed_block(a->rbuf, a->rn, a->rtype) : new_block(0)};
}

static Told tell_reduction(const Arguments* a, const Comm* comm) {
  const int in_place = a->sbuf == MPI_IN_PLACE;
  const int count = is_scattered(a) ? count_before(a, comm->size) : a->rn;
  const Side in = received_side(a);
  int commutes = 1;
  PMPI_Op_commutative(a->op, &commutes);
  return (Told){.bytes = bytes_at(&in, comm->rank),
                .element = type_bytes(a->rtype),
                .in_place = in_place,
                .does_not_commute = !commutes,
                .block = packed_block(in_place ? a->rbuf : a->sbuf, count, a->rtype),
                .n_args = a->rns != NULL ? list_blocks(comm, &in, lists()) : 0};
}

/* gather(v) and allgather(v), which has no root. */
static Told tell_gather(const Arguments* a, const Comm* comm) {
  const Side in = received_side(a);
  const int rooted = a->root >= 0, receives = !rooted || comm->rank == a->root;
  const int in_place = a->sbuf == MPI_IN_PLACE;
  const int own_count = in_place ? count_at(&in, comm->rank) : a->sn;
  const MPI_Datatype own_type = in_place ? a->rtype : a->stype;
  const int sized = a->rns != NULL;
  const int whole = !sized && receives && rooted; /* what one pair exchanges, as the root has it */
  return (Told){
      .bytes = whole ? packed_bytes(a->rn, a->rtype) : packed_bytes(own_count, own_type),
      .element = type_bytes(receives && (sized || rooted) ? a->rtype : own_type),
      .in_place = in_place,
      .block = packed_block(in_place ? part_at(&in, comm->rank) : a->sbuf, own_count, own_type),
      .n_args = sized && receives ? list_blocks(comm, &in, lists()) : 0};
}

static Told tell_scatter(const Arguments* a, const Comm* comm) {
  const Side out = sent_side(a);
  const int at_root = comm->rank == a->root, sized = a->sns != NULL;
  const int in_place = a->rbuf == MPI_IN_PLACE;
  return (Told){.bytes = at_root && (!sized || in_place) ? bytes_at(&out, a->root)
                                                         : packed_bytes(a->rn, a->rtype),
                .element = type_bytes(at_root ? a->stype : a->rtype),
                .in_place = in_place,
                .block = at_root ? parts_block(comm, &out) : new_block(0),
                .n_args = sized && at_root ? list_blocks(comm, &out, lists()) : 0};
}

static Told tell_alltoall(const Arguments* a, const Comm* comm) {
  const int in_place = a->sbuf == MPI_IN_PLACE;
  const Side in = received_side(a), out = in_place ? in : sent_side(a);
  Told told = {.bytes = bytes_at(&out, 0),
               .element = type_bytes(type_at(&out, 0)),
               .in_place = in_place,
               .block = parts_block(comm, &out)};
  if (a->rns == NULL) return told;
  told.element = type_bytes(type_at(&in, 0));
  told.n_args = list_blocks(comm, &out, lists());
  told.n_args += list_blocks(comm, &in, lists() + comm->size);
  told.bytes = 0;
  for (int r = 0; r < comm->size; ++r) told.bytes += (uint64_t)lists()[r];
  return told;
}

static Told tell(const Arguments* a, const Comm* comm) {
  switch (a->operation) {
    case SLK_OP_barrier:
      return (Told){.block = new_block(0)};
    case SLK_OP_bcast:
      return tell_bcast(a, comm);
    case SLK_OP_gather:
    case SLK_OP_gatherv:
    case SLK_OP_allgather:
    case SLK_OP_allgatherv:
      return tell_gather(a, comm);
    case SLK_OP_scatter:
    case SLK_OP_scatterv:
      return tell_scatter(a, comm);
    case SLK_OP_alltoall:
    case SLK_OP_alltoallv:
    case SLK_OP_alltoallw:
      return tell_alltoall(a, comm);
    default:
      return tell_reduction(a, comm);
  }
}

static const MPI_Datatype* kept_types(const MPI_Datatype* types, int n) {
  if (types == NULL) return NULL;
  MPI_Datatype* kept = room("a collective", sizeof *kept * (size_t)n);
  for (int r = 0; r < n; ++r) kept[r] = kept_type(types[r]);
  return kept;
}

/* Blocking if `request` is null. */
static void perform(const Arguments* a, const Comm* comm, MPI_Request* request) {
  const Told told = tell(a, comm);
  const int scatters = a->operation == SLK_OP_scatter || a->operation == SLK_OP_scatterv;
  const Collective what = {*a, comm, (scatters ? a->rbuf : a->sbuf) == MPI_IN_PLACE};
  struct slk_online_call* call = new_call(request == NULL ? a->operation : a->nonblocking, comm);
  call->peer = a->root < 0 ? SLK_PEER_NONE : comm->members[a->root];
  call->bytes = told.bytes;
  call->tag = told.element;
  call->flags = (told.in_place ? (uint32_t)SLK_FLAG_IN_PLACE : 0u) |
                (told.does_not_commute ? (uint32_t)SLK_FLAG_NON_COMMUTATIVE : 0u);
  call->data = told.block;
  call->n_args = told.n_args;
  if (request == NULL) {
    const struct slk_online_answer* answer = ask();
    take_result(&what, lists() + (answer->board - 1), answer->result, 1);
    return;
  }
  const uint32_t place = new_request();
  name_request(call, place);
  Collective* kept = room("a collective", sizeof *kept);
  *kept = what;
  kept->a.rtype = kept_type(a->rtype);
  kept->a.rtypes = kept_types(a->rtypes, comm->size);
  *pending(place) =
      (Pending){.kind = REQUEST_COLLECTIVE, .active = 1, .comm = comm, .collective = kept};
  ask();
  *request = handle_of(place);
}

int simulate_collective(const Arguments* a, MPI_Request* request) {
  const Comm* comm = find_comm(a->c);
  if (!comm->is_inter) {
    perform(a, comm, request);
    return MPI_SUCCESS;
  }
  const int status = inter_collective(a);
  if (request != NULL) *request = together(0, NULL);
  return status;
}

void simulate_keep(const Arguments* a, MPI_Request* request) {
  Arguments* kept = room("a persistent collective", sizeof *kept);
  *kept = *a;
  const uint32_t place = new_request();
  *pending(place) =
      (Pending){.kind = REQUEST_TOGETHER, .persistent = 1, .again = kept, .main_part = -1};
  *request = handle_of(place);
}
