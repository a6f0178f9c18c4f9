/* A library to preload: the clocks of its process differ by ANY_CLOCK_S seconds, as libfaketime
 * makes them differ, whose place it takes where that is not installed. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* time) {
  const long failed = syscall(SYS_clock_gettime, clock, time);
  const char* seconds = getenv("ANY_CLOCK_S");
  if (seconds != NULL && (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME)) {
    time->tv_sec += atoll(seconds);
  }
  return (int)failed;
}
