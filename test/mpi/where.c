/* A program with one late function: late_relaxation() on rank 0. call_paths_test.py finds that
 * function and its line in the recording, as the cause of what the ranks after it wait, and
 * compares the recorded paths with those that the C library's own unwinder finds. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static FILE* truth;
static volatile int sink;
static char* volatile escaped;

/* Writes where the caller is, and its callers: return addresses, innermost first. */
__attribute__((noinline)) static void note(void) {
  void* frames[64];
  if (truth == NULL) return;
  const int n = backtrace(frames, 64);
  for (int i = 1; i < n; ++i) fprintf(truth, "%p ", frames[i]);
  fprintf(truth, "\n");
}

__attribute__((noinline)) static void exchange_around(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int got = 0;
  note();
  MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  sink += got;
}

/* A frame whose size differs from call to call. */
__attribute__((noinline)) static void varying(int bytes) {
  char scratch[bytes];
  memset(scratch, 1, (size_t)bytes);
  escaped = scratch; /* so that it really is in memory */
  sink += scratch[bytes / 2];
  exchange_around();
  sink += scratch[bytes - 1];
}

static inline void inlined(int bytes) {
  varying(bytes);
  sink++;
}

__attribute__((noinline)) static int recurse(int depth, int bytes) {
  if (depth == 0) {
    inlined(bytes);
    return 1;
  }
  const int below = recurse(depth - 1, bytes) + 1;
  sink = below;
  return below;
}

__attribute__((noinline)) static void late_relaxation(int step) {
  int token = step;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) usleep(50000); /* the late line */
  if (rank + 1 < size && rank == 0)
    MPI_Send(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* the late send */
  sink += token;
}

__attribute__((noinline)) static void pass_on(int step) {
  int token = step;
  if (rank > 0) {
    MPI_Recv(&token, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the wait */
  }
  if (rank > 0 && rank + 1 < size) {
    MPI_Send(&token, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
  }
  sink += token;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1 && strcmp(argv[1], "--no-truth") != 0) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", argv[1], rank);
    truth = fopen(path, "w");
    if (truth == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < 1000; ++i) recurse(i % 5, 1 + (i * 37) % 300);
  for (int step = 0; step < 10; ++step) {
    late_relaxation(step);
    pass_on(step);
  }
  if (truth != NULL) fclose(truth);
  MPI_Finalize();
  return 0;
}
