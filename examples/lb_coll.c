/* LB-COLL: a load imbalance that shows up later, in a collective.
 *
 * After "Verifying Causality between Distant Performance Phenomena in Large-Scale MPI
 * Applications", figure 3a: rank r spends 1 + r / (ranks - 1) units in foo, all spend one unit in
 * bar, which is balanced, and only then does the reduction make them wait. Whoever asks should hear
 * "wait at NxN in MPI_Allreduce", and that the last rank's foo is its cause.
 *
 * usage: lb_coll [STEPS UNIT_US]     default: 25 4000
 *
 * A unit of work is a sleep, so that ranks that share a processor do not disturb each other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "example_work.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 25;
  const double unit = argc > 2 ? atof(argv[2]) : 4000;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double share = ranks > 1 ? (double)rank / (ranks - 1) : 0.0;
  MPI_Barrier(MPI_COMM_WORLD);

  long sum = 0;
  for (int step = 0; step < steps; ++step) {
    slackline_region_begin("foo");
    work_us(unit * (1 + share));
    slackline_region_end("foo");

    slackline_region_begin("bar");
    work_us(unit);
    slackline_region_end("bar");

    long mine = rank + step, all;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    sum += all;
  }
  if (rank == 0) printf("lb_coll: %d steps, sum %ld\n", steps, sum);
  MPI_Finalize();
  return 0;
}
