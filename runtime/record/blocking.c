/* Functions of the C library in which a thread may leave its processor. The recorder knows how long
 * the thread was off it between two calls of MPI, but not where: it asks here, after each of these
 * functions, and looks at the stack only if the thread was off its processor in it. A call costs
 * some 4 ns more.
 *
 * stdio is called directly by programs and blocks inside of the C library, where nothing can be
 * interposed; languages' own libraries (Fortran's, C++'s, Python's) call read() and write(). */
#define _GNU_SOURCE
#include "blocking.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static slk_blocking_hooks hooks;
static const slk_blocking_hooks* recorder; /* null: there is none */

void slk_use_blocking(const slk_blocking_hooks* from) {
  if (from->begin == NULL || from->end == NULL || from->interrupted == NULL) return;
  hooks = *from;
  __atomic_store_n(&recorder, &hooks, __ATOMIC_RELEASE);
}

/* Those that are never interrupted, must not be repeated, or are parts of the C library's stdio. */
#define SLK_ONCE(X)                                                                            \
  X(int, close, (int fd), (fd))                                                                \
  X(size_t, fread, (void* to, size_t size, size_t count, FILE* file), (to, size, count, file)) \
  X(size_t, fwrite, (const void* from, size_t size, size_t count, FILE* file),                 \
    (from, size, count, file))                                                                 \
  X(int, fflush, (FILE * file), (file))                                                        \
  X(int, fclose, (FILE * file), (file))                                                        \
  X(int, pthread_join, (pthread_t thread, void** value), (thread, value))

/* Those that are called again as they were where the recorder's signal has ended them: for as long
 * as it takes, up to a point in time, for what select() has left of its time, or with the time that
 * a socket is given. */
#define SLK_AGAIN(X)                                                                              \
  X(ssize_t, read, (int fd, void* to, size_t bytes), (fd, to, bytes))                             \
  X(ssize_t, write, (int fd, const void* from, size_t bytes), (fd, from, bytes))                  \
  X(ssize_t, pread, (int fd, void* to, size_t bytes, off_t at), (fd, to, bytes, at))              \
  X(ssize_t, pread64, (int fd, void* to, size_t bytes, off64_t at), (fd, to, bytes, at))          \
  X(ssize_t, pwrite, (int fd, const void* from, size_t bytes, off_t at), (fd, from, bytes, at))   \
  X(ssize_t, pwrite64, (int fd, const void* from, size_t bytes, off64_t at),                      \
    (fd, from, bytes, at))                                                                        \
  X(ssize_t, readv, (int fd, const struct iovec* parts, int count), (fd, parts, count))           \
  X(ssize_t, writev, (int fd, const struct iovec* parts, int count), (fd, parts, count))          \
  X(int, fsync, (int fd), (fd))                                                                   \
  X(int, fdatasync, (int fd), (fd))                                                               \
  X(int, select, (int count, fd_set* read, fd_set* write, fd_set* other, struct timeval* time),   \
    (count, read, write, other, time))                                                            \
  X(ssize_t, recv, (int fd, void* to, size_t bytes, int flags), (fd, to, bytes, flags))           \
  X(ssize_t, recvfrom,                                                                            \
    (int fd, void* to, size_t bytes, int flags, __SOCKADDR_ARG from, socklen_t* length),          \
    (fd, to, bytes, flags, from, length))                                                         \
  X(ssize_t, recvmsg, (int fd, struct msghdr* message, int flags), (fd, message, flags))          \
  X(ssize_t, send, (int fd, const void* from, size_t bytes, int flags), (fd, from, bytes, flags)) \
  X(ssize_t, sendto,                                                                              \
    (int fd, const void* from, size_t bytes, int flags, __CONST_SOCKADDR_ARG to,                  \
     socklen_t length),                                                                           \
    (fd, from, bytes, flags, to, length))                                                         \
  X(ssize_t, sendmsg, (int fd, const struct msghdr* message, int flags), (fd, message, flags))    \
  X(int, accept, (int fd, __SOCKADDR_ARG from, socklen_t* length), (fd, from, length))            \
  X(int, accept4, (int fd, __SOCKADDR_ARG from, socklen_t* length, int flags),                    \
    (fd, from, length, flags))                                                                    \
  X(pid_t, waitpid, (pid_t pid, int* status, int options), (pid, status, options))                \
  X(int, sem_wait, (sem_t * semaphore), (semaphore))                                              \
  X(int, sem_timedwait, (sem_t * semaphore, const struct timespec* until), (semaphore, until))    \
  X(int, sem_clockwait, (sem_t * semaphore, clockid_t clock, const struct timespec* until),       \
    (semaphore, clock, until))                                                                    \
  X(int, semop, (int set, struct sembuf* operations, size_t count), (set, operations, count))     \
  X(int, msgsnd, (int queue, const void* message, size_t bytes, int flags),                       \
    (queue, message, bytes, flags))                                                               \
  X(ssize_t, msgrcv, (int queue, void* message, size_t bytes, long type, int flags),              \
    (queue, message, bytes, type, flags))                                                         \
  X(int, pause, (void), ())                                                                       \
  X(int, sigsuspend, (const sigset_t* mask), (mask))                                              \
  X(int, sigwaitinfo, (const sigset_t* set, siginfo_t* info), (set, info))

/* Those with an amount of time, of which the rest is asked for then. */
#define SLK_FOR_MS(X)                                                              \
  X(int, poll, (struct pollfd * files, nfds_t count, int ms), (files, count, ms))  \
  X(int, __poll_chk, (struct pollfd * files, nfds_t count, int ms, size_t room),   \
    (files, count, ms, room))                                                      \
  X(int, epoll_wait, (int fd, struct epoll_event* events, int count, int ms),      \
    (fd, events, count, ms))                                                       \
  X(int, epoll_pwait,                                                              \
    (int fd, struct epoll_event* events, int count, int ms, const sigset_t* mask), \
    (fd, events, count, ms, mask))

#define SLK_FOR_TIME(X)                                                                       \
  X(int, ppoll,                                                                               \
    (struct pollfd * files, nfds_t count, const struct timespec* time, const sigset_t* mask), \
    (files, count, time, mask))                                                               \
  X(int, __ppoll_chk,                                                                         \
    (struct pollfd * files, nfds_t count, const struct timespec* time, const sigset_t* mask,  \
     size_t room),                                                                            \
    (files, count, time, mask, room))                                                         \
  X(int, pselect,                                                                             \
    (int count, fd_set* read, fd_set* write, fd_set* other, const struct timespec* time,      \
     const sigset_t* mask),                                                                   \
    (count, read, write, other, time, mask))                                                  \
  X(int, epoll_pwait2,                                                                        \
    (int fd, struct epoll_event* events, int count, const struct timespec* time,              \
     const sigset_t* mask),                                                                   \
    (fd, events, count, time, mask))                                                          \
  X(int, sigtimedwait, (const sigset_t* set, siginfo_t* info, const struct timespec* time),   \
    (set, info, time))                                                                        \
  X(int, semtimedop,                                                                          \
    (int set, struct sembuf* operations, size_t count, const struct timespec* time),          \
    (set, operations, count, time))

/* Those that sleep. */
#define SLK_SLEEPS(X)                                                                   \
  X(int, nanosleep, (const struct timespec* time, struct timespec* left), (time, left)) \
  X(int, clock_nanosleep,                                                               \
    (clockid_t clock, int flags, const struct timespec* time, struct timespec* left),   \
    (clock, flags, time, left))                                                         \
  X(int, thrd_sleep, (const struct timespec* time, struct timespec* left), (time, left))

#define SLK_DECLARE(type, name, parameters, arguments) static type(*real_##name) parameters;
SLK_ONCE(SLK_DECLARE)
SLK_AGAIN(SLK_DECLARE)
SLK_FOR_MS(SLK_DECLARE)
SLK_FOR_TIME(SLK_DECLARE)
SLK_SLEEPS(SLK_DECLARE)
#undef SLK_DECLARE

/* At once, because some of these are called by signal handlers. */
__attribute__((constructor)) static void find_blocking_functions(void) {
#define SLK_FIND(type, name, parameters, arguments) \
  real_##name = (type(*) parameters)(uintptr_t)slk_find_next(#name);
  SLK_ONCE(SLK_FIND)
  SLK_AGAIN(SLK_FIND)
  SLK_FOR_MS(SLK_FIND)
  SLK_FOR_TIME(SLK_FIND)
  SLK_SLEEPS(SLK_FIND)
#undef SLK_FIND
}

/* Before the constructor, or where the C library is too old to have the function. */
static int found(void** function, const char* name) {
  *function = slk_find_next(name);
  return *function != NULL;
}

static void after(uint64_t token, const uint64_t* frame) {
  const int saved_errno = errno;
  hooks.end(token, frame);
  errno = saved_errno;
}

/* Around the calls of a function. The frame is that of the function which contains this. */
#define SLK_BEGIN(type, name)                                                                   \
  if (__builtin_expect(real_##name == NULL, 0) && !found((void**)(void*)&real_##name, #name)) { \
    errno = ENOSYS;                                                                             \
    return (type)-1;                                                                            \
  }                                                                                             \
  const int errno_before = errno;                                                               \
  const uint64_t token = recorder == NULL ? 0 : hooks.begin()
#define SLK_END \
  if (__builtin_expect(token != 0, 0)) after(token, (const uint64_t*)__builtin_frame_address(0))

/* The recorder's signal, and none of the program's, has interrupted what has failed; then nothing
 * of that is left in errno. */
static int by_recorder(int failed, int errno_before) {
  if (!failed || recorder == NULL || !hooks.interrupted()) return 0;
  errno = errno_before;
  return 1;
}

#define SLK_DEFINE(type, name, parameters, arguments) \
  type name parameters {                              \
    SLK_BEGIN(type, name);                            \
    const type result = real_##name arguments;        \
    (void)errno_before;                               \
    SLK_END;                                          \
    return result;                                    \
  }
SLK_ONCE(SLK_DEFINE)
#undef SLK_DEFINE

#define SLK_DEFINE(type, name, parameters, arguments)                                       \
  type name parameters {                                                                    \
    SLK_BEGIN(type, name);                                                                  \
    type result;                                                                            \
    do result = real_##name arguments;                                                      \
    while (__builtin_expect(result == -1, 0) && by_recorder(errno == EINTR, errno_before)); \
    SLK_END;                                                                                \
    return result;                                                                          \
  }
SLK_AGAIN(SLK_DEFINE)
#undef SLK_DEFINE

enum { kNsPerMs = 1000000, kNsPerSecond = 1000000000 };

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * kNsPerSecond + now.tv_nsec;
}

/* What is left until `end`, rounded up. */
static int ms_until(int64_t end) {
  const int64_t left = end - now_ns();
  return left > 0 ? (int)((left + kNsPerMs - 1) / kNsPerMs) : 0;
}

#define SLK_DEFINE(type, name, parameters, arguments)                                        \
  type name parameters {                                                                     \
    SLK_BEGIN(type, name);                                                                   \
    const int64_t end = ms > 0 ? now_ns() + (int64_t)ms * kNsPerMs : 0;                      \
    type result = real_##name arguments;                                                     \
    while (__builtin_expect(result == -1, 0) && by_recorder(errno == EINTR, errno_before)) { \
      if (ms > 0) ms = ms_until(end);                                                        \
      result = real_##name arguments;                                                        \
    }                                                                                        \
    SLK_END;                                                                                 \
    return result;                                                                           \
  }
SLK_FOR_MS(SLK_DEFINE)
#undef SLK_DEFINE

/* What is left of `time`, of which a part has passed since `begin`. */
static struct timespec left_of(const struct timespec* time, int64_t begin) {
  const int64_t passed = now_ns() - begin;
  struct timespec left = {time->tv_sec - passed / kNsPerSecond,
                          time->tv_nsec - passed % kNsPerSecond};
  if (left.tv_nsec < 0) {
    left.tv_nsec += kNsPerSecond;
    --left.tv_sec;
  }
  if (left.tv_sec < 0) left.tv_sec = left.tv_nsec = 0;
  return left;
}

#define SLK_DEFINE(type, name, parameters, arguments)                                        \
  type name parameters {                                                                     \
    SLK_BEGIN(type, name);                                                                   \
    const struct timespec* const given = time;                                               \
    const int64_t begin = given != NULL ? now_ns() : 0;                                      \
    struct timespec left;                                                                    \
    type result = real_##name arguments;                                                     \
    while (__builtin_expect(result == -1, 0) && by_recorder(errno == EINTR, errno_before)) { \
      if (given != NULL) left = left_of(given, begin), time = &left;                         \
      result = real_##name arguments;                                                        \
    }                                                                                        \
    SLK_END;                                                                                 \
    return result;                                                                           \
  }
SLK_FOR_TIME(SLK_DEFINE)
#undef SLK_DEFINE

/* Each gives the rest of the time where it is interrupted. */
int nanosleep(const struct timespec* time, struct timespec* left) {
  SLK_BEGIN(int, nanosleep);
  struct timespec own;
  struct timespec* const rest = left == NULL ? &own : left;
  int result = real_nanosleep(time, rest);
  while (result == -1 && by_recorder(errno == EINTR, errno_before))
    result = real_nanosleep(rest, rest);
  SLK_END;
  return result;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec* time,
                    struct timespec* left) {
  SLK_BEGIN(int, clock_nanosleep);
  struct timespec own;
  struct timespec* const rest = left == NULL ? &own : left;
  const struct timespec* again = (flags & TIMER_ABSTIME) != 0 ? time : rest;
  int error = real_clock_nanosleep(clock, flags, time, rest);
  while (by_recorder(error == EINTR, errno_before))
    error = real_clock_nanosleep(clock, flags, again, rest);
  SLK_END;
  return error;
}

int thrd_sleep(const struct timespec* time, struct timespec* left) {
  SLK_BEGIN(int, thrd_sleep);
  struct timespec own;
  struct timespec* const rest = left == NULL ? &own : left;
  int result = real_thrd_sleep(time, rest);
  while (by_recorder(result == -1, errno_before)) result = real_thrd_sleep(rest, rest);
  SLK_END;
  return result;
}

/* The C library's own sleep() and usleep() are made of nanosleep() alike. */
int usleep(useconds_t us) {
  SLK_BEGIN(int, nanosleep);
  struct timespec time = {us / 1000000, (long)(us % 1000000) * 1000};
  int result = real_nanosleep(&time, &time);
  while (result == -1 && by_recorder(errno == EINTR, errno_before))
    result = real_nanosleep(&time, &time);
  SLK_END;
  return result;
}

unsigned sleep(unsigned seconds) {
  SLK_BEGIN(unsigned, nanosleep);
  struct timespec time = {(time_t)seconds, 0};
  int result = real_nanosleep(&time, &time);
  while (result == -1 && by_recorder(errno == EINTR, errno_before))
    result = real_nanosleep(&time, &time);
  SLK_END;
  return result == 0 ? 0 : (unsigned)time.tv_sec;
}
