/* stages FOLDER: three loops, each until a file is there, so that it is known which of them have
 * ended: equal computation and a reduction until FOLDER/1, messages for which the other ranks
 * wait while rank 1 computes until FOLDER/2, and the first part again until FOLDER/3. Computation
 * is CPU time, so that shared processors do not change it. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kBytes = 1 << 16, kFewestIterations = 200 };

static int rank, ranks;
static const char* folder;

static double cpu_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double s) {
  const double end = cpu_time() + s;
  while (cpu_time() < end) {
  }
}

static int has_ended(int part) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", folder, part);
  int ended = rank == 0 && access(path, F_OK) == 0;
  int all = 0;
  MPI_Allreduce(&ended, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static void reduce_until(int part) {
  for (int i = 0; !has_ended(part) || i < kFewestIterations; ++i) compute(1e-3);
}

static void exchange_until(int part) {
  char* bytes = calloc(2, kBytes);
  for (int i = 0; !has_ended(part) || i < kFewestIterations; ++i) {
    if (rank == 1) compute(4e-3);
    MPI_Sendrecv(bytes, kBytes, MPI_BYTE, (rank + 1) % ranks, 0, bytes + kBytes, kBytes, MPI_BYTE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  free(bytes);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  folder = argc > 1 ? argv[1] : ".";
  reduce_until(1);
  exchange_until(2);
  reduce_until(3);
  MPI_Finalize();
  return 0;
}
