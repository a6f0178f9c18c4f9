/* Functions and regions in which a program computes and calls MPI, by which the trace of its
 * simulation is to be asked. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <slackline.h>
#include <string.h>

#include "online_compute.h"

#define NOINLINE __attribute__((noinline))

enum { kSteps = 10 };

/* All computation between its calls is its own. */
NOINLINE static void solve(double ms) {
  long one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  slackline_region_begin("solve_region");
  compute(ms);
  slackline_region_end("solve_region");
  MPI_Allreduce(&one, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

NOINLINE static void exchange(int rank, int ranks) {
  int value = 0;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, &value, 1, MPI_INT,
               (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int computes = argc > 1 && strcmp(argv[1], "compute") == 0;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int step = 0; step < kSteps; ++step) {
    solve(computes ? 10 + 10 * rank : 0);
    exchange(rank, ranks);
    MPI_Pcontrol(2);
    if (computes) compute(5);
    MPI_Pcontrol(-2);
  }
  MPI_Finalize();
  return 0;
}
