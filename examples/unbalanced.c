/* A code whose ranks have unequal work: rank r works 1 + SKEW * r / (ranks - 1) units a step.
 *
 * Steps of two named regions: "assemble", unbalanced, and "solve", balanced; a shift around the
 * ring and a reduction join them. Whoever asks where the time goes should hear "assemble" and the
 * last rank.
 *
 * usage: unbalanced [STEPS UNIT SKEW]     default: 40 20000 1.0
 *
 * The printed sum depends on the number of ranks only through the work that they do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Regions need nothing but this header; without it (a copy of this file elsewhere) they vanish. */
#ifdef __has_include
#if __has_include("slackline.h")
#include "slackline.h"
#endif
#endif
#ifndef SLACKLINE_H
#define slackline_region_begin(name) ((void)0)
#define slackline_region_end(name) ((void)0)
#endif

/* `rounds` rounds of the logistic map, which no compiler can shorten. */
static double work(double x, long rounds) {
  for (long i = 0; i < rounds; ++i) x = 3.9 * x * (1 - x);
  return x;
}

static double shift_around_ring(double value, int rank, int ranks) {
  double received;
  MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &received, 1, MPI_DOUBLE,
               (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return received;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 40;
  const long unit = argc > 2 ? atol(argv[2]) : 20000;
  const double skew = argc > 3 ? atof(argv[3]) : 1.0;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double share = ranks > 1 ? (double)rank / (ranks - 1) : 0.0;
  const long own_rounds = (long)((double)unit * (1 + skew * share));

  double state = 0.5 / (1 + rank), mean = 0;
  for (int step = 0; step < steps; ++step) {
    slackline_region_begin("assemble");
    state = work(state, own_rounds);
    slackline_region_end("assemble");

    slackline_region_begin("solve");
    state = shift_around_ring(state, rank, ranks);
    state = work(state, unit / 4);
    double sum;
    MPI_Allreduce(&state, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    mean = sum / ranks;
    slackline_region_end("solve");
  }
  if (rank == 0) {
    printf("unbalanced: %d steps of %ld rounds, skew %.2f, mean %.6f\n", steps, unit, skew, mean);
  }
  MPI_Finalize();
  return 0;
}
