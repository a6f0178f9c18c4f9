/* Waiting for nothing but a timeout passes simulated time. Waiting for descriptors is real: who
 * writes to them is outside of the simulation. */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "online.h"

enum { kKernelSignals = 8 }; /* bytes of the kernel's set of signals */

static int64_t nanoseconds(int64_t seconds, int64_t nanos) {
  return seconds * 1000000000 + nanos;
}

static int passed(int64_t ns) {
  if (ns > 0) pass((uint64_t)ns);
  return 0;
}

static int is_empty(int n, const fd_set* set) {
  for (int i = 0; set != NULL && i < n; ++i) {
    if (FD_ISSET(i, set)) return 0;
  }
  return 1;
}

static int waits_for_none(int n, const fd_set* in, const fd_set* out, const fd_set* except) {
  return is_of_program() && is_empty(n, in) && is_empty(n, out) && is_empty(n, except);
}

EXPORT int select(int n, fd_set* restrict in, fd_set* restrict out, fd_set* restrict except,
                  struct timeval* restrict t) {
  if (t != NULL && waits_for_none(n, in, out, except) && t->tv_sec >= 0 && t->tv_usec >= 0) {
    const int64_t ns = nanoseconds(t->tv_sec, (int64_t)t->tv_usec * 1000);
    t->tv_sec = 0;
    t->tv_usec = 0;
    return passed(ns);
  }
  return (int)syscall(SYS_select, n, in, out, except, t);
}

EXPORT int pselect(int n, fd_set* restrict in, fd_set* restrict out, fd_set* restrict except,
                   const struct timespec* restrict t, const sigset_t* restrict signals) {
  if (t != NULL && waits_for_none(n, in, out, except) && t->tv_sec >= 0 && t->tv_nsec >= 0) {
    return passed(nanoseconds(t->tv_sec, t->tv_nsec));
  }
  struct {
    const sigset_t* set;
    size_t bytes;
  } mask = {signals, kKernelSignals};
  struct timespec copy = t != NULL ? *t : (struct timespec){0, 0}; /* the kernel changes it */
  return (int)syscall(SYS_pselect6, n, in, out, except, t != NULL ? &copy : NULL, &mask);
}

EXPORT int poll(struct pollfd* of, nfds_t n, int milliseconds) {
  if (n == 0 && milliseconds >= 0 && is_of_program()) {
    return passed((int64_t)milliseconds * 1000000);
  }
  return (int)syscall(SYS_poll, of, n, milliseconds);
}

EXPORT int ppoll(struct pollfd* of, nfds_t n, const struct timespec* t, const sigset_t* signals) {
  if (n == 0 && t != NULL && is_of_program() && t->tv_sec >= 0 && t->tv_nsec >= 0) {
    return passed(nanoseconds(t->tv_sec, t->tv_nsec));
  }
  struct timespec copy = t != NULL ? *t : (struct timespec){0, 0};
  return (int)syscall(SYS_ppoll, of, n, t != NULL ? &copy : NULL, signals, kKernelSignals);
}

/* Whether no descriptor is in the set, which only the kernel knows. */
static int is_empty_set(int epoll) {
  char name[64], line[256];
  snprintf(name, sizeof name, "/proc/self/fdinfo/%d", epoll);
  FILE* info = fopen(name, "re");
  if (info == NULL) return 0;
  int empty = 1;
  while (empty && fgets(line, sizeof line, info) != NULL) empty = strncmp(line, "tfd:", 4) != 0;
  fclose(info);
  return empty;
}

EXPORT int epoll_pwait(int epoll, struct epoll_event* events, int most, int milliseconds,
                       const sigset_t* signals) {
  if (milliseconds >= 0 && most > 0 && is_of_program() && is_empty_set(epoll)) {
    return passed((int64_t)milliseconds * 1000000);
  }
  return (int)syscall(SYS_epoll_pwait, epoll, events, most, milliseconds, signals, kKernelSignals);
}

EXPORT int epoll_wait(int epoll, struct epoll_event* events, int most, int milliseconds) {
  return epoll_pwait(epoll, events, most, milliseconds, NULL);
}
