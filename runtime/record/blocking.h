#ifndef SLACKLINE_RUNTIME_RECORD_BLOCKING_H
#define SLACKLINE_RUNTIME_RECORD_BLOCKING_H

#include <stdint.h>

/* What the recorder has for functions that may block. `begin` is asked before each of them, and
 * `end` after it, if what begin returned is not 0; `frame`: the caller's saved frame pointer, then
 * the address of the call. `interrupted`: whether one that has failed with EINTR did so because of
 * the recorder's signal and no other one. */
typedef struct {
  uint64_t (*begin)(void);
  void (*end)(uint64_t token, const uint64_t* frame);
  int (*interrupted)(void);
} slk_blocking_hooks;

/* From now on; nothing changes if one is null. */
__attribute__((visibility("hidden"))) void slk_use_blocking(const slk_blocking_hooks* hooks);

/* From now on `before` is called before another program takes the place of this one, and `after` if
 * it does not. */
__attribute__((visibility("hidden"))) void slk_use_exec(void (*before)(void), void (*after)(void));

/* The C library's dlsym: a library that preloads these may have one of its own. Null until one of
 * the functions below has been called. */
extern __attribute__((visibility("hidden"))) void* (*slk_real_dlsym)(void*, const char*);
/* What stands behind this library under that name. */
__attribute__((visibility("hidden"))) void* slk_find_next(const char* name);
/* The same in one library, of dlopen(). */
__attribute__((visibility("hidden"))) void* slk_find_in(void* library, const char* name);
/* As dlclose(), and the recorder does not hear of it. */
__attribute__((visibility("hidden"))) int slk_close_library(void* library);
/* Where the object that holds `address` is loaded; null if there is none. */
__attribute__((visibility("hidden"))) const void* slk_object_of(const void* address);

#endif
