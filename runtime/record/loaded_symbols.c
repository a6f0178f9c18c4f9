/* The C library's dlsym and dlclose, for libraries that have entry points of these names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "blocking.h"
#include "entry_points.h"

__attribute__((used)) void* (*slk_real_dlsym)(void*, const char*);

void* slk_find_in(void* library, const char* name) {
  if (slk_real_dlsym == NULL) {
    slk_real_dlsym =
        (void* (*)(void*, const char*))(uintptr_t)dlvsym(RTLD_NEXT, "dlsym", SLK_DLSYM_VERSION);
  }
  return slk_real_dlsym(library, name);
}

void* slk_find_next(const char* name) {
  return slk_find_in(RTLD_NEXT, name);
}

const void* slk_object_of(const void* address) {
  Dl_info info;
  return address == NULL || dladdr(address, &info) == 0 ? NULL : info.dli_fbase;
}

int slk_close_library(void* library) {
  static int (*real)(void*);
  if (real == NULL) real = (int (*)(void*))(uintptr_t)slk_find_next("dlclose");
  return real(library);
}
