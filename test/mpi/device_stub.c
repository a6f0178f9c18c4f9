/* Waits of a GPU runtime that there is not. */
#define _GNU_SOURCE
#include <time.h>

int cudaStreamSynchronize(void* stream);

static long ms(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Polls for 120 ms for the default stream, and sleeps as long for any other one. */
int cudaStreamSynchronize(void* stream) {
  const struct timespec time = {0, 120 * 1000000};
  if (stream == 0) {
    for (const long end = ms(CLOCK_MONOTONIC) + 121; ms(CLOCK_MONOTONIC) < end;) continue;
    return 40;
  }
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, 0);
  return 41;
}
