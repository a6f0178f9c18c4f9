/* mpi4: makes calls that came with MPI 4, a known number of times, and says how many: every rank
 * writes "count <rank> <operation> <n>" into the file counts-<rank>, in the words of the recording,
 * where a call of MPI_Isendrecv is an isend and an irecv, and the start of a persistent collective
 * is followed by its nonblocking form. Exit status 77: this MPI is older. Runs with 4 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if MPI_VERSION < 4
int main(void) {
  return 77;
}
#else

#include "call_counts.h"

enum { kSize = 4, kRounds = 3, kPartitions = 5, kMost = 64 };

static int rank, size, right, left;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s went wrong\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void isendrecv(void) {
  MPI_Request r[2];
  MPI_Status s[2];
  int out = rank, in = -1, both = rank, flag = 0;
  note("isend");
  CALL(irecv,
       MPI_Isendrecv(&out, 1, MPI_INT, right, 1, &in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]));
  /* Completes two requests, as the recording sees it. */
  CALL(waitall, MPI_Wait(&r[0], &s[0]));
  check(in == left, "MPI_Isendrecv");
  note("isend");
  CALL(irecv, MPI_Isendrecv_replace(&both, 1, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &r[0]));
  note("isend");
  CALL(irecv,
       MPI_Isendrecv(&out, 1, MPI_INT, right, 3, &in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &r[1]));
  CALL(waitall, MPI_Waitall(2, r, s));
  check(both == left && in == left, "MPI_Isendrecv_replace");
  note("isend");
  CALL(irecv, MPI_Isendrecv_c(&out, 1, MPI_INT, right, 4, &in, 1, MPI_INT, left, 4, MPI_COMM_WORLD,
                              &r[0]));
  while (!flag) MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  note("testall");
}

static void partitioned(void) {
  int out[2 * kPartitions], in[2 * kPartitions], odd[] = {1, 3}, flag = 0;
  MPI_Request r[2];
  MPI_Status s[2];
  CALL(psend_init, MPI_Psend_init(out, kPartitions, 2, MPI_INT, right, 5, MPI_COMM_WORLD,
                                  MPI_INFO_NULL, &r[0]));
  CALL(precv_init,
       MPI_Precv_init(in, kPartitions, 2, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 2 * kPartitions; ++i) out[i] = 100 * rank + i;
    if (round == 0) {
      CALL(startall, MPI_Startall(2, r));
    } else {
      CALL(start, MPI_Start(&r[1]));
      CALL(start, MPI_Start(&r[0]));
    }
    CALL(pready_list, MPI_Pready_list(2, odd, r[0]));
    CALL(pready, MPI_Pready(2, r[0]));
    CALL(pready, MPI_Pready(0, r[0]));
    CALL(pready_range, MPI_Pready_range(4, 4, r[0]));
    for (flag = 0; !flag;) MPI_Parrived(r[1], 4, &flag);
    note("parrived");
    CALL(waitall, MPI_Waitall(2, r, s));
    check(in[2 * kPartitions - 1] == 100 * left + 2 * kPartitions - 1, "a partitioned message");
  }
  CALL(request_free, MPI_Request_free(&r[0]));
  CALL(request_free, MPI_Request_free(&r[1]));
  /* Their handles may be used again. */
  CALL(send_init, MPI_Send_init(out, 1, MPI_INT, right, 6, MPI_COMM_WORLD, &r[0]));
  CALL(recv_init, MPI_Recv_init(in, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &r[1]));
  CALL(startall, MPI_Startall(2, r));
  CALL(waitall, MPI_Waitall(2, r, s));
  CALL(request_free, MPI_Request_free(&r[0]));
  CALL(request_free, MPI_Request_free(&r[1]));
}

/* Starts a persistent collective, as often as is said. */
static void starts(int times, MPI_Request* r, const char* nonblocking) {
  for (int i = 0; i < times; ++i) {
    note(nonblocking);
    CALL(start, MPI_Start(r));
    CALL(wait, MPI_Wait(r, MPI_STATUS_IGNORE));
  }
  CALL(request_free, MPI_Request_free(r));
}
#define TWICE(name, ...) CALL(name##_init, __VA_ARGS__), starts(2, &r, "i" #name)
#define ONCE(name, ...) CALL(name##_init, __VA_ARGS__), starts(1, &r, "i" #name)

static void persistent(void) {
  double a[kMost], b[kMost];
  int n[kMost], at[kMost];
  MPI_Datatype types[kMost];
  MPI_Aint far[kMost];
  MPI_Count many[kMost];
  MPI_Comm c = MPI_COMM_WORLD, graph;
  MPI_Request r, two[2];
  MPI_Status s[2];
  const int weight = 1;
  for (int i = 0; i < kMost; ++i) {
    a[i] = i, n[i] = 1, at[i] = i, types[i] = MPI_DOUBLE, far[i] = 8 * i, many[i] = 1;
  }
  TWICE(barrier, MPI_Barrier_init(c, MPI_INFO_NULL, &r));
  TWICE(bcast, MPI_Bcast_init(a, 4, MPI_DOUBLE, 1, c, MPI_INFO_NULL, &r));
  TWICE(reduce, MPI_Reduce_init(a, b, 4, MPI_DOUBLE, MPI_SUM, 0, c, MPI_INFO_NULL, &r));
  TWICE(allreduce, MPI_Allreduce_init(a, b, 4, MPI_DOUBLE, MPI_SUM, c, MPI_INFO_NULL, &r));
  TWICE(gather, MPI_Gather_init(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, 0, c, MPI_INFO_NULL, &r));
  TWICE(gatherv, MPI_Gatherv_init(a, 1, MPI_DOUBLE, b, n, at, MPI_DOUBLE, 0, c, MPI_INFO_NULL, &r));
  /* MPICH 4.0.2 fails when this one is started again. */
  ONCE(scatter, MPI_Scatter_init(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, 0, c, MPI_INFO_NULL, &r));
  TWICE(scatterv,
        MPI_Scatterv_init(a, n, at, MPI_DOUBLE, b, 1, MPI_DOUBLE, 0, c, MPI_INFO_NULL, &r));
  TWICE(allgather, MPI_Allgather_init(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, c, MPI_INFO_NULL, &r));
  TWICE(allgatherv,
        MPI_Allgatherv_init(a, 1, MPI_DOUBLE, b, n, at, MPI_DOUBLE, c, MPI_INFO_NULL, &r));
  TWICE(alltoall, MPI_Alltoall_init(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, c, MPI_INFO_NULL, &r));
  TWICE(alltoallv,
        MPI_Alltoallv_init(a, n, at, MPI_DOUBLE, b, n, at, MPI_DOUBLE, c, MPI_INFO_NULL, &r));
  for (int i = 0; i < kMost; ++i) at[i] *= 8;
  TWICE(alltoallw, MPI_Alltoallw_init(a, n, at, types, b, n, at, types, c, MPI_INFO_NULL, &r));
  for (int i = 0; i < kMost; ++i) at[i] /= 8;
  TWICE(reduce_scatter,
        MPI_Reduce_scatter_init(a, b, n, MPI_DOUBLE, MPI_SUM, c, MPI_INFO_NULL, &r));
  TWICE(reduce_scatter_block,
        MPI_Reduce_scatter_block_init(a, b, 1, MPI_DOUBLE, MPI_SUM, c, MPI_INFO_NULL, &r));
  TWICE(scan, MPI_Scan_init(a, b, 1, MPI_DOUBLE, MPI_SUM, c, MPI_INFO_NULL, &r));
  TWICE(exscan, MPI_Exscan_init(a, b, 1, MPI_DOUBLE, MPI_SUM, c, MPI_INFO_NULL, &r));
  TWICE(allreduce, MPI_Allreduce_init_c(a, b, 4, MPI_DOUBLE, MPI_SUM, c, MPI_INFO_NULL, &r));
  TWICE(allgatherv,
        MPI_Allgatherv_init_c(a, 1, MPI_DOUBLE, b, many, far, MPI_DOUBLE, c, MPI_INFO_NULL, &r));
  CALL(dist_graph_create_adjacent,
       MPI_Dist_graph_create_adjacent(c, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0,
                                      &graph));
  TWICE(neighbor_allgather,
        MPI_Neighbor_allgather_init(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, graph, MPI_INFO_NULL, &r));
  TWICE(neighbor_allgatherv, MPI_Neighbor_allgatherv_init(a, 1, MPI_DOUBLE, b, n, at, MPI_DOUBLE,
                                                          graph, MPI_INFO_NULL, &r));
  TWICE(neighbor_alltoall,
        MPI_Neighbor_alltoall_init(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, graph, MPI_INFO_NULL, &r));
  TWICE(neighbor_alltoallv, MPI_Neighbor_alltoallv_init(a, n, at, MPI_DOUBLE, b, n, at, MPI_DOUBLE,
                                                        graph, MPI_INFO_NULL, &r));
  TWICE(neighbor_alltoallw,
        MPI_Neighbor_alltoallw_init(a, n, far, types, b, n, far, types, graph, MPI_INFO_NULL, &r));
  CALL(comm_free, MPI_Comm_free(&graph));
  /* Two at once, with a message between them. */
  CALL(allreduce_init, MPI_Allreduce_init(a, b, 2, MPI_DOUBLE, MPI_SUM, c, MPI_INFO_NULL, &two[0]));
  CALL(barrier_init, MPI_Barrier_init(c, MPI_INFO_NULL, &two[1]));
  note("iallreduce");
  note("ibarrier");
  CALL(startall, MPI_Startall(2, two));
  CALL(waitall, MPI_Waitall(2, two, s));
  CALL(request_free, MPI_Request_free(&two[0]));
  CALL(request_free, MPI_Request_free(&two[1]));
}

static void large_counts(void) {
  double a[kMost] = {0}, b[kMost] = {0};
  MPI_Count n[kMost];
  MPI_Aint at[kMost];
  MPI_Request r[2];
  MPI_Status s[2];
  MPI_Win w;
  double* base;
  for (int i = 0; i < kMost; ++i) n[i] = 1, at[i] = i;
  CALL(irecv, MPI_Irecv_c(b, 2, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &r[0]));
  CALL(isend, MPI_Isend_c(a, 2, MPI_DOUBLE, right, 7, MPI_COMM_WORLD, &r[1]));
  CALL(waitall, MPI_Waitall(2, r, s));
  CALL(sendrecv, MPI_Sendrecv_c(a, 2, MPI_DOUBLE, right, 8, b, 2, MPI_DOUBLE, left, 8,
                                MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CALL(bcast, MPI_Bcast_c(a, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  CALL(allreduce, MPI_Allreduce_c(a, b, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  CALL(alltoallv, MPI_Alltoallv_c(a, n, at, MPI_DOUBLE, b, n, at, MPI_DOUBLE, MPI_COMM_WORLD));
  CALL(iallgatherv,
       MPI_Iallgatherv_c(a, 1, MPI_DOUBLE, b, n, at, MPI_DOUBLE, MPI_COMM_WORLD, &r[0]));
  CALL(wait, MPI_Wait(&r[0], s));
  CALL(win_allocate,
       MPI_Win_allocate_c(sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w));
  CALL(win_fence, MPI_Win_fence(0, w));
  CALL(put, MPI_Put_c(a, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, w));
  CALL(win_fence, MPI_Win_fence(0, w));
  CALL(win_free, MPI_Win_free(&w));
}

int main(int argc, char** argv) {
  CALL(init, MPI_Init(&argc, &argv));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(size == kSize, "the number of ranks");
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  for (int i = 0; i < kRounds; ++i) {
    isendrecv();
    partitioned();
    persistent();
    large_counts();
  }
  note("finalize");
  if (!write_counts(rank)) return 1;
  MPI_Finalize();
  return 0;
}
#endif
