#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "replay.h"

void give_up(const char* format, ...) {
  va_list words;
  va_start(words, format);
  fputs("slackline replay: ", stderr);
  vfprintf(stderr, format, words);
  fputs("\n", stderr);
  va_end(words);
  PMPI_Abort(MPI_COMM_WORLD, 3);
  exit(3);
}

void* allocate(size_t count, size_t size) {
  void* memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL) give_up("out of memory (%zu bytes)", count * size);
  return memory;
}

uint64_t read_unsigned(struct replay* r) {
  uint64_t value = 0;
  for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
    const unsigned char byte = *r->at++;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return value;
  }
  give_up("the program of rank %d is damaged", r->rank);
}

int64_t read_signed(struct replay* r) {
  const uint64_t value = read_unsigned(r);
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static void read_at(int file, uint64_t offset, void* to, size_t bytes) {
  char* at = to;
  while (bytes > 0) {
    const ssize_t got = pread(file, at, bytes, (off_t)offset);
    if (got <= 0) give_up("the program is incomplete");
    at += got;
    offset += (uint64_t)got;
    bytes -= (size_t)got;
  }
}

static int* read_members(struct replay* r, uint32_t* n) {
  const uint64_t runs = read_unsigned(r);
  int* members = allocate((size_t)r->ranks, sizeof *members);
  *n = 0;
  for (uint64_t i = 0; i < runs; ++i) {
    const int64_t first = (int64_t)read_unsigned(r);
    const int64_t stride = read_signed(r);
    const uint64_t count = read_unsigned(r);
    for (uint64_t k = 0; k < count && *n < (uint32_t)r->ranks; ++k) {
      members[(*n)++] = (int)(first + (int64_t)k * stride);
    }
  }
  return members;
}

static int* read_ranks(struct replay* r, uint32_t* n) {
  *n = (uint32_t)read_unsigned(r);
  int* ranks = allocate(*n, sizeof *ranks);
  for (uint32_t i = 0; i < *n; ++i) ranks[i] = (int)read_signed(r);
  return ranks;
}

static void read_comms(struct replay* r) {
  const size_t n = r->head.comms + 2;
  r->plans = allocate(n, sizeof *r->plans);
  r->comms = allocate(n, sizeof *r->comms);
  for (size_t i = 0; i < n; ++i) r->comms[i] = MPI_COMM_NULL;
  r->comms[SLK_COMM_WORLD] = MPI_COMM_WORLD;
  r->comms[SLK_COMM_SELF] = MPI_COMM_SELF;
  for (size_t i = 2; i < n; ++i) {
    struct comm_plan* plan = &r->plans[i];
    plan->flags = (uint8_t)read_unsigned(r);
    plan->own = read_members(r, &plan->n_own);
    plan->other = read_members(r, &plan->n_other);
    if ((plan->flags & SLK_REPLAY_COMM_TOPOLOGY) == 0) continue;
    plan->topology.out = read_ranks(r, &plan->topology.n_out);
    plan->topology.in = read_ranks(r, &plan->topology.n_in);
  }
}

/* One more than the program has: a MPI_Test of nothing, for calibrate(). */
static void read_shapes(struct replay* r) {
  r->shapes = allocate(r->head.shapes + 1, sizeof *r->shapes);
  r->shapes[r->head.shapes].op = SLK_OP_test;
  r->shapes[r->head.shapes].make = complete;
  for (uint32_t i = 0; i < r->head.shapes; ++i) {
    struct shape* s = &r->shapes[i];
    s->op = (uint8_t)read_unsigned(r);
    s->flags = (uint8_t)read_unsigned(r);
    s->peer = (int32_t)read_signed(r);
    s->tag = (int32_t)read_signed(r);
    s->comm = (uint32_t)read_unsigned(r);
    s->bytes = read_unsigned(r);
    s->request = (uint32_t)read_unsigned(r);
    s->n_args = (uint32_t)read_unsigned(r);
    int64_t* args = s->n_args > 0 ? allocate(s->n_args, sizeof *args) : NULL;
    for (uint32_t k = 0; k < s->n_args; ++k) args[k] = read_signed(r);
    s->args = args;
    s->make = maker_of(s->op);
    prepare_blocks(s);
    if (s->n_args > r->listed_room) r->listed_room = s->n_args;
  }
}

/* Touched here, so that no page is missing during the replay. */
static char* buffer(uint64_t bytes) {
  char* memory = allocate((size_t)bytes + 64, 1);
  memset(memory, 0, (size_t)bytes + 64);
  return memory;
}

static void make_buffers(struct replay* r) {
  r->send = buffer(r->head.buffer);
  r->receive = buffer(r->head.buffer);
  r->exposed = buffer(r->head.exposed);
  r->windows = allocate(r->head.windows + 1, sizeof *r->windows);
  if (r->head.attached > 0) {
    r->attached = buffer(r->head.attached);
    PMPI_Buffer_attach(r->attached, (int)r->head.attached);
  }
  r->requests = allocate(r->head.requests + 1, sizeof *r->requests);
  for (uint32_t i = 0; i <= r->head.requests; ++i) r->requests[i] = MPI_REQUEST_NULL;
  r->messages = allocate(r->head.messages + 1, sizeof *r->messages);
  for (uint32_t i = 0; i <= r->head.messages; ++i) r->messages[i] = MPI_MESSAGE_NULL;
  if (r->listed_room == 0) r->listed_room = 1;
  r->listed = allocate(r->listed_room, sizeof *r->listed);
  r->statuses = allocate(r->listed_room, sizeof *r->statuses);
  r->indices = allocate(r->listed_room, sizeof *r->indices);
}

void load_program(struct replay* r, const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) give_up("cannot open '%s'", path);
  struct slk_replay_file whole;
  read_at(file, 0, &whole, sizeof whole);
  if (whole.magic != SLK_REPLAY_MAGIC || whole.version != SLK_REPLAY_VERSION) {
    give_up("'%s' was not written by this version of slackline replay", path);
  }
  if (whole.ranks != (uint32_t)r->ranks) {
    if (r->rank == 0) {
      give_up("the trace has %u ranks, but the job has %d", whole.ranks, r->ranks);
    }
    PMPI_Barrier(MPI_COMM_WORLD); /* rank 0 ends the job */
  }
  struct slk_replay_part part;
  read_at(file, sizeof whole + (uint64_t)r->rank * sizeof part, &part, sizeof part);
  unsigned char* bytes = allocate((size_t)part.bytes, 1);
  read_at(file, part.offset, bytes, (size_t)part.bytes);
  close(file);
  memcpy(&r->head, bytes, sizeof r->head);
  r->at = bytes + sizeof r->head;
  r->end = bytes + part.bytes;
  read_comms(r);
  read_shapes(r);
  make_buffers(r);
}
