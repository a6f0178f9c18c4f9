#include <string.h>

#include "replay.h"

void elsewhere(struct replay* r, const struct shape* s) {
  int position = 0;
  switch (s->op) {
    case SLK_OP_comm_free:
    case SLK_OP_comm_disconnect:
      free_comm(r, s);
      break;
    case SLK_OP_pack:
      MPI_Pack(r->send, (int)s->bytes, MPI_BYTE, r->receive, (int)s->bytes, &position,
               r->comms[s->comm]);
      break;
    case SLK_OP_unpack:
      MPI_Unpack(r->send, (int)s->bytes, &position, r->receive, (int)s->bytes, MPI_BYTE,
                 r->comms[s->comm]);
      break;
    case SLK_OP_pcontrol:
      MPI_Pcontrol(1);
      break;
    default:
      make_comm(r, s);
  }
}

#include "replayed.inc"

void step(struct replay* r) {
  const int64_t gap = (int64_t)read_unsigned(r) * SLK_REPLAY_UNIT_NS;
  const struct shape* s = &r->shapes[read_unsigned(r)];
  if ((s->flags & SLK_REPLAY_POLLED) != 0) {
    r->polls = read_unsigned(r);
    r->period_ns = (int64_t)read_unsigned(r) * SLK_REPLAY_UNIT_NS;
  }
  compute(r, gap);
  if (s->op == SLK_OP_finalize) return;
  s->make(r, s);
  r->pace.returned_ns = now_ns();
}

/* The first call of a function costs tens of microseconds: the recorder looks for it, and its code
 * is not in memory. In the trace that lies before the first call of the program already, so it must
 * not be paid once more: each operation is called here, with MPI_PROC_NULL and no bytes. */
static void warm_up(struct replay* r) {
  static const int64_t no_peer[3] = {SLK_PEER_NULL, 0, 0};
  unsigned char seen[256] = {0};
  r->polls = 1;
  for (uint32_t i = 0; i < r->head.shapes; ++i) {
    struct shape s = r->shapes[i];
    if (seen[s.op] || !is_warmed_up(s.op)) continue;
    seen[s.op] = 1;
    const int exchange = s.op == SLK_OP_sendrecv || s.op == SLK_OP_sendrecv_replace;
    s.comm = SLK_COMM_SELF;
    s.peer = s.make == message || s.make == probe ? SLK_PEER_NULL : 0;
    s.tag = 0;
    s.bytes = 0;
    s.flags = 0;
    s.request = 0;
    s.args = exchange ? no_peer : NULL;
    s.n_args = exchange ? 3 : 0;
    s.make(r, &s);
    PMPI_Wait(&r->requests[0], MPI_STATUS_IGNORE);
  }
}

static void add_doubles(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  const double* a = in;
  double* b = inout;
  for (int i = 0; i < *n; ++i) b[i] += a[i];
}

static void prepare(struct replay* r, const char* program, const char* folder) {
  void* most = NULL;
  int found = 0;
  MPI_Comm host;
  int neighbors = 0;
  load_program(r, program);
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
  r->unused_tag = found ? *(int*)most : 32767;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  PMPI_Comm_size(host, &neighbors);
  r->one_host = neighbors == r->ranks;
  PMPI_Comm_free(&host);
  PMPI_Irecv(r->receive, 0, MPI_BYTE, 0, r->unused_tag, MPI_COMM_SELF, &r->never);
  PMPI_Op_create(add_doubles, 0, &r->sum);
  make_comms(r);
  open_scratch(r, folder);
  prepare_stream(r);
  r->pace.yields = getenv("SLACKLINE_REPLAY_YIELD") != NULL;
  warm_up(r);
  calibrate(r);
}

/* What the tool wants to know of all ranks. */
static void report(const struct replay* r, const char* path) {
  const struct pace* p = &r->pace;
  long long mine[5] = {p->debt_ns, p->debt_most_ns, (long long)p->late_calls, p->short_ns,
                       p->tail_ns};
  long long most[5];
  PMPI_Reduce(mine, most, 5, MPI_LONG_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  long long counted[6] = {(long long)r->file_calls[0],       (long long)r->file_bytes[0],
                          (long long)r->file_calls[1],       (long long)r->file_bytes[1],
                          (long long)r->stream.wanted_bytes, (long long)r->stream.bytes};
  long long sums[6];
  PMPI_Reduce(counted, sums, 6, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (r->rank != 0) return;
  FILE* out = fopen(path, "w");
  if (out == NULL) return;
  fprintf(out,
          "behind_ns %lld\nbehind_most_ns %lld\nlate_calls %lld\nshort_ns %lld\ntail_ns %lld\n",
          most[0], most[1], most[2], most[3], most[4]);
  fprintf(out,
          "file_reads %lld\nread_bytes %lld\nfile_writes %lld\nwritten_bytes %lld\n"
          "memory_bytes %lld\nstreamed_bytes %lld\n",
          sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]);
  fclose(out);
}

/* Requests that the program leaves open are complete soon, but for receives that nothing matches.
 */
static void leave(struct replay* r) {
  const int64_t until = now_ns() + 1000000000;
  int open = 1;
  while (open > 0 && now_ns() < until) {
    open = 0;
    for (uint32_t i = 0; i <= r->head.requests; ++i) {
      int done = 1;
      if (r->requests[i] != MPI_REQUEST_NULL) {
        PMPI_Test(&r->requests[i], &done, MPI_STATUS_IGNORE);
      }
      open += !done;
    }
  }
  PMPI_Cancel(&r->never);
  PMPI_Wait(&r->never, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static struct replay replay;
  PMPI_Comm_rank(MPI_COMM_WORLD, &replay.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &replay.ranks);
  if (argc != 3 && argc != 4) give_up("usage: slackline_replay_MPI PROGRAM REPORT [SCRATCH]");
  prepare(&replay, argv[1], argv[3]);
  PMPI_Barrier(MPI_COMM_WORLD);
  PMPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1); /* where the replay begins, in the recording */
  replay.pace.returned_ns = now_ns();
  if (replay.head.start_ns > 0) {
    replay.pace.returned_ns += replay.head.start_ns;
    spin_until(&replay, replay.pace.returned_ns);
  }
  for (uint64_t i = 0; i < replay.head.steps; ++i) step(&replay);
  MPI_Pcontrol(1); /* where it ends */
  report(&replay, argv[2]);
  leave(&replay);
  MPI_Finalize();
  return 0;
}
