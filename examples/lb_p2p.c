/* LB-P2P: a load imbalance that shows up later, in messages between other ranks.
 *
 * After "Verifying Causality between Distant Performance Phenomena in Large-Scale MPI
 * Applications", figure 3b: even ranks spend two units in foo and odd ones one. Messages between
 * ranks of one parity and the balanced bar come between; then even ranks send to odd ones, which
 * wait. The diagnosis is "late sender in MPI_Recv" of the odd ranks, with foo of the even ones as
 * its cause.
 *
 * usage: lb_p2p [STEPS UNIT_US [balanced]]     default: 25 4000     on a multiple of 4 ranks
 *
 * "balanced" gives every rank the mean in foo: what `whatif --set 'balance region=foo'` predicts of
 * the run without it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example_work.h"

enum { kValues = 128 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 25;
  const double unit = argc > 2 ? atof(argv[2]) : 4000;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks % 4 != 0) {
    if (rank == 0) fprintf(stderr, "lb_p2p: needs a multiple of 4 ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const int in_four = rank % 4;
  const int balanced = argc > 3 && strcmp(argv[3], "balanced") == 0;
  const double foo_units = balanced ? 1.5 : (rank % 2 == 0 ? 2 : 1);
  int values[kValues] = {rank};
  long sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);

  for (int step = 0; step < steps; ++step) {
    slackline_region_begin("foo");
    work_us(foo_units * unit);
    slackline_region_end("foo");

    slackline_region_begin("same parity");
    if (in_four < 2) {
      MPI_Send(values, kValues, MPI_INT, rank + 2, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(values, kValues, MPI_INT, rank - 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    slackline_region_end("same parity");

    slackline_region_begin("bar");
    work_us(unit);
    slackline_region_end("bar");

    slackline_region_begin("even to odd");
    if (rank % 2 == 0) {
      MPI_Send(values, kValues, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(values, kValues, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    slackline_region_end("even to odd");
    sum += values[0] + step;
  }
  long all;
  MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("lb_p2p: %d steps, sum %ld\n", steps, all);
  MPI_Finalize();
  return 0;
}
