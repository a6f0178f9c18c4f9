// Preloaded: the n-th call that writes, renames, synchronises, closes or creates a file fails, as
// FAULT_AT and FAULT_ERRNO say; with FAULT_LOG the calls are counted in that file instead, one
// letter each. A file is one that was opened for writing: what goes to terminals, pipes and inputs
// is left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static long fault_at = -1;
static int fault_errno = ENOSPC;
static int log_fd = -1;

static void set_up(void) __attribute__((constructor));
static void set_up(void) {
  const char* at = getenv("FAULT_AT");
  const char* number = getenv("FAULT_ERRNO");
  const char* log = getenv("FAULT_LOG");
  if (at) fault_at = atol(at);
  if (number) fault_errno = atoi(number);
  if (log)
    log_fd =
        (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Whether this call is the one, by a letter for its kind.
static int fails(char kind) {
  if (log_fd >= 0) syscall(SYS_write, log_fd, &kind, 1);
  if (++calls != fault_at) return 0;
  errno = fault_errno;
  return 1;
}

static int is_output(int fd) {
  struct stat status;
  const int flags = (int)syscall(SYS_fcntl, fd, F_GETFL);
  return fd != log_fd && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
         syscall(SYS_fstat, fd, &status) == 0 && S_ISREG(status.st_mode);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void* data, size_t size) {
  if (is_output(fd) && fails('w')) return -1;
  return syscall(SYS_write, fd, data, size);
}
ssize_t writev(int fd, const struct iovec* parts, int count) {
  if (is_output(fd) && fails('w')) return -1;
  return syscall(SYS_writev, fd, parts, count);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  if (is_output(fd) && fails('w')) return -1;
  return syscall(SYS_pwrite64, fd, data, size, at);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) {
  return pwrite(fd, data, size, at);
}
int ftruncate(int fd, off_t size) {
  if (is_output(fd) && fails('w')) return -1;
  return (int)syscall(SYS_ftruncate, fd, size);
}
int ftruncate64(int fd, off64_t size) {
  return ftruncate(fd, size);
}
int fallocate(int fd, int mode, off_t at, off_t size) {
  if (is_output(fd) && fails('w')) return -1;
  return (int)syscall(SYS_fallocate, fd, mode, at, size);
}
int fallocate64(int fd, int mode, off64_t at, off64_t size) {
  return fallocate(fd, mode, at, size);
}
int fsync(int fd) {
  if (fails('s')) return -1;
  return (int)syscall(SYS_fsync, fd);
}
int fdatasync(int fd) {
  if (fails('s')) return -1;
  return (int)syscall(SYS_fdatasync, fd);
}
// The descriptor is gone all the same, as Linux has it.
int close(int fd) {
  const int output = is_output(fd);
  const int done = (int)syscall(SYS_close, fd);
  return output && fails('c') ? -1 : done;
}
int rename(const char* from, const char* to) {
  if (fails('r')) return -1;
  return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
int renameat(int a, const char* from, int b, const char* to) {
  if (fails('r')) return -1;
  return (int)syscall(SYS_renameat, a, from, b, to);
}
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) {
  if (fails('r')) return -1;
  return (int)syscall(SYS_renameat2, a, from, b, to, flags);
}
int mkdir(const char* path, mode_t mode) {
  if (fails('m')) return -1;
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

static int opened(int folder, const char* path, int flags, mode_t mode) {
  if ((flags & O_CREAT) != 0 && fails('o')) return -1;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}
#define MODE_OF(flags)                            \
  mode_t mode = 0;                                \
  if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) { \
    va_list more;                                 \
    va_start(more, flags);                        \
    mode = va_arg(more, mode_t);                  \
    va_end(more);                                 \
  }
int open(const char* path, int flags, ...) {
  MODE_OF(flags)
  return opened(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  MODE_OF(flags)
  return opened(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  MODE_OF(flags)
  return opened(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  MODE_OF(flags)
  return opened(folder, path, flags, mode);
}

// stdio writes by calls inside the C library, which are not interposed; so its own functions are.
FILE* fopen(const char* path, const char* mode) {
  if (strpbrk(mode, "wa") && fails('o')) return NULL;
  return NEXT(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fopen(path, mode);
}
size_t fwrite(const void* data, size_t size, size_t count, FILE* file) {
  if (is_output(fileno(file)) && fails('w')) return 0;
  return NEXT(fwrite)(data, size, count, file);
}
int fclose(FILE* file) {
  const int output = is_output(fileno(file));
  const int done = NEXT(fclose)(file);
  return output && fails('c') ? EOF : done;
}
