#include "replay.h"

/* Buffers are shared by all calls, and what is in them is nothing. */

/* A type of that size, whose reduction costs what the usual one of that size does. */
static MPI_Datatype type_of(const struct shape* s) {
  const uint64_t size = s->tag > 0 ? (uint64_t)s->tag : 1;
  if (s->bytes % size != 0) return MPI_BYTE;
  for (uint32_t i = 0; i < s->n_args; ++i) {
    if (s->args[i] % (int64_t)size != 0) return MPI_BYTE;
  }
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

/* In which parts a reduction's blocks are counted: elements, or bytes. */
static int unit_of(const struct shape* s) {
  return s->make != reduction || type_of(s) == MPI_BYTE ? 1 : s->tag;
}

static MPI_Op op_of(const struct replay* r, const struct shape* s, MPI_Datatype type) {
  if ((s->flags & SLK_REPLAY_NON_COMMUTATIVE) != 0 && type == MPI_DOUBLE) return r->sum;
  return type == MPI_BYTE ? MPI_BOR : MPI_SUM;
}

static int root_of(const struct shape* s) {
  if (s->peer == SLK_PEER_ROOT) return MPI_ROOT;
  return s->peer < 0 ? MPI_PROC_NULL : s->peer;
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

/* How many blocks the arguments hold, and where they begin: of what is sent, or of the only list.
 */
static const int64_t* sent_values(const struct shape* s, uint32_t* n) {
  *n = s->make == all_to_each ? s->n_args / 2 : s->n_args;
  if (s->make != neighbours) return s->args;
  *n = s->n_args > 1 ? (uint32_t)s->args[0] : 0;
  return s->args + 1;
}

void prepare_blocks(struct shape* s) {
  const int has_one = s->make == collective || s->make == scatter || s->make == reduction;
  const int has_two = s->make == all_to_each || s->make == neighbours;
  if ((!has_one && !has_two) || s->n_args == 0) return;
  uint32_t n;
  const int64_t* const sent = sent_values(s, &n);
  s->blocks = allocate(1, sizeof *s->blocks);
  s->blocks->sent = s->blocks->received = list_of(sent, n, unit_of(s));
  if (has_one) return;
  const int64_t* const received = sent == s->args ? sent + n : sent + n + 1;
  const uint32_t n_received = (uint32_t)(s->args + s->n_args - received);
  s->blocks->received = list_of(received, n_received, 1);
}

static struct arguments arguments_of(struct replay* r, const struct shape* s) {
  static const struct blocks none;
  const struct blocks* b = s->blocks != NULL ? s->blocks : &none;
  const int in_place = (s->flags & SLK_REPLAY_IN_PLACE) != 0;
  return (struct arguments){.sbuf = in_place ? MPI_IN_PLACE : r->send,
                            .sn = (int)s->bytes,
                            .sns = b->sent.bytes,
                            .sd = b->sent.at,
                            .sa = b->sent.address,
                            .stype = MPI_BYTE,
                            .stypes = b->sent.types,
                            .rbuf = r->receive,
                            .rn = (int)s->bytes,
                            .rns = b->received.bytes,
                            .rd = b->received.at,
                            .ra = b->received.address,
                            .rtype = MPI_BYTE,
                            .rtypes = b->received.types,
                            .root = root_of(s),
                            .c = r->comms[s->comm],
                            .r = &r->requests[s->request]};
}

void collective(struct replay* r, const struct shape* s) {
  const struct arguments a = arguments_of(r, s);
  call(s->op, &a);
}

/* A function of its own, as prepare_blocks() tells by the address which blocks a call needs. */
void all_to_each(struct replay* r, const struct shape* s) {
  collective(r, s);
}

/* It is the root that does not receive its own block. */
void scatter(struct replay* r, const struct shape* s) {
  struct arguments a = arguments_of(r, s);
  if (a.sbuf == MPI_IN_PLACE) a.rbuf = MPI_IN_PLACE;
  a.sbuf = r->send;
  call(s->op, &a);
}

void reduction(struct replay* r, const struct shape* s) {
  struct arguments a = arguments_of(r, s);
  a.rtype = type_of(s);
  a.op = op_of(r, s, a.rtype);
  a.rn /= unit_of(s);
  call(s->op, &a);
}

/* The size that all blocks of such a call have. */
static int block(const struct block_list* list) {
  return list->n > 0 ? list->bytes[0] : 0;
}

void neighbours(struct replay* r, const struct shape* s) {
  struct arguments a = arguments_of(r, s);
  const struct blocks* b = s->blocks;
  a.sn = b != NULL ? block(&b->sent) : 0;
  a.rn = b != NULL ? block(&b->received) : 0;
  call(s->op, &a);
}
