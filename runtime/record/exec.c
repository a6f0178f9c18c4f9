/* Functions that put another program in the place of this one. A sampling signal that comes
 * meanwhile would reach that program, which has no handler for it, and end it. So the thread's
 * timer is stopped before, and goes on if the function fails. Children of vfork() call these, too:
 * in them the recorder does nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "blocking.h"

static void (*stop_sampling)(void);
static void (*go_on_sampling)(void);

void slk_use_exec(void (*before)(void), void (*after)(void)) {
  if (before == NULL || after == NULL) return;
  go_on_sampling = after;
  __atomic_store_n(&stop_sampling, before, __ATOMIC_RELEASE);
}

#define SLK_EXEC(X)                                                                                \
  X(execve, (const char* path, char* const* words, char* const* variables),                        \
    (path, words, variables))                                                                      \
  X(execv, (const char* path, char* const* words), (path, words))                                  \
  X(execvp, (const char* name, char* const* words), (name, words))                                 \
  X(execvpe, (const char* name, char* const* words, char* const* variables),                       \
    (name, words, variables))                                                                      \
  X(fexecve, (int file, char* const* words, char* const* variables), (file, words, variables))     \
  X(execveat, (int folder, const char* path, char* const* words, char* const* variables, int how), \
    (folder, path, words, variables, how))

#define SLK_DECLARE(name, parameters, arguments) static int(*real_##name) parameters;
SLK_EXEC(SLK_DECLARE)
#undef SLK_DECLARE

/* Before there are children of vfork(), in which the loader must not be asked. */
__attribute__((constructor)) static void find_exec_functions(void) {
#define SLK_FIND(name, parameters, arguments) \
  real_##name = (int(*) parameters)(uintptr_t)slk_find_next(#name);
  SLK_EXEC(SLK_FIND)
#undef SLK_FIND
}

#define SLK_DEFINE(name, parameters, arguments)           \
  int name parameters {                                   \
    if (real_##name == NULL) find_exec_functions();       \
    if (real_##name == NULL) return (errno = ENOSYS, -1); \
    if (stop_sampling != NULL) stop_sampling();           \
    const int result = real_##name arguments;             \
    const int error = errno;                              \
    if (stop_sampling != NULL) go_on_sampling();          \
    errno = error;                                        \
    return result;                                        \
  }
SLK_EXEC(SLK_DEFINE)
#undef SLK_DEFINE

/* The words of execl() and its like, up to the null pointer, as an array on the stack. */
#define SLK_LIST(first)                        \
  va_list rest;                                \
  size_t count = 1;                            \
  va_start(rest, first);                       \
  while (va_arg(rest, char*) != NULL) ++count; \
  va_end(rest);                                \
  char* words[count + 1];                      \
  words[0] = (char*)(uintptr_t)(first);        \
  va_start(rest, first);                       \
  for (size_t i = 1; i <= count; ++i) words[i] = va_arg(rest, char*)

int execl(const char* path, const char* first, ...) {
  SLK_LIST(first);
  va_end(rest);
  return execv(path, words);
}

int execlp(const char* name, const char* first, ...) {
  SLK_LIST(first);
  va_end(rest);
  return execvp(name, words);
}

int execle(const char* path, const char* first, ...) {
  SLK_LIST(first);
  char* const* const variables = va_arg(rest, char* const*);
  va_end(rest);
  return execve(path, words, variables);
}
