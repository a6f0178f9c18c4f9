/* libslackline_fold.so: malloc and its relatives, whose large allocations are folded (fold.h). The
 * others go on to the C library. What MPI allocates in a thread that calls it is its own and is
 * left alone. */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "fold.h"

/* The C library's own names for them. */
extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t n, size_t bytes);
extern void* __libc_realloc(void* at, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void* at);

enum { kPage = 4096, kUsual = 16, kLeast = 65536 };

__attribute__((constructor)) static void begin(void) {
  slackline_fold_open();
}

static void* folded(size_t bytes, size_t alignment, int cleared) {
  return slackline_folds(bytes) ? slackline_fold_allocate(bytes, alignment, cleared) : NULL;
}

static size_t own_bytes(void* at) {
  static size_t (*next)(void*);
  if (at == NULL) return 0;
  if (next == NULL) *(void**)(void*)&next = dlsym(RTLD_NEXT, "malloc_usable_size");
  return next(at);
}

/* What the C library has given. */
static void* own(void* at, size_t bytes) {
  if (bytes >= kLeast) slackline_fold_add_own((int64_t)own_bytes(at));
  return at;
}

EXPORT void* malloc(size_t bytes) {
  void* const at = folded(bytes, kUsual, 0);
  return at != NULL ? at : own(__libc_malloc(bytes), bytes);
}

EXPORT void free(void* at) {
  const int error = errno;
  if (!slackline_is_folded(at)) {
    slackline_fold_add_own(-(int64_t)own_bytes(at));
    __libc_free(at);
    return;
  }
  slackline_fold_free(at);
  errno = error;
}

EXPORT void* calloc(size_t n, size_t bytes) {
  size_t all = 0;
  void* const at = __builtin_mul_overflow(n, bytes, &all) ? NULL : folded(all, kUsual, 1);
  return at != NULL ? at : own(__libc_calloc(n, bytes), all);
}

EXPORT size_t malloc_usable_size(void* at) {
  return slackline_is_folded(at) ? slackline_folded_bytes(at) : own_bytes(at);
}

EXPORT void* realloc(void* at, size_t bytes) {
  const int was_folded = at != NULL && slackline_is_folded(at);
  if (was_folded && bytes == 0) {
    free(at);
    return NULL;
  }
  if (was_folded && slackline_folds(bytes) && slackline_fold_resize(at, bytes)) return at;
  void* moved = at == NULL || !was_folded ? folded(bytes, kUsual, 0) : malloc(bytes);
  if (moved == NULL && !was_folded) {
    const size_t before = own_bytes(at);
    void* const resized = __libc_realloc(at, bytes);
    if (resized != NULL) slackline_fold_add_own(-(int64_t)before);
    return own(resized, bytes);
  }
  if (moved == NULL || at == NULL) return moved;
  const size_t old = malloc_usable_size(at);
  /* From one folded allocation to another everything is in its place already. */
  if (!was_folded || !slackline_is_folded(moved)) memcpy(moved, at, old < bytes ? old : bytes);
  free(at);
  return moved;
}

EXPORT void* reallocarray(void* at, size_t n, size_t bytes) {
  size_t all = 0;
  if (__builtin_mul_overflow(n, bytes, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(at, all);
}

EXPORT void* memalign(size_t alignment, size_t bytes) {
  const int valid = alignment != 0 && (alignment & (alignment - 1)) == 0;
  void* const at = valid ? folded(bytes, alignment, 0) : NULL;
  return at != NULL ? at : own(__libc_memalign(alignment, bytes), bytes);
}

EXPORT void* aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}

EXPORT void* valloc(size_t bytes) {
  return memalign(kPage, bytes);
}

EXPORT void* pvalloc(size_t bytes) {
  if (bytes > SIZE_MAX - kPage) {
    errno = ENOMEM;
    return NULL;
  }
  return memalign(kPage, (bytes + kPage - 1) / kPage * kPage);
}

EXPORT int posix_memalign(void** at, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  void* const found = memalign(alignment, bytes);
  if (found == NULL) return ENOMEM;
  *at = found;
  return 0;
}
