#include "replay.h"

/* A collective as MPI takes it. Buffers are shared by all calls, and what is in them is nothing. */
struct arguments {
  const void* send;
  void* receive;
  int n; /* elements, or bytes of a block */
  int root;
  MPI_Datatype type; /* of reductions */
  MPI_Op op;
  MPI_Comm comm;
  MPI_Request* request;
  const struct blocks* blocks;
};

/* A type of that size, whose reduction costs what the usual one of that size does. */
static MPI_Datatype type_of(const struct shape* s) {
  const uint64_t size = s->tag > 0 ? (uint64_t)s->tag : 1;
  if (s->bytes % size != 0) return MPI_BYTE;
  switch (size) {
    case 2:
      return MPI_SHORT;
    case 4:
      return MPI_FLOAT;
    case 8:
      return MPI_DOUBLE;
    case 16:
      return MPI_C_DOUBLE_COMPLEX;
    default:
      return MPI_BYTE;
  }
}

static MPI_Op op_of(const struct replay* r, const struct shape* s, MPI_Datatype type) {
  if ((s->flags & SLK_REPLAY_NON_COMMUTATIVE) != 0 && type == MPI_DOUBLE) return r->sum;
  return type == MPI_BYTE ? MPI_BOR : MPI_SUM;
}

static int root_of(const struct shape* s) {
  if (s->peer == SLK_PEER_ROOT) return MPI_ROOT;
  return s->peer < 0 ? MPI_PROC_NULL : s->peer;
}

static const struct blocks no_blocks;

static struct arguments arguments_of(struct replay* r, const struct shape* s) {
  struct arguments a;
  const int in_place = (s->flags & SLK_REPLAY_IN_PLACE) != 0;
  a.send = in_place ? MPI_IN_PLACE : r->send;
  a.receive = r->receive;
  a.type = type_of(s);
  a.op = op_of(r, s, a.type);
  const int size = a.type == MPI_BYTE ? 1 : s->tag;
  a.n = (int)s->bytes / size;
  a.root = root_of(s);
  a.comm = r->comms[s->comm];
  a.request = &r->requests[s->request];
  a.blocks = s->blocks != NULL ? s->blocks : &no_blocks;
  return a;
}

/* How many blocks the arguments hold, and where they begin: of what is sent, or of the only list.
 */
static const int64_t* sent_values(const struct shape* s, uint32_t* n) {
  *n = s->n_args;
  if (s->op >= SLK_OP_ineighbor_allgather ||
      (s->op >= SLK_OP_neighbor_allgather && s->op <= SLK_OP_neighbor_alltoallw)) {
    *n = s->n_args > 1 ? (uint32_t)s->args[0] : 0;
    return s->args + 1;
  }
  const int of_pairs = s->op == SLK_OP_alltoallv || s->op == SLK_OP_alltoallw ||
                       s->op == SLK_OP_ialltoallv || s->op == SLK_OP_ialltoallw;
  if (of_pairs) *n /= 2;
  return s->args;
}

static struct block_list list_of(const int64_t* values, uint32_t n, int unit) {
  struct block_list list;
  list.n = n;
  list.bytes = allocate(n, sizeof *list.bytes);
  list.at = allocate(n, sizeof *list.at);
  list.address = allocate(n, sizeof *list.address);
  list.types = allocate(n, sizeof(MPI_Datatype));
  int at = 0;
  for (uint32_t i = 0; i < n; ++i) {
    list.bytes[i] = (int)values[i] / unit;
    list.at[i] = at;
    list.address[i] = at;
    list.types[i] = MPI_BYTE;
    at += list.bytes[i];
  }
  return list;
}

/* In which parts a reduction's blocks are counted: elements, or bytes. */
static int unit_of(const struct shape* s) {
  if (s->op != SLK_OP_reduce_scatter && s->op != SLK_OP_ireduce_scatter) return 1;
  const int unit = type_of(s) == MPI_BYTE ? 1 : s->tag;
  for (uint32_t i = 0; i < s->n_args; ++i) {
    if (s->args[i] % unit != 0) return 1;
  }
  return unit;
}

void prepare_blocks(struct shape* s) {
  const int makes_comm = s->op < SLK_OP_barrier || s->op > SLK_OP_ineighbor_alltoallw;
  if (makes_comm || s->n_args == 0) return;
  uint32_t n;
  const int64_t* const sent = sent_values(s, &n);
  const int64_t* const received = sent == s->args ? sent + n : sent + n + 1;
  const uint32_t n_received = (uint32_t)(s->args + s->n_args - received);
  s->blocks = allocate(1, sizeof *s->blocks);
  s->blocks->sent = list_of(sent, n, unit_of(s));
  s->blocks->received = list_of(received, n_received, 1);
}

static int one_vector(const struct shape* s, const struct arguments* a) {
  switch (s->op) {
    case SLK_OP_barrier:
      MPI_Barrier(a->comm);
      return 1;
    case SLK_OP_bcast:
      MPI_Bcast(a->receive, (int)s->bytes, MPI_BYTE, a->root, a->comm);
      return 1;
    case SLK_OP_reduce:
      MPI_Reduce(a->send, a->receive, a->n, a->type, a->op, a->root, a->comm);
      return 1;
    case SLK_OP_allreduce:
      MPI_Allreduce(a->send, a->receive, a->n, a->type, a->op, a->comm);
      return 1;
    case SLK_OP_scan:
      MPI_Scan(a->send, a->receive, a->n, a->type, a->op, a->comm);
      return 1;
    case SLK_OP_exscan:
      MPI_Exscan(a->send, a->receive, a->n, a->type, a->op, a->comm);
      return 1;
    case SLK_OP_reduce_scatter_block:
      MPI_Reduce_scatter_block(a->send, a->receive, a->n, a->type, a->op, a->comm);
      return 1;
    case SLK_OP_ibarrier:
      MPI_Ibarrier(a->comm, a->request);
      return 1;
    case SLK_OP_ibcast:
      MPI_Ibcast(a->receive, (int)s->bytes, MPI_BYTE, a->root, a->comm, a->request);
      return 1;
    case SLK_OP_ireduce:
      MPI_Ireduce(a->send, a->receive, a->n, a->type, a->op, a->root, a->comm, a->request);
      return 1;
    case SLK_OP_iallreduce:
      MPI_Iallreduce(a->send, a->receive, a->n, a->type, a->op, a->comm, a->request);
      return 1;
    case SLK_OP_iscan:
      MPI_Iscan(a->send, a->receive, a->n, a->type, a->op, a->comm, a->request);
      return 1;
    case SLK_OP_iexscan:
      MPI_Iexscan(a->send, a->receive, a->n, a->type, a->op, a->comm, a->request);
      return 1;
    case SLK_OP_ireduce_scatter_block:
      MPI_Ireduce_scatter_block(a->send, a->receive, a->n, a->type, a->op, a->comm, a->request);
      return 1;
    default:
      return 0;
  }
}

static int equal_blocks(struct replay* r, const struct shape* s, const struct arguments* a) {
  const int n = (int)s->bytes;
  const MPI_Datatype t = MPI_BYTE;
  /* In a scatter it is the root that does not receive its own block. */
  void* const scattered = a->send == MPI_IN_PLACE ? MPI_IN_PLACE : r->receive;
  switch (s->op) {
    case SLK_OP_gather:
      MPI_Gather(a->send, n, t, a->receive, n, t, a->root, a->comm);
      return 1;
    case SLK_OP_scatter:
      MPI_Scatter(r->send, n, t, scattered, n, t, a->root, a->comm);
      return 1;
    case SLK_OP_allgather:
      MPI_Allgather(a->send, n, t, a->receive, n, t, a->comm);
      return 1;
    case SLK_OP_alltoall:
      MPI_Alltoall(a->send, n, t, a->receive, n, t, a->comm);
      return 1;
    case SLK_OP_igather:
      MPI_Igather(a->send, n, t, a->receive, n, t, a->root, a->comm, a->request);
      return 1;
    case SLK_OP_iscatter:
      MPI_Iscatter(r->send, n, t, scattered, n, t, a->root, a->comm, a->request);
      return 1;
    case SLK_OP_iallgather:
      MPI_Iallgather(a->send, n, t, a->receive, n, t, a->comm, a->request);
      return 1;
    case SLK_OP_ialltoall:
      MPI_Ialltoall(a->send, n, t, a->receive, n, t, a->comm, a->request);
      return 1;
    default:
      return 0;
  }
}

static int sized_blocks(struct replay* r, const struct shape* s, const struct arguments* a) {
  const int n = (int)s->bytes;
  const MPI_Datatype t = MPI_BYTE;
  const struct block_list* const b = &a->blocks->sent;
  void* const scattered = a->send == MPI_IN_PLACE ? MPI_IN_PLACE : r->receive;
  switch (s->op) {
    case SLK_OP_gatherv:
      MPI_Gatherv(a->send, n, t, a->receive, b->bytes, b->at, t, a->root, a->comm);
      return 1;
    case SLK_OP_scatterv:
      MPI_Scatterv(r->send, b->bytes, b->at, t, scattered, n, t, a->root, a->comm);
      return 1;
    case SLK_OP_allgatherv:
      MPI_Allgatherv(a->send, n, t, a->receive, b->bytes, b->at, t, a->comm);
      return 1;
    case SLK_OP_igatherv:
      MPI_Igatherv(a->send, n, t, a->receive, b->bytes, b->at, t, a->root, a->comm, a->request);
      return 1;
    case SLK_OP_iscatterv:
      MPI_Iscatterv(r->send, b->bytes, b->at, t, scattered, n, t, a->root, a->comm, a->request);
      return 1;
    case SLK_OP_iallgatherv:
      MPI_Iallgatherv(a->send, n, t, a->receive, b->bytes, b->at, t, a->comm, a->request);
      return 1;
    default:
      return 0;
  }
}

static int reduced_blocks(struct replay* r, const struct shape* s, const struct arguments* a) {
  if (s->op != SLK_OP_reduce_scatter && s->op != SLK_OP_ireduce_scatter) return 0;
  const MPI_Datatype type = unit_of(s) == 1 ? MPI_BYTE : a->type;
  const MPI_Op op = op_of(r, s, type);
  if (s->op == SLK_OP_reduce_scatter) {
    MPI_Reduce_scatter(a->send, a->receive, a->blocks->sent.bytes, type, op, a->comm);
  } else {
    MPI_Ireduce_scatter(a->send, a->receive, a->blocks->sent.bytes, type, op, a->comm, a->request);
  }
  return 1;
}

static int all_to_all(const struct shape* s, const struct arguments* a) {
  const struct block_list* const out = &a->blocks->sent;
  const struct block_list* const in = &a->blocks->received;
  const MPI_Datatype t = MPI_BYTE;
  switch (s->op) {
    case SLK_OP_alltoallv:
      MPI_Alltoallv(a->send, out->bytes, out->at, t, a->receive, in->bytes, in->at, t, a->comm);
      return 1;
    case SLK_OP_alltoallw:
      MPI_Alltoallw(a->send, out->bytes, out->at, out->types, a->receive, in->bytes, in->at,
                    in->types, a->comm);
      return 1;
    case SLK_OP_ialltoallv:
      MPI_Ialltoallv(a->send, out->bytes, out->at, t, a->receive, in->bytes, in->at, t, a->comm,
                     a->request);
      return 1;
    case SLK_OP_ialltoallw:
      MPI_Ialltoallw(a->send, out->bytes, out->at, out->types, a->receive, in->bytes, in->at,
                     in->types, a->comm, a->request);
      return 1;
    default:
      return 0;
  }
}

/* The size that all blocks of such a call have. */
static int block(const struct block_list* list) {
  return list->n > 0 ? list->bytes[0] : 0;
}

static int neighbors(const struct shape* s, const struct arguments* a) {
  const struct block_list* const out = &a->blocks->sent;
  const struct block_list* const in = &a->blocks->received;
  const MPI_Datatype t = MPI_BYTE;
  switch (s->op) {
    case SLK_OP_neighbor_allgather:
      MPI_Neighbor_allgather(a->send, block(out), t, a->receive, block(in), t, a->comm);
      return 1;
    case SLK_OP_neighbor_allgatherv:
      MPI_Neighbor_allgatherv(a->send, block(out), t, a->receive, in->bytes, in->at, t, a->comm);
      return 1;
    case SLK_OP_neighbor_alltoall:
      MPI_Neighbor_alltoall(a->send, block(out), t, a->receive, block(in), t, a->comm);
      return 1;
    case SLK_OP_neighbor_alltoallv:
      MPI_Neighbor_alltoallv(a->send, out->bytes, out->at, t, a->receive, in->bytes, in->at, t,
                             a->comm);
      return 1;
    case SLK_OP_neighbor_alltoallw:
      MPI_Neighbor_alltoallw(a->send, out->bytes, out->address, out->types, a->receive, in->bytes,
                             in->address, in->types, a->comm);
      return 1;
    default:
      return 0;
  }
}

static int ineighbors(const struct shape* s, const struct arguments* a) {
  const struct block_list* const out = &a->blocks->sent;
  const struct block_list* const in = &a->blocks->received;
  const MPI_Datatype t = MPI_BYTE;
  switch (s->op) {
    case SLK_OP_ineighbor_allgather:
      MPI_Ineighbor_allgather(a->send, block(out), t, a->receive, block(in), t, a->comm,
                              a->request);
      return 1;
    case SLK_OP_ineighbor_allgatherv:
      MPI_Ineighbor_allgatherv(a->send, block(out), t, a->receive, in->bytes, in->at, t, a->comm,
                               a->request);
      return 1;
    case SLK_OP_ineighbor_alltoall:
      MPI_Ineighbor_alltoall(a->send, block(out), t, a->receive, block(in), t, a->comm, a->request);
      return 1;
    case SLK_OP_ineighbor_alltoallv:
      MPI_Ineighbor_alltoallv(a->send, out->bytes, out->at, t, a->receive, in->bytes, in->at, t,
                              a->comm, a->request);
      return 1;
    case SLK_OP_ineighbor_alltoallw:
      MPI_Ineighbor_alltoallw(a->send, out->bytes, out->address, out->types, a->receive, in->bytes,
                              in->address, in->types, a->comm, a->request);
      return 1;
    default:
      return 0;
  }
}

int collective(struct replay* r, const struct shape* s) {
  if (s->op < SLK_OP_barrier || s->op > SLK_OP_ineighbor_alltoallw) return 0;
  const struct arguments a = arguments_of(r, s);
  return one_vector(s, &a) || equal_blocks(r, s, &a) || sized_blocks(r, s, &a) ||
         reduced_blocks(r, s, &a) || all_to_all(s, &a) || neighbors(s, &a) || ineighbors(s, &a);
}
