/* LB-COLL: a load imbalance that shows up later, in a collective.
 *
 * After "Verifying Causality between Distant Performance Phenomena in Large-Scale MPI
 * Applications", figure 3a: rank r spends 1 + r / (ranks - 1) units in foo, all spend one unit in
 * bar, which is balanced, and only then does the reduction make them wait. The diagnosis is
 * "wait at NxN in MPI_Allreduce", with the last rank's foo as its cause.
 *
 * usage: lb_coll [STEPS UNIT_US [balanced]]     default: 25 4000
 *
 * "balanced" gives every rank the mean in foo: what `whatif --set 'balance region=foo'` predicts of
 * the run without it.
 *
 * A unit of work is CPU time, or with EXAMPLE_WORK=pause a pause, in which ranks that share a
 * processor do not disturb each other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example_work.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 25;
  const double unit = argc > 2 ? atof(argv[2]) : 4000;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int balanced = argc > 3 && strcmp(argv[3], "balanced") == 0;
  const double own = ranks > 1 ? (double)rank / (ranks - 1) : 0.0;
  const double share = balanced && ranks > 1 ? 0.5 : own;
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
