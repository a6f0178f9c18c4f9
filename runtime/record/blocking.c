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
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static uint64_t (*begin_blocking)(void);
static void (*end_blocking)(uint64_t token, const uint64_t* frame);

void slk_use_blocking(uint64_t (*begin)(void), void (*end)(uint64_t, const uint64_t*)) {
  if (begin == NULL || end == NULL) return;
  end_blocking = end;
  __atomic_store_n(&begin_blocking, begin, __ATOMIC_RELEASE);
}

#define SLK_BLOCKING(X)                                                                           \
  X(int, nanosleep, (const struct timespec* time, struct timespec* left), (time, left))           \
  X(int, clock_nanosleep,                                                                         \
    (clockid_t clock, int flags, const struct timespec* time, struct timespec* left),             \
    (clock, flags, time, left))                                                                   \
  X(int, thrd_sleep, (const struct timespec* time, struct timespec* left), (time, left))          \
  X(int, usleep, (useconds_t us), (us))                                                           \
  X(unsigned, sleep, (unsigned s), (s))                                                           \
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
  X(int, close, (int fd), (fd))                                                                   \
  X(size_t, fread, (void* to, size_t size, size_t count, FILE* file), (to, size, count, file))    \
  X(size_t, fwrite, (const void* from, size_t size, size_t count, FILE* file),                    \
    (from, size, count, file))                                                                    \
  X(int, fflush, (FILE * file), (file))                                                           \
  X(int, fclose, (FILE * file), (file))                                                           \
  X(int, poll, (struct pollfd * files, nfds_t count, int ms), (files, count, ms))                 \
  X(int, select, (int count, fd_set* read, fd_set* write, fd_set* other, struct timeval* time),   \
    (count, read, write, other, time))                                                            \
  X(int, epoll_wait, (int fd, struct epoll_event* events, int count, int ms),                     \
    (fd, events, count, ms))                                                                      \
  X(ssize_t, recv, (int fd, void* to, size_t bytes, int flags), (fd, to, bytes, flags))           \
  X(ssize_t, send, (int fd, const void* from, size_t bytes, int flags), (fd, from, bytes, flags)) \
  X(pid_t, waitpid, (pid_t pid, int* status, int options), (pid, status, options))                \
  X(int, pthread_join, (pthread_t thread, void** value), (thread, value))                         \
  X(int, sem_wait, (sem_t * semaphore), (semaphore))

#define SLK_DECLARE(type, name, parameters, arguments) static type(*real_##name) parameters;
SLK_BLOCKING(SLK_DECLARE)
#undef SLK_DECLARE

/* At once, because some of these are called by signal handlers. */
__attribute__((constructor)) static void find_blocking_functions(void) {
#define SLK_FIND(type, name, parameters, arguments) \
  real_##name = (type(*) parameters)(uintptr_t)slk_find_next(#name);
  SLK_BLOCKING(SLK_FIND)
#undef SLK_FIND
}

static void after(uint64_t token, const uint64_t* frame) {
  const int saved_errno = errno;
  end_blocking(token, frame);
  errno = saved_errno;
}

#define SLK_DEFINE(type, name, parameters, arguments)                        \
  type name parameters {                                                     \
    if (__builtin_expect(real_##name == NULL, 0)) find_blocking_functions(); \
    const uint64_t token = begin_blocking == NULL ? 0 : begin_blocking();    \
    const type result = real_##name arguments;                               \
    if (__builtin_expect(token != 0, 0)) {                                   \
      after(token, (const uint64_t*)__builtin_frame_address(0));             \
    }                                                                        \
    return result;                                                           \
  }
SLK_BLOCKING(SLK_DEFINE)
