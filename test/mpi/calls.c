/* Makes every kind of MPI call that is recorded, a known number of times, and says how many: every
 * rank writes "count <rank> <operation> <n>" into the file counts-<rank>, and the test compares
 * with the recording. Runs with any even number of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_counts.h"

enum { kMost = 64, kRounds = 3 };

static int rank, size, right, left;

static void blocking(void) {
  int out[4] = {rank, 1, 2, 3}, in[4];
  if (rank % 2 == 0) {
    CALL(send, MPI_Send(out, 4, MPI_INT, right, 1, MPI_COMM_WORLD));
    CALL(recv, MPI_Recv(in, 4, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(ssend, MPI_Ssend(out, 4, MPI_INT, right, 2, MPI_COMM_WORLD));
    CALL(recv,
         MPI_Recv(in, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  } else {
    CALL(recv, MPI_Recv(in, 4, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(send, MPI_Send(out, 4, MPI_INT, right, 1, MPI_COMM_WORLD));
    CALL(recv,
         MPI_Recv(in, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(ssend, MPI_Ssend(out, 4, MPI_INT, right, 2, MPI_COMM_WORLD));
  }
  if (size == 1) return;
  CALL(sendrecv, MPI_Sendrecv(out, 4, MPI_INT, right, 3, in, 4, MPI_INT, left, 3, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
  CALL(sendrecv_replace,
       MPI_Sendrecv_replace(out, 4, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CALL(send, MPI_Send(out, 4, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD));
}

/* A send and a receive that are under way. */
static void exchange(MPI_Request* r, int* out, int* in, int tag) {
  CALL(irecv, MPI_Irecv(in, 1, MPI_INT, left, tag, MPI_COMM_WORLD, &r[0]));
  CALL(isend, MPI_Isend(out, 1, MPI_INT, right, tag, MPI_COMM_WORLD, &r[1]));
}

static void completions(void) {
  MPI_Request r[2];
  MPI_Status s[2];
  int out = rank, in, index, flag = 0, done[2], n;
  exchange(r, &out, &in, 10);
  CALL(wait, MPI_Wait(&r[1], MPI_STATUS_IGNORE));
  CALL(wait, MPI_Wait(&r[0], &s[0]));
  exchange(r, &out, &in, 11);
  CALL(waitall, MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
  exchange(r, &out, &in, 12);
  CALL(waitany, MPI_Waitany(2, r, &index, s));
  CALL(waitany, MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE));
  exchange(r, &out, &in, 13);
  for (int left_over = 2; left_over > 0; left_over -= n) {
    CALL(waitsome, MPI_Waitsome(2, r, &n, done, s));
  }
  /* Polls are counted apart: how many fail is not known, only that one succeeds. */
  exchange(r, &out, &in, 14);
  while (!flag) MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  note("test");
  CALL(wait, MPI_Wait(&r[1], MPI_STATUS_IGNORE));
  exchange(r, &out, &in, 15);
  for (flag = 0; !flag;) MPI_Testall(2, r, &flag, s);
  note("testall");
  exchange(r, &out, &in, 16);
  for (int i = 0; i < 2; ++i) {
    for (flag = 0; !flag;) MPI_Testany(2, r, &index, &flag, s);
    note("testany");
  }
  CALL(irecv, MPI_Irecv(&in, 1, MPI_INT, left, 17, MPI_COMM_WORLD, &r[0]));
  CALL(barrier, MPI_Barrier(MPI_COMM_WORLD));
  CALL(irsend, MPI_Irsend(&out, 1, MPI_INT, right, 17, MPI_COMM_WORLD, &r[1]));
  CALL(waitall, MPI_Waitall(2, r, s));
  CALL(irecv, MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 9999, MPI_COMM_WORLD, &r[0]));
  CALL(cancel, MPI_Cancel(&r[0]));
  CALL(wait, MPI_Wait(&r[0], s));
  CALL(issend, MPI_Issend(&out, 1, MPI_INT, right, 18, MPI_COMM_WORLD, &r[0]));
  CALL(recv, MPI_Recv(&in, 1, MPI_INT, left, 18, MPI_COMM_WORLD, s));
  CALL(wait, MPI_Wait(&r[0], s));
  CALL(isend, MPI_Isend(&out, 1, MPI_INT, right, 19, MPI_COMM_WORLD, &r[0]));
  CALL(request_free, MPI_Request_free(&r[0]));
  CALL(recv, MPI_Recv(&in, 1, MPI_INT, left, 19, MPI_COMM_WORLD, s));
}

static void persistent(void) {
  int out = rank, in;
  MPI_Request r[2];
  MPI_Status s[2];
  CALL(send_init, MPI_Send_init(&out, 1, MPI_INT, right, 20, MPI_COMM_WORLD, &r[0]));
  CALL(recv_init, MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &r[1]));
  for (int i = 0; i < 2; ++i) {
    CALL(startall, MPI_Startall(2, r));
    CALL(waitall, MPI_Waitall(2, r, s));
    CALL(start, MPI_Start(&r[1]));
    CALL(start, MPI_Start(&r[0]));
    CALL(wait, MPI_Wait(&r[0], s));
    CALL(wait, MPI_Wait(&r[1], s));
  }
  CALL(request_free, MPI_Request_free(&r[0]));
  CALL(request_free, MPI_Request_free(&r[1]));
}

static void probes(void) {
  int out = rank, in, flag = 0;
  MPI_Status s;
  MPI_Message m;
  MPI_Request r;
  for (int i = 0; i < 4; ++i) CALL(bsend, MPI_Bsend(&out, 1, MPI_INT, right, 30, MPI_COMM_WORLD));
  CALL(probe, MPI_Probe(left, 30, MPI_COMM_WORLD, &s));
  CALL(recv, MPI_Recv(&in, 1, MPI_INT, left, 30, MPI_COMM_WORLD, &s));
  while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, &flag, &s);
  note("iprobe");
  CALL(recv, MPI_Recv(&in, 1, MPI_INT, s.MPI_SOURCE, 30, MPI_COMM_WORLD, &s));
  CALL(mprobe, MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &s));
  CALL(mrecv, MPI_Mrecv(&in, 1, MPI_INT, &m, MPI_STATUS_IGNORE));
  for (flag = 0; !flag;) MPI_Improbe(left, 30, MPI_COMM_WORLD, &flag, &m, &s);
  note("improbe");
  CALL(imrecv, MPI_Imrecv(&in, 1, MPI_INT, &m, &r));
  CALL(wait, MPI_Wait(&r, &s));
}

static void collectives(MPI_Comm c) {
  double a[kMost], b[kMost * 2];
  int n[kMost], at[kMost];
  MPI_Request r[3];
  for (int i = 0; i < kMost; ++i) a[i] = i, n[i] = 1, at[i] = i;
  CALL(barrier, MPI_Barrier(c));
  CALL(bcast, MPI_Bcast(a, 4, MPI_DOUBLE, 0, c));
  CALL(reduce, MPI_Reduce(a, b, 4, MPI_DOUBLE, MPI_SUM, 0, c));
  CALL(allreduce, MPI_Allreduce(MPI_IN_PLACE, a, 4, MPI_DOUBLE, MPI_MAX, c));
  CALL(gather, MPI_Gather(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, 0, c));
  CALL(gatherv, MPI_Gatherv(a, 1, MPI_DOUBLE, b, n, at, MPI_DOUBLE, 0, c));
  CALL(scatter, MPI_Scatter(b, 1, MPI_DOUBLE, a, 1, MPI_DOUBLE, 0, c));
  CALL(scatterv, MPI_Scatterv(b, n, at, MPI_DOUBLE, a, 1, MPI_DOUBLE, 0, c));
  CALL(allgather, MPI_Allgather(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, c));
  CALL(allgatherv, MPI_Allgatherv(a, 1, MPI_DOUBLE, b, n, at, MPI_DOUBLE, c));
  CALL(alltoall, MPI_Alltoall(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, c));
  CALL(alltoallv, MPI_Alltoallv(a, n, at, MPI_DOUBLE, b, n, at, MPI_DOUBLE, c));
  CALL(reduce_scatter, MPI_Reduce_scatter(a, b, n, MPI_DOUBLE, MPI_SUM, c));
  CALL(reduce_scatter_block, MPI_Reduce_scatter_block(a, b, 1, MPI_DOUBLE, MPI_SUM, c));
  CALL(scan, MPI_Scan(a, b, 1, MPI_DOUBLE, MPI_SUM, c));
  CALL(exscan, MPI_Exscan(a, b, 1, MPI_DOUBLE, MPI_SUM, c));
  CALL(ibarrier, MPI_Ibarrier(c, &r[0]));
  CALL(iallreduce, MPI_Iallreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, c, &r[1]));
  CALL(ibcast, MPI_Ibcast(a, 4, MPI_DOUBLE, 0, c, &r[2]));
  CALL(waitall, MPI_Waitall(3, r, MPI_STATUSES_IGNORE));
}

static void communicators(void) {
  MPI_Comm dup, half, cart, line, inter, merged, graph, later;
  MPI_Request r;
  int dims[2] = {2, size / 2}, periods[2] = {1, 1}, remain[2] = {0, 1};
  int a[kMost], b[kMost], weight = 1;
  memset(a, 0, sizeof a);
  CALL(comm_dup, MPI_Comm_dup(MPI_COMM_WORLD, &dup));
  CALL(comm_split, MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half));
  CALL(cart_create, MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
  CALL(cart_sub, MPI_Cart_sub(cart, remain, &line));
  CALL(intercomm_create,
       MPI_Intercomm_create(half, 0, dup, rank % 2 == 0 ? size - 1 : size - 2, 7, &inter));
  CALL(intercomm_merge, MPI_Intercomm_merge(inter, rank % 2, &merged));
  CALL(dist_graph_create_adjacent,
       MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight,
                                      MPI_INFO_NULL, 0, &graph));
  CALL(comm_idup, MPI_Comm_idup(MPI_COMM_WORLD, &later, &r));
  CALL(wait, MPI_Wait(&r, MPI_STATUS_IGNORE));
  CALL(allreduce, MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, half));
  CALL(barrier, MPI_Barrier(line));
  CALL(barrier, MPI_Barrier(inter));
  int me, partners;
  MPI_Comm_rank(half, &me);
  MPI_Comm_remote_size(inter, &partners);
  CALL(sendrecv, MPI_Sendrecv(a, 1, MPI_INT, me % partners, 8, b, 1, MPI_INT, me % partners, 8,
                              inter, MPI_STATUS_IGNORE));
  CALL(allreduce, MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, merged));
  CALL(neighbor_allgather, MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, graph));
  CALL(neighbor_alltoall, MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, cart));
  CALL(barrier, MPI_Barrier(later));
  MPI_Comm* all[] = {&dup, &half, &cart, &line, &inter, &merged, &graph, &later};
  for (int i = 0; i < 8; ++i) CALL(comm_free, MPI_Comm_free(all[i]));
}

static void one_sided(void) {
  int* base;
  int value = rank;
  MPI_Win w;
  CALL(win_allocate,
       MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w));
  CALL(win_fence, MPI_Win_fence(0, w));
  CALL(put, MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, w));
  CALL(win_fence, MPI_Win_fence(0, w));
  CALL(win_lock, MPI_Win_lock(MPI_LOCK_SHARED, right, 0, w));
  CALL(get, MPI_Get(&value, 1, MPI_INT, right, 0, 1, MPI_INT, w));
  CALL(win_flush, MPI_Win_flush(right, w));
  CALL(win_unlock, MPI_Win_unlock(right, w));
  CALL(win_free, MPI_Win_free(&w));
}

int main(int argc, char** argv) {
  CALL(init, MPI_Init(&argc, &argv));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  void* buffer = malloc(65536);
  MPI_Buffer_attach(buffer, 65536);
  for (int i = 0; i < kRounds; ++i) {
    blocking();
    completions();
    persistent();
    probes();
    collectives(MPI_COMM_WORLD);
    communicators();
    one_sided();
  }
  int detached;
  CALL(buffer_detach, MPI_Buffer_detach(&buffer, &detached));
  CALL(pcontrol, MPI_Pcontrol(1));
  note("finalize");
  if (!write_counts(rank)) return 1;
  MPI_Finalize();
  return 0;
}
