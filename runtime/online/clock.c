/* Simulated time wherever a program looks, and sleeping that costs nothing. */
#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "calls.h"
#include "online.h"

enum { kNanos = 1000000000 };

/* Dates begin here, so that differences to earlier readings stay small. */
static int64_t origin_ns(clockid_t clock) {
  static int64_t origins[2];
  int64_t* origin = &origins[clock == CLOCK_REALTIME];
  if (*origin == 0) {
    struct timespec t;
    syscall(SYS_clock_gettime, clock, &t);
    *origin = (int64_t)t.tv_sec * kNanos + t.tv_nsec - (int64_t)(simulated_now() * 1e9);
  }
  return *origin;
}

static int64_t date_ns(clockid_t clock) {
  return origin_ns(clock) + (int64_t)(simulated_now() * 1e9);
}

MPI_FUNCTION_OF(double, Wtime, (void)) {
  return simulated_now();
}

EXPORT int clock_gettime(clockid_t clock, struct timespec* t) {
  const int wall = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ||
                   clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_REALTIME_COARSE ||
                   clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
  if (!simulated() || !wall) return (int)syscall(SYS_clock_gettime, clock, t);
  const int real = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  const int64_t now = date_ns(real ? CLOCK_REALTIME : CLOCK_MONOTONIC);
  t->tv_sec = now / kNanos;
  t->tv_nsec = now % kNanos;
  return 0;
}

EXPORT int gettimeofday(struct timeval* restrict t, void* restrict zone) {
  if (!simulated()) return (int)syscall(SYS_gettimeofday, t, zone);
  const int64_t now = date_ns(CLOCK_REALTIME);
  t->tv_sec = now / kNanos;
  t->tv_usec = now % kNanos / 1000;
  return 0;
}

EXPORT time_t time(time_t* at) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (at != NULL) *at = t.tv_sec;
  return t.tv_sec;
}

void pass(uint64_t ns) {
  static const uint64_t most_ns = (uint64_t)1 << 62;
  if (ns > most_ns) ns = most_ns;
  if (!try_enter_call(
          "a pause")) { /* another thread waits for others, so time is real for this one */
    const struct timespec t = {.tv_sec = (time_t)(ns / kNanos), .tv_nsec = (long)(ns % kNanos)};
    syscall(SYS_nanosleep, &t, NULL);
    return;
  }
  struct slk_online_call* call = new_call(SLK_OP_none, NULL);
  call->kind = SLK_ONLINE_SLEEP;
  call->bytes = ns;
  ask();
  leave_call();
}

static int invalid(const struct timespec* t) {
  return t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= kNanos;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec* t,
                           struct timespec* left) {
  if (!is_of_program()) {
    return syscall(SYS_clock_nanosleep, clock, flags, t, left) == 0 ? 0 : errno;
  }
  if (invalid(t)) return EINVAL;
  int64_t ns = (int64_t)t->tv_sec * kNanos + t->tv_nsec;
  if ((flags & TIMER_ABSTIME) != 0)
    ns -= date_ns(clock == CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC);
  if (ns > 0) pass((uint64_t)ns);
  return 0;
}

EXPORT int nanosleep(const struct timespec* t, struct timespec* left) {
  if (!is_of_program()) return (int)syscall(SYS_nanosleep, t, left);
  if (invalid(t)) {
    errno = EINVAL;
    return -1;
  }
  pass((uint64_t)t->tv_sec * kNanos + (uint64_t)t->tv_nsec);
  return 0;
}

/* C11's; 0 or a negative number. */
EXPORT int thrd_sleep(const struct timespec* t, struct timespec* left) {
  if (!is_of_program()) {
    if (syscall(SYS_nanosleep, t, left) == 0) return 0;
    return errno == EINTR ? -1 : -2;
  }
  return nanosleep(t, NULL) == 0 ? 0 : -2;
}

EXPORT int usleep(useconds_t us) {
  const struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000};
  return nanosleep(&t, NULL);
}

EXPORT unsigned sleep(unsigned seconds) {
  const struct timespec t = {.tv_sec = seconds, .tv_nsec = 0};
  nanosleep(&t, NULL);
  return 0;
}
