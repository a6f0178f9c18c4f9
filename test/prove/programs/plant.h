/* What the planted programs share: CPU work of a given length, in a function of its own. */
#ifndef PLANT_H
#define PLANT_H
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define OWN __attribute__((noinline, noclone))
static volatile double sink;
/* Busy for that much CPU time of this thread, so that sharing a processor does not shorten the
 * work. */
static inline void burn_us(double us) {
  struct timespec a, b;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
  do {
    double x = sink;
    for (int i = 0; i < 200; ++i) x = x * 1.0000001 + 1e-9;
    sink = x;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
  } while ((b.tv_sec - a.tv_sec) * 1e6 + (b.tv_nsec - a.tv_nsec) * 1e-3 < us);
}
static int rank, size;
static void begin(int* c, char*** v) {
  MPI_Init(c, v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}
/* With -DFIXED the problem is not there, so that what its removal gains can be measured. */
#ifdef FIXED
enum { fixed = 1 };
#else
enum { fixed = 0 };
#endif
/* How long this rank works if one of `ranks` works longer than the others: or the mean of them. */
static inline double work_us(int is_late, double late, double others, int ranks) {
  if (fixed) return others + (late - others) / ranks;
  return is_late ? late : others;
}
static inline int number(int c, char** v, int i, int otherwise) {
  return c > i ? atoi(v[i]) : otherwise;
}
#endif
