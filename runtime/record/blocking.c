/* Functions of the C library in which a thread may leave its processor, and those of GPU runtimes
 * that wait for a device. The recorder knows how long the thread was off its processor between two
 * calls of MPI, but not where: it asks here, after each of these functions, and looks at the stack
 * only if the thread was off its processor in it. I/O and waiting for a device may use the
 * processor: such calls count in any case. A call costs two readings of the clock more, and 4 ns
 * within calls of MPI.
 *
 * stdio is called directly by programs and blocks inside of the C library, where nothing can be
 * interposed; languages' own libraries (Fortran's, C++'s, Python's) call read() and write(). */
#define _GNU_SOURCE
#include "blocking.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
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

enum {
  kIo = SLK_BLOCKING_IO,
  kOpens = SLK_BLOCKING_IO | SLK_BLOCKING_OPENS,
  kCloses = SLK_BLOCKING_IO | SLK_BLOCKING_CLOSES,
  kLock = SLK_BLOCKING_LOCK,
  kProcess = SLK_BLOCKING_PROCESS,
  kSleep = SLK_BLOCKING_SLEEP
};

/* X(kind of waiting, descriptor, bytes of one unit of the result or 0, type of the result, name,
 * parameters, arguments). */

/* Those that are never interrupted, must not be repeated, or are parts of the C library's stdio. */
#define SLK_ONCE(X)                                                                                \
  X(kCloses, fd, 0, int, close, (int fd), (fd))                                                    \
  X(kIo, fileno(file), size, size_t, fread, (void* to, size_t size, size_t count, FILE* file),     \
    (to, size, count, file))                                                                       \
  X(kIo, fileno(file), size, size_t, fwrite,                                                       \
    (const void* from, size_t size, size_t count, FILE* file), (from, size, count, file))          \
  X(kIo, file == NULL ? -1 : fileno(file), 0, int, fflush, (FILE * file), (file))                  \
  X(kCloses, fileno(file), 0, int, fclose, (FILE * file), (file))                                  \
  X(kIo, fileno(file), size, size_t, __fread_chk,                                                  \
    (void* to, size_t room, size_t size, size_t count, FILE* file), (to, room, size, count, file)) \
  X(kIo, -1, 0, int, msync, (void* at, size_t bytes, int flags), (at, bytes, flags))               \
  X(kOpens, to, 0, int, dup2, (int from, int to), (from, to))                                      \
  X(kOpens, to, 0, int, dup3, (int from, int to, int flags), (from, to, flags))                    \
  X(kLock, -1, 0, int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t * mutex),   \
    (condition, mutex))                                                                            \
  X(kLock, -1, 0, int, pthread_cond_timedwait,                                                     \
    (pthread_cond_t * condition, pthread_mutex_t * mutex, const struct timespec* until),           \
    (condition, mutex, until))                                                                     \
  X(kLock, -1, 0, int, pthread_cond_clockwait,                                                     \
    (pthread_cond_t * condition, pthread_mutex_t * mutex, clockid_t clock,                         \
     const struct timespec* until),                                                                \
    (condition, mutex, clock, until))                                                              \
  X(kLock, -1, 0, int, pthread_join, (pthread_t thread, void** value), (thread, value))

/* Those that are called again as they were where the recorder's signal has ended them: for as long
 * as it takes, up to a point in time, for what select() has left of its time, or with the time that
 * a socket is given. */
#define SLK_AGAIN(X)                                                                               \
  X(kIo, fd, 1, ssize_t, read, (int fd, void* to, size_t bytes), (fd, to, bytes))                  \
  X(kIo, fd, 1, ssize_t, write, (int fd, const void* from, size_t bytes), (fd, from, bytes))       \
  X(kIo, fd, 1, ssize_t, pread, (int fd, void* to, size_t bytes, off_t at), (fd, to, bytes, at))   \
  X(kIo, fd, 1, ssize_t, pread64, (int fd, void* to, size_t bytes, off64_t at),                    \
    (fd, to, bytes, at))                                                                           \
  X(kIo, fd, 1, ssize_t, pwrite, (int fd, const void* from, size_t bytes, off_t at),               \
    (fd, from, bytes, at))                                                                         \
  X(kIo, fd, 1, ssize_t, pwrite64, (int fd, const void* from, size_t bytes, off64_t at),           \
    (fd, from, bytes, at))                                                                         \
  X(kIo, fd, 1, ssize_t, readv, (int fd, const struct iovec* parts, int count),                    \
    (fd, parts, count))                                                                            \
  X(kIo, fd, 1, ssize_t, writev, (int fd, const struct iovec* parts, int count),                   \
    (fd, parts, count))                                                                            \
  X(kIo, fd, 1, ssize_t, preadv, (int fd, const struct iovec* parts, int count, off_t at),         \
    (fd, parts, count, at))                                                                        \
  X(kIo, fd, 1, ssize_t, preadv64, (int fd, const struct iovec* parts, int count, off64_t at),     \
    (fd, parts, count, at))                                                                        \
  X(kIo, fd, 1, ssize_t, pwritev, (int fd, const struct iovec* parts, int count, off_t at),        \
    (fd, parts, count, at))                                                                        \
  X(kIo, fd, 1, ssize_t, pwritev64, (int fd, const struct iovec* parts, int count, off64_t at),    \
    (fd, parts, count, at))                                                                        \
  X(kIo, fd, 1, ssize_t, __read_chk, (int fd, void* to, size_t bytes, size_t room),                \
    (fd, to, bytes, room))                                                                         \
  X(kIo, fd, 1, ssize_t, __pread_chk, (int fd, void* to, size_t bytes, off_t at, size_t room),     \
    (fd, to, bytes, at, room))                                                                     \
  X(kIo, fd, 1, ssize_t, __pread64_chk, (int fd, void* to, size_t bytes, off64_t at, size_t room), \
    (fd, to, bytes, at, room))                                                                     \
  X(kIo, to, 1, ssize_t, sendfile, (int to, int from, off_t* at, size_t bytes),                    \
    (to, from, at, bytes))                                                                         \
  X(kIo, to, 1, ssize_t, sendfile64, (int to, int from, off64_t* at, size_t bytes),                \
    (to, from, at, bytes))                                                                         \
  X(kIo, to, 1, ssize_t, copy_file_range,                                                          \
    (int from, off64_t* from_at, int to, off64_t* to_at, size_t bytes, unsigned flags),            \
    (from, from_at, to, to_at, bytes, flags))                                                      \
  X(kIo, fd, 0, int, fsync, (int fd), (fd))                                                        \
  X(kIo, fd, 0, int, fdatasync, (int fd), (fd))                                                    \
  X(kProcess, -1, 0, int, select,                                                                  \
    (int count, fd_set* read, fd_set* write, fd_set* other, struct timeval* time),                 \
    (count, read, write, other, time))                                                             \
  X(kProcess, -1, 0, ssize_t, recv, (int fd, void* to, size_t bytes, int flags),                   \
    (fd, to, bytes, flags))                                                                        \
  X(kProcess, -1, 0, ssize_t, recvfrom,                                                            \
    (int fd, void* to, size_t bytes, int flags, __SOCKADDR_ARG from, socklen_t* length),           \
    (fd, to, bytes, flags, from, length))                                                          \
  X(kProcess, -1, 0, ssize_t, recvmsg, (int fd, struct msghdr* message, int flags),                \
    (fd, message, flags))                                                                          \
  X(kProcess, -1, 0, ssize_t, send, (int fd, const void* from, size_t bytes, int flags),           \
    (fd, from, bytes, flags))                                                                      \
  X(kProcess, -1, 0, ssize_t, sendto,                                                              \
    (int fd, const void* from, size_t bytes, int flags, __CONST_SOCKADDR_ARG to,                   \
     socklen_t length),                                                                            \
    (fd, from, bytes, flags, to, length))                                                          \
  X(kProcess, -1, 0, ssize_t, sendmsg, (int fd, const struct msghdr* message, int flags),          \
    (fd, message, flags))                                                                          \
  X(kProcess, -1, 0, int, accept, (int fd, __SOCKADDR_ARG from, socklen_t* length),                \
    (fd, from, length))                                                                            \
  X(kProcess, -1, 0, int, accept4, (int fd, __SOCKADDR_ARG from, socklen_t* length, int flags),    \
    (fd, from, length, flags))                                                                     \
  X(kProcess, -1, 0, pid_t, waitpid, (pid_t pid, int* status, int options),                        \
    (pid, status, options))                                                                        \
  X(kLock, -1, 0, int, sem_wait, (sem_t * semaphore), (semaphore))                                 \
  X(kLock, -1, 0, int, sem_timedwait, (sem_t * semaphore, const struct timespec* until),           \
    (semaphore, until))                                                                            \
  X(kLock, -1, 0, int, sem_clockwait,                                                              \
    (sem_t * semaphore, clockid_t clock, const struct timespec* until), (semaphore, clock, until)) \
  X(kLock, -1, 0, int, semop, (int set, struct sembuf* operations, size_t count),                  \
    (set, operations, count))                                                                      \
  X(kProcess, -1, 0, int, msgsnd, (int queue, const void* message, size_t bytes, int flags),       \
    (queue, message, bytes, flags))                                                                \
  X(kProcess, -1, 0, ssize_t, msgrcv,                                                              \
    (int queue, void* message, size_t bytes, long type, int flags),                                \
    (queue, message, bytes, type, flags))                                                          \
  X(kProcess, -1, 0, int, pause, (void), ())                                                       \
  X(kProcess, -1, 0, int, sigsuspend, (const sigset_t* mask), (mask))                              \
  X(kProcess, -1, 0, int, sigwaitinfo, (const sigset_t* set, siginfo_t* info), (set, info))

/* Those that make a descriptor, with the file's mode if they may make the file. */
#define SLK_OPENS(X)                                                                     \
  X(open, (const char* path, int flags, ...), (path, flags, mode))                       \
  X(open64, (const char* path, int flags, ...), (path, flags, mode))                     \
  X(openat, (int folder, const char* path, int flags, ...), (folder, path, flags, mode)) \
  X(openat64, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
#define SLK_MAKES(X)                                                                     \
  X(int, result, creat, (const char* path, mode_t mode), (path, mode))                   \
  X(int, result, creat64, (const char* path, mode_t mode), (path, mode))                 \
  X(int, result, __open_2, (const char* path, int flags), (path, flags))                 \
  X(int, result, __open64_2, (const char* path, int flags), (path, flags))               \
  X(FILE*, file_of(result), fopen, (const char* path, const char* mode), (path, mode))   \
  X(FILE*, file_of(result), fopen64, (const char* path, const char* mode), (path, mode)) \
  X(FILE*, file_of(result), freopen, (const char* path, const char* mode, FILE* file),   \
    (path, mode, file))                                                                  \
  X(FILE*, file_of(result), freopen64, (const char* path, const char* mode, FILE* file), \
    (path, mode, file))

/* Those that wait for a device: a pointer and an amount of time at most. */
#define SLK_DEVICE_WAITS(X)       \
  X(cudaStreamSynchronize)        \
  X(cudaDeviceSynchronize)        \
  X(cudaEventSynchronize)         \
  X(cuStreamSynchronize)          \
  X(cuCtxSynchronize)             \
  X(cuEventSynchronize)           \
  X(hipStreamSynchronize)         \
  X(hipDeviceSynchronize)         \
  X(hipEventSynchronize)          \
  X(zeEventHostSynchronize)       \
  X(zeCommandQueueSynchronize)    \
  X(zeCommandListHostSynchronize) \
  X(zeFenceHostSynchronize)

/* Those with an amount of time, of which the rest is asked for then. */
#define SLK_FOR_MS(X)                                                                              \
  X(kProcess, -1, 0, int, poll, (struct pollfd * files, nfds_t count, int ms), (files, count, ms)) \
  X(kProcess, -1, 0, int, __poll_chk, (struct pollfd * files, nfds_t count, int ms, size_t room),  \
    (files, count, ms, room))                                                                      \
  X(kProcess, -1, 0, int, epoll_wait, (int fd, struct epoll_event* events, int count, int ms),     \
    (fd, events, count, ms))                                                                       \
  X(kProcess, -1, 0, int, epoll_pwait,                                                             \
    (int fd, struct epoll_event* events, int count, int ms, const sigset_t* mask),                 \
    (fd, events, count, ms, mask))

#define SLK_FOR_TIME(X)                                                                       \
  X(kProcess, -1, 0, int, ppoll,                                                              \
    (struct pollfd * files, nfds_t count, const struct timespec* time, const sigset_t* mask), \
    (files, count, time, mask))                                                               \
  X(kProcess, -1, 0, int, __ppoll_chk,                                                        \
    (struct pollfd * files, nfds_t count, const struct timespec* time, const sigset_t* mask,  \
     size_t room),                                                                            \
    (files, count, time, mask, room))                                                         \
  X(kProcess, -1, 0, int, pselect,                                                            \
    (int count, fd_set* read, fd_set* write, fd_set* other, const struct timespec* time,      \
     const sigset_t* mask),                                                                   \
    (count, read, write, other, time, mask))                                                  \
  X(kProcess, -1, 0, int, epoll_pwait2,                                                       \
    (int fd, struct epoll_event* events, int count, const struct timespec* time,              \
     const sigset_t* mask),                                                                   \
    (fd, events, count, time, mask))                                                          \
  X(kProcess, -1, 0, int, sigtimedwait,                                                       \
    (const sigset_t* set, siginfo_t* info, const struct timespec* time), (set, info, time))   \
  X(kLock, -1, 0, int, semtimedop,                                                            \
    (int set, struct sembuf* operations, size_t count, const struct timespec* time),          \
    (set, operations, count, time))

/* Those that sleep. */
#define SLK_SLEEPS(X)                                                                     \
  X(kSleep, -1, 0, int, nanosleep, (const struct timespec* time, struct timespec* left),  \
    (time, left))                                                                         \
  X(kSleep, -1, 0, int, clock_nanosleep,                                                  \
    (clockid_t clock, int flags, const struct timespec* time, struct timespec* left),     \
    (clock, flags, time, left))                                                           \
  X(kSleep, -1, 0, int, thrd_sleep, (const struct timespec* time, struct timespec* left), \
    (time, left))

#define SLK_DECLARE(kind, on, unit, type, name, parameters, arguments) \
  static type(*real_##name) parameters;
#define SLK_DECLARE_OPEN(name, parameters, arguments) static int(*real_##name) parameters;
#define SLK_DECLARE_MAKE(type, on, name, parameters, arguments) \
  static type(*real_##name) parameters;
#define SLK_DECLARE_DEVICE(name) static int (*real_##name)(void* of, uint64_t time);
SLK_ONCE(SLK_DECLARE)
SLK_AGAIN(SLK_DECLARE)
SLK_FOR_MS(SLK_DECLARE)
SLK_FOR_TIME(SLK_DECLARE)
SLK_SLEEPS(SLK_DECLARE)
SLK_OPENS(SLK_DECLARE_OPEN)
SLK_MAKES(SLK_DECLARE_MAKE)
SLK_DEVICE_WAITS(SLK_DECLARE_DEVICE)
#undef SLK_DECLARE

/* At once, because some of these are called by signal handlers. */
__attribute__((constructor)) static void find_blocking_functions(void) {
#define SLK_FIND(kind, on, unit, type, name, parameters, arguments) \
  *(void**)(void*)&real_##name = slk_find_next(#name);
#define SLK_FIND_OPEN(name, parameters, arguments) SLK_FIND(, , , , name, , )
  SLK_ONCE(SLK_FIND)
  SLK_AGAIN(SLK_FIND)
  SLK_FOR_MS(SLK_FIND)
  SLK_FOR_TIME(SLK_FIND)
  SLK_SLEEPS(SLK_FIND)
  SLK_OPENS(SLK_FIND_OPEN)
#undef SLK_FIND
}

/* Before the constructor, or where the C library is too old to have the function. */
static int found(void** function, const char* name) {
  *function = slk_find_next(name);
  return *function != NULL;
}

static void after(const slk_blocking_function* function, slk_blocking_token token, int file,
                  int64_t bytes, const uint64_t* frame) {
  const int saved_errno = errno;
  const slk_blocking_call call = {function, token, frame, bytes, file};
  hooks.end(&call);
  errno = saved_errno;
}

/* Around the calls of a function. The frame is that of the function which contains this. */
#define SLK_BEGIN(type, name, of_kind)                                                          \
  if (__builtin_expect(real_##name == NULL, 0) && !found((void**)(void*)&real_##name, #name)) { \
    errno = ENOSYS;                                                                             \
    return (type)-1;                                                                            \
  }                                                                                             \
  static const slk_blocking_function function = {#name, of_kind};                               \
  const int errno_before = errno;                                                               \
  const slk_blocking_token token =                                                              \
      recorder == NULL ? (slk_blocking_token){0, 0} : hooks.begin(of_kind)
#define SLK_END(file, bytes)                  \
  if (__builtin_expect(token.moment != 0, 0)) \
  after(&function, token, file, (int64_t)(bytes), (const uint64_t*)__builtin_frame_address(0))

/* The recorder's signal, and none of the program's, has interrupted what has failed; then nothing
 * of that is left in errno. */
static int by_recorder(int failed, int errno_before) {
  if (!failed || recorder == NULL || !hooks.interrupted()) return 0;
  errno = errno_before;
  return 1;
}

static int file_of(FILE* file) {
  return file == NULL ? -1 : fileno(file);
}

#define SLK_DEFINE(kind, on, unit, type, name, parameters, arguments) \
  type name parameters {                                              \
    SLK_BEGIN(type, name, kind);                                      \
    const int on_file = token.moment != 0 ? on : -1;                  \
    errno = errno_before;                                             \
    type const result = real_##name arguments;                        \
    SLK_END(on_file, (size_t)result* unit);                           \
    return result;                                                    \
  }
SLK_ONCE(SLK_DEFINE)
#undef SLK_DEFINE

#define SLK_DEFINE(type, on, name, parameters, arguments) \
  type name parameters {                                  \
    SLK_BEGIN(type, name, kOpens);                        \
    type const result = real_##name arguments;            \
    (void)errno_before;                                   \
    SLK_END(on, 0);                                       \
    return result;                                        \
  }
SLK_MAKES(SLK_DEFINE)
#undef SLK_DEFINE

#define SLK_DEFINE(name)                                                    \
  __attribute__((visibility("default"))) int name(void* of, uint64_t time); \
  int name(void* of, uint64_t time) {                                       \
    SLK_BEGIN(int, name, SLK_BLOCKING_DEVICE);                              \
    const int result = real_##name(of, time);                               \
    (void)errno_before;                                                     \
    SLK_END(-1, 0);                                                         \
    return result;                                                          \
  }
SLK_DEVICE_WAITS(SLK_DEFINE)
#undef SLK_DEFINE

#define SLK_DEFINE(name, parameters, arguments)                                             \
  int name parameters {                                                                     \
    SLK_BEGIN(int, name, kOpens);                                                           \
    mode_t mode = 0;                                                                        \
    if ((flags & (O_CREAT | __O_TMPFILE)) != 0) {                                           \
      va_list more;                                                                         \
      va_start(more, flags);                                                                \
      mode = va_arg(more, mode_t);                                                          \
      va_end(more);                                                                         \
    }                                                                                       \
    int result;                                                                             \
    do result = real_##name arguments;                                                      \
    while (__builtin_expect(result == -1, 0) && by_recorder(errno == EINTR, errno_before)); \
    SLK_END(result, 0);                                                                     \
    return result;                                                                          \
  }
SLK_OPENS(SLK_DEFINE)
#undef SLK_DEFINE

#define SLK_DEFINE(kind, on, unit, type, name, parameters, arguments)                       \
  type name parameters {                                                                    \
    SLK_BEGIN(type, name, kind);                                                            \
    type result;                                                                            \
    do result = real_##name arguments;                                                      \
    while (__builtin_expect(result == -1, 0) && by_recorder(errno == EINTR, errno_before)); \
    SLK_END(on, result > 0 ? (size_t)result * unit : 0);                                    \
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

#define SLK_DEFINE(kind, on, unit, type, name, parameters, arguments)                        \
  type name parameters {                                                                     \
    SLK_BEGIN(type, name, kind);                                                             \
    const int64_t end = ms > 0 ? now_ns() + (int64_t)ms * kNsPerMs : 0;                      \
    type result = real_##name arguments;                                                     \
    while (__builtin_expect(result == -1, 0) && by_recorder(errno == EINTR, errno_before)) { \
      if (ms > 0) ms = ms_until(end);                                                        \
      result = real_##name arguments;                                                        \
    }                                                                                        \
    SLK_END(on, unit);                                                                       \
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

#define SLK_DEFINE(kind, on, unit, type, name, parameters, arguments)                        \
  type name parameters {                                                                     \
    SLK_BEGIN(type, name, kind);                                                             \
    const struct timespec* const given = time;                                               \
    const int64_t begin = given != NULL ? now_ns() : 0;                                      \
    struct timespec left;                                                                    \
    type result = real_##name arguments;                                                     \
    while (__builtin_expect(result == -1, 0) && by_recorder(errno == EINTR, errno_before)) { \
      if (given != NULL) left = left_of(given, begin), time = &left;                         \
      result = real_##name arguments;                                                        \
    }                                                                                        \
    SLK_END(on, unit);                                                                       \
    return result;                                                                           \
  }
SLK_FOR_TIME(SLK_DEFINE)
#undef SLK_DEFINE

/* Each gives the rest of the time where it is interrupted. */
int nanosleep(const struct timespec* time, struct timespec* left) {
  SLK_BEGIN(int, nanosleep, kSleep);
  struct timespec own;
  struct timespec* const rest = left == NULL ? &own : left;
  int result = real_nanosleep(time, rest);
  while (result == -1 && by_recorder(errno == EINTR, errno_before))
    result = real_nanosleep(rest, rest);
  SLK_END(-1, 0);
  return result;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec* time,
                    struct timespec* left) {
  SLK_BEGIN(int, clock_nanosleep, kSleep);
  struct timespec own;
  struct timespec* const rest = left == NULL ? &own : left;
  const struct timespec* again = (flags & TIMER_ABSTIME) != 0 ? time : rest;
  int error = real_clock_nanosleep(clock, flags, time, rest);
  while (by_recorder(error == EINTR, errno_before))
    error = real_clock_nanosleep(clock, flags, again, rest);
  SLK_END(-1, 0);
  return error;
}

int thrd_sleep(const struct timespec* time, struct timespec* left) {
  SLK_BEGIN(int, thrd_sleep, kSleep);
  struct timespec own;
  struct timespec* const rest = left == NULL ? &own : left;
  int result = real_thrd_sleep(time, rest);
  while (by_recorder(result == -1, errno_before)) result = real_thrd_sleep(rest, rest);
  SLK_END(-1, 0);
  return result;
}

/* The C library's own sleep() and usleep() are made of nanosleep() alike. */
int usleep(useconds_t us) {
  SLK_BEGIN(int, nanosleep, kSleep);
  struct timespec time = {us / 1000000, (long)(us % 1000000) * 1000};
  int result = real_nanosleep(&time, &time);
  while (result == -1 && by_recorder(errno == EINTR, errno_before))
    result = real_nanosleep(&time, &time);
  SLK_END(-1, 0);
  return result;
}

unsigned sleep(unsigned seconds) {
  SLK_BEGIN(unsigned, nanosleep, kSleep);
  struct timespec time = {(time_t)seconds, 0};
  int result = real_nanosleep(&time, &time);
  while (result == -1 && by_recorder(errno == EINTR, errno_before))
    result = real_nanosleep(&time, &time);
  SLK_END(-1, 0);
  return result == 0 ? 0 : (unsigned)time.tv_sec;
}
