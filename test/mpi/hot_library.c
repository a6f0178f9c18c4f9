/* A library that computes; hot.c opens two that differ. */
#define _GNU_SOURCE
#include <time.h>

static volatile double sink = 1;

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

#ifdef PADDED
__attribute__((noinline)) void padding(void) {
  sink = sink * 3 - 1;
}
__attribute__((noinline)) void more_padding(void) {
  sink = sink * 5 - 1;
}
#define COMPUTE second_library
#else
#define COMPUTE first_library
#endif

__attribute__((noinline)) void COMPUTE(double ms);
void COMPUTE(double ms) {
  for (double end = cpu_ms() + ms; cpu_ms() < end;) {
    for (int i = 0; i < 30000; ++i) sink = sink * 1.0000001;
  }
  sink += 1;
}

void compute_in_library(double ms) {
  COMPUTE(ms);
  sink += 2;
}
