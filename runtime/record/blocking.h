#ifndef SLACKLINE_RUNTIME_RECORD_BLOCKING_H
#define SLACKLINE_RUNTIME_RECORD_BLOCKING_H

#include <stdint.h>

#include "trace/sample_wire.h"

/* A function that may block. `kind`: enum slk_blocking, and whether its descriptor stands for
 * another file after it, or for none. */
enum { SLK_BLOCKING_KINDS = 0xf, SLK_BLOCKING_OPENS = 0x10, SLK_BLOCKING_CLOSES = 0x20 };
typedef struct {
  const char* name;
  unsigned kind;
} slk_blocking_function;

/* What is known when one is called: a number, 0 if nothing is to be done after it; and the time. */
typedef struct {
  uint64_t moment;
  uint64_t begin_ns;
} slk_blocking_token;

/* One that has returned. `frame`: the caller's saved frame pointer, then the address of the call;
 * `file`: the descriptor that it was about, -1 for none; `bytes`: read or written. */
typedef struct {
  const slk_blocking_function* function;
  slk_blocking_token token;
  const uint64_t* frame;
  int64_t bytes;
  int file;
} slk_blocking_call;

/* What the recorder has for functions that may block: `begin` is called before each of them and
 * `end` after it. `interrupted`: whether one that has failed with EINTR did so because of the
 * recorder's signal and no other one. */
typedef struct {
  slk_blocking_token (*begin)(unsigned kind);
  void (*end)(const slk_blocking_call* call);
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
