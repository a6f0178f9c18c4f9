// One-sided communication of every kind, on any number of processes.
#include <mpi.h>
#include <stdlib.h>

enum { kDoubles = 1000, kRounds = 3 };

static int rank, ranks, right, left;
static double data[kDoubles];
static double memory[kDoubles];

static void compute(double microseconds) {
  const double until = MPI_Wtime() + microseconds * 1e-6;
  while (MPI_Wtime() < until) continue;
}

/* Neighbours' edges, between fences. */
static void halo(MPI_Comm comm) {
  MPI_Win w;
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, comm, &w);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, w);
  for (int i = 0; i < kRounds; ++i) {
    compute(50 + 20 * rank);
    MPI_Put(data, 100, MPI_DOUBLE, right, 0, 100, MPI_DOUBLE, w);
    MPI_Put(data, 100, MPI_DOUBLE, left, 100, 100, MPI_DOUBLE, w);
    MPI_Get(data + 100, 200, MPI_DOUBLE, right, 500, 200, MPI_DOUBLE, w);
    MPI_Put(data, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, 1, MPI_DOUBLE, w);
    MPI_Win_fence(i == kRounds - 1 ? MPI_MODE_NOSUCCEED : 0, w);
  }
  MPI_Win_free(&w);
}

static void test_or_wait(int tests, MPI_Win w) {
  int over = 0;
  if (!tests) MPI_Win_wait(w);
  while (tests && !over) MPI_Win_test(w, &over);
}

/* Each process exposes its memory to its left neighbour. */
static void epochs(void) {
  MPI_Win w;
  MPI_Group all, to, from;
  double* base;
  MPI_Win_allocate(sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
  MPI_Win_get_group(w, &all);
  MPI_Group_incl(all, 1, &right, &to);
  MPI_Group_incl(all, 1, &left, &from);
  for (int i = 0; i < kRounds; ++i) {
    compute(30 * rank);
    MPI_Win_post(from, 0, w);
    MPI_Win_start(to, 0, w);
    MPI_Put(data, kDoubles, MPI_DOUBLE, right, 0, kDoubles, MPI_DOUBLE, w);
    MPI_Accumulate(data, 10, MPI_INT, right, 0, 10, MPI_INT, MPI_BOR, w);
    MPI_Win_complete(w);
    test_or_wait(i == 1, w);
  }
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Group_free(&all);
  MPI_Win_free(&w);
}

/* A counter of rank 0 that all want, then a shared lock. */
static void locks(void) {
  MPI_Win w;
  double* base;
  const long one = 1;
  long old;
  MPI_Win_allocate(sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
  for (int i = 0; i < 4 * kRounds; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
    MPI_Get(&old, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w);
    MPI_Win_flush(0, w);
    MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w);
    compute(20);
    MPI_Win_unlock(0, w);
  }
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, w);
  MPI_Fetch_and_op(&one, &old, MPI_LONG, right, 0, MPI_SUM, w);
  MPI_Win_flush_local(right, w);
  MPI_Win_unlock(right, w);
  MPI_Win_free(&w);
}

static void transfers(MPI_Win w, MPI_Aint at) {
  const int one = 1;
  const int zero = 0;
  int old;
  MPI_Request requests[4];
  MPI_Rput(data, 30, MPI_DOUBLE, right, at, 30, MPI_DOUBLE, w, &requests[0]);
  MPI_Rget(data + 100, 40, MPI_DOUBLE, right, at, 40, MPI_DOUBLE, w, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Raccumulate(data, 5, MPI_INT, right, at, 5, MPI_INT, MPI_SUM, w, &requests[2]);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  MPI_Rget_accumulate(data, 3, MPI_DOUBLE, data + 10, 3, MPI_DOUBLE, right, at, 3, MPI_DOUBLE,
                      MPI_SUM, w, &requests[3]);
  MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
  MPI_Get_accumulate(data, 7, MPI_BYTE, data + 10, 7, MPI_BYTE, right, at, 7, MPI_BYTE, MPI_REPLACE,
                     w);
  MPI_Win_flush(right, w);
  MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, right, at, w);
  MPI_Win_flush_local_all(w);
  MPI_Win_sync(w);
  MPI_Win_flush_all(w);
}

static void lock_all(MPI_Win w, MPI_Aint at) {
  MPI_Win_lock_all(MPI_MODE_NOCHECK, w);
  transfers(w, at);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(w);
}

static void shared(void) {
  MPI_Win w;
  double* base;
  MPI_Win_allocate_shared(rank == 0 ? 800 : 400, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
  lock_all(w, 0);
  MPI_Win_free(&w);
}

static void dynamic(void) {
  MPI_Win w;
  MPI_Aint own;
  MPI_Aint* all = malloc((size_t)ranks * sizeof *all);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w);
  MPI_Win_attach(w, memory, sizeof memory);
  MPI_Get_address(memory, &own);
  MPI_Allgather(&own, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
  lock_all(w, all[right]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(w, memory);
  MPI_Win_free(&w);
  free(all);
}

/* Two windows of one communicator. */
static void pair(void) {
  MPI_Win a, b, c;
  double* base;
  MPI_Win_allocate(sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &a);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &b);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, b);
  MPI_Put(data, 80, MPI_BYTE, right, 0, 80, MPI_BYTE, a);
  MPI_Put(data, 160, MPI_BYTE, right, 0, 160, MPI_BYTE, b);
  MPI_Win_unlock(right, a);
  MPI_Win_unlock(right, b);
  MPI_Win_free(&a);
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &c);
  MPI_Win_fence(0, c);
  MPI_Win_fence(0, b);
  MPI_Win_free(&b);
  MPI_Win_free(&c);
}

int main(int argc, char** argv) {
  MPI_Comm turned;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  right = (rank + 1) % ranks;
  left = (rank + ranks - 1) % ranks;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  halo(turned);
  epochs();
  locks();
  shared();
  dynamic();
  pair();
  MPI_Comm_free(&turned);
  MPI_Finalize();
  return 0;
}
