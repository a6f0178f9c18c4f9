/* A library that calls MPI in a function named WORK: 20 MPI_Barrier, and computes. All are of one
 * size. */
#define _GNU_SOURCE
#include <mpi.h>
#include <time.h>

void __attribute__((noinline)) WORK(MPI_Comm comm) {
  struct timespec now, begin;
  for (int i = 0; i < 20; ++i) {
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 1000000);
    MPI_Barrier(comm);
  }
}

void work(MPI_Comm comm) {
  WORK(comm);
  MPI_Barrier(comm);
}
