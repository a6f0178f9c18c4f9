/* One-sided communication, on 2 ranks and more. Prints "ok" from rank 0. */
#include "online_checks.h"

#include <string.h>

enum { kMost = 256 };
static int memory[kMost];

static void fenced(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Win window;
  int got[4] = {0}, *base, flag;
  for (int i = 0; i < kMost; ++i) memory[i] = 1000 * rank + i;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &flag);
  check(flag && base == memory, "MPI_WIN_BASE");
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, next, 3, 1, MPI_INT, window);
  MPI_Get(got, 4, MPI_INT, next, 10, 4, MPI_INT, window);
  MPI_Win_fence(0, window);
  check(memory[3] == before, "MPI_Put");
  check(got[0] == 1000 * next + 10 && got[3] == 1000 * next + 13, "MPI_Get");
  int one = 1;
  MPI_Accumulate(&one, 1, MPI_INT, 0, 20, 1, MPI_INT, MPI_SUM, window);
  /* Every other element of the target. */
  MPI_Datatype spread;
  MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  const int pair[2] = {-1, -2};
  MPI_Put(pair, 2, MPI_INT, next, 30, 1, spread, window);
  MPI_Win_fence(0, window);
  check(rank != 0 || memory[20] == 20 + size, "MPI_Accumulate");
  check(memory[30] == -1 && memory[31] == 1000 * rank + 31 && memory[32] == -2,
        "MPI_Put of a vector");
  MPI_Type_free(&spread);
  MPI_Win_free(&window);
}

static void locked(void) {
  MPI_Win window;
  long *base, one = 1, got = -1, expected, swapped = 7;
  MPI_Win_allocate(4 * sizeof *base, sizeof *base, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  memset(base, 0, 4 * sizeof *base);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 5; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&got, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
    MPI_Win_flush(0, window);
    ++got;
    MPI_Put(&got, 1, MPI_LONG, 0, 0, 1, MPI_LONG, window);
    MPI_Win_unlock(0, window);
  }
  MPI_Win_lock_all(0, window);
  MPI_Fetch_and_op(&one, &got, MPI_LONG, 0, 1, MPI_SUM, window);
  MPI_Win_flush_all(window);
  check(got >= 0 && got < size, "MPI_Fetch_and_op");
  expected = 0;
  MPI_Compare_and_swap(&swapped, &expected, &got, MPI_LONG, 0, 2, window);
  MPI_Win_flush(0, window);
  check(got == 0 || got == 7, "MPI_Compare_and_swap");
  MPI_Request request;
  MPI_Rget_accumulate(&one, 1, MPI_LONG, &got, 1, MPI_LONG, size - 1, 3, 1, MPI_LONG, MPI_SUM,
                      window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(got >= 0 && got < size, "MPI_Rget_accumulate");
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  check(rank != 0 || (base[0] == 5 * size && base[1] == size && base[2] == 7), "locks");
  check(rank != size - 1 || base[3] == size, "sums by requests");
  MPI_Win_free(&window);
}

/* Each rank exposes to the one before it, which puts. */
static void epochs(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Win window;
  MPI_Group world, target, origin;
  int flag = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &next, &target);
  MPI_Group_incl(world, 1, &before, &origin);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int i = 0; i < 3; ++i) {
    const int value = 10 * rank + i;
    memory[0] = -1;
    MPI_Win_post(origin, 0, window);
    MPI_Win_start(target, 0, window);
    MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    if (i < 2) MPI_Win_wait(window);
    while (i == 2 && !flag) MPI_Win_test(window, &flag);
    check(memory[0] == 10 * before + i, "post, start, complete and wait");
  }
  MPI_Win_free(&window);
  MPI_Group_free(&origin);
  MPI_Group_free(&target);
  MPI_Group_free(&world);
}

static void shared(void) {
  MPI_Win window;
  MPI_Aint bytes;
  int *own, *first, unit;
  MPI_Win_allocate_shared(rank == 0 ? 8 : 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
  own[0] = 50 + rank;
  MPI_Win_fence(0, window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &first);
  check(bytes == 8 && unit == 4 && first[0] == 50 && first[2] == 51, "MPI_Win_allocate_shared");
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void dynamic(void) {
  MPI_Win window;
  MPI_Aint address;
  int value = 60 + rank, got = -1;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_attach(window, &value, sizeof value);
  MPI_Get_address(&value, &address);
  MPI_Aint* all = malloc(sizeof *all * (size_t)size);
  MPI_Allgather(&address, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
  const int next = (rank + 1) % size;
  MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
  MPI_Get(&got, 1, MPI_INT, next, all[next], 1, MPI_INT, window);
  MPI_Win_unlock(next, window);
  check(got == 60 + next, "MPI_Win_create_dynamic");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_detach(window, &value);
  MPI_Win_free(&window);
  free(all);
}

/* A put of 125 MB takes a second of a link of 125 MB/s, and a flush waits for it. */
static void takes_time(void) {
  enum { kBytes = 125000000 };
  MPI_Win window;
  char* base;
  MPI_Win_allocate(kBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  char* data = calloc(1, kBytes);
  MPI_Win_lock_all(0, window);
  const double before = MPI_Wtime();
  if (rank == 0) MPI_Put(data, kBytes, MPI_BYTE, 1, 0, kBytes, MPI_BYTE, window);
  check(MPI_Wtime() - before < 0.1, "the time of MPI_Put");
  MPI_Win_flush_all(window);
  const double passed = MPI_Wtime() - before;
  check(rank == 0 ? passed > 0.9 && passed < 1.5 : passed < 0.1, "the time of MPI_Win_flush_all");
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  free(data);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  fenced();
  locked();
  epochs();
  shared();
  dynamic();
  if (argc > 1) takes_time(); /* where time is simulated */
  return end();
}
