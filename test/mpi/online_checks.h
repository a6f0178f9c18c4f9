/* What the test programs of on-line simulation share. */
#ifndef SLACKLINE_TEST_ONLINE_CHECKS_H
#define SLACKLINE_TEST_ONLINE_CHECKS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static inline void check(int holds, const char* what) {
  if (holds) return;
  printf("rank %d: wrong result of %s\n", rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static inline int end(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}

#endif
