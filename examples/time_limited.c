/* Steps until the time is up, as jobs do that write a checkpoint before their limit: how many there
 * are depends on the machine. A trace keeps the number of the machine on which it was recorded;
 * only a program that runs while it is simulated does as many as another one allows.
 *
 * time_limited [seconds]: prints the number of steps. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void step(int rank, int size) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double out = rank, in;
  usleep(1000); /* the computation */
  MPI_Sendrecv(&out, 1, MPI_DOUBLE, next, 0, &in, 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, steps = 0, goes_on = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const double limit = argc > 1 ? atof(argv[1]) : 0.5;
  const double began = MPI_Wtime();
  while (goes_on) {
    step(rank, size);
    ++steps;
    goes_on = MPI_Wtime() - began < limit; /* the first rank's clock counts */
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("%d steps\n", steps);
  MPI_Finalize();
  return 0;
}
