/* Computation of known length for test programs. */
#ifndef SLACKLINE_TEST_ONLINE_COMPUTE_H
#define SLACKLINE_TEST_ONLINE_COMPUTE_H

#include <time.h>

/* CPU time of the thread is real, also on line. */
static inline void compute(double ms) {
  struct timespec begin, t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    for (volatile int i = 0; i < 1000; ++i) {
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  } while (1e3 * (double)(t.tv_sec - begin.tv_sec) + 1e-6 * (double)(t.tv_nsec - begin.tv_nsec) <
           ms);
}

#endif
