/* watched FOLDER: a rank that computes ten times as long as the others, in a function of its own.
 *
 * Until FOLDER/second is there it is rank 1, in relax(); then the last rank, in sort_particles(),
 * until FOLDER/end is there. Work is CPU time, so that shared processors do not change how much
 * each rank computes. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { relaxing, sorting, done };

static int rank, ranks;
static const char* folder;

static void compute(int units) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  const double begin = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
  double now = begin;
  while (now - begin < units * 1e-3) {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
  }
}

static int exists(const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

static int agreed_phase(void) {
  int phase = 0;
  if (rank == 0) phase = exists("end") ? done : exists("second") ? sorting : relaxing;
  int all = 0;
  MPI_Allreduce(&phase, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

__attribute__((noinline)) int relax(void) {
  compute(rank == 1 ? 20 : 2);
  MPI_Barrier(MPI_COMM_WORLD);
  return 1;
}

__attribute__((noinline)) int sort_particles(void) {
  compute(rank == ranks - 1 ? 20 : 2);
  MPI_Barrier(MPI_COMM_WORLD);
  return 2;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  folder = argc > 1 ? argv[1] : ".";
  int steps = 0;
  for (int phase = relaxing; phase != done; phase = agreed_phase()) {
    steps += phase == relaxing ? relax() : sort_particles();
  }
  if (rank == 0) printf("watched: %d\n", steps);
  MPI_Finalize();
  return 0;
}
