/* Counts the threads that runtimes of OpenMP start, so that a recording says whether the program
 * runs OpenMP's threads even if nothing tells of its parallel regions. A thread is a runtime's if
 * the call comes from the object that has omp_get_num_threads(). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "blocking.h"
#include "openmp_entry.h"

slk_openmp_state slk_openmp_seen;

static int has_function_of_openmp(const void* object, const void* address) {
  static const char kFunction[] = "omp_get_num_threads";
  if (slk_object_of(slk_find_in(RTLD_DEFAULT, kFunction)) == object) return 1;
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == NULL) return 0;
  void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD); /* perhaps opened privately */
  if (library == NULL) return 0;
  const int found = slk_object_of(slk_find_in(library, kFunction)) == object;
  slk_close_library(library);
  return found;
}

/* Whether the object that has `address` is a runtime. Most threads are started by the same few. */
static int is_of_openmp(const void* address) {
  static const void* runtime;
  static const void* other;
  const void* object = slk_object_of(address);
  if (object == NULL || object == __atomic_load_n(&other, __ATOMIC_RELAXED)) return 0;
  if (object == __atomic_load_n(&runtime, __ATOMIC_RELAXED)) return 1;
  const int found = has_function_of_openmp(object, address);
  __atomic_store_n(found ? &runtime : &other, object, __ATOMIC_RELAXED);
  return found;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* data) {
  static int (*real_)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
      __atomic_load_n(&real_, __ATOMIC_RELAXED);
  if (real == NULL) {
    real = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))(
        uintptr_t)slk_find_next("pthread_create");
    if (real == NULL) return EAGAIN;
    __atomic_store_n(&real_, real, __ATOMIC_RELAXED);
  }
  const int failed = real(thread, attributes, start, data);
  if (failed == 0 && is_of_openmp(__builtin_return_address(0))) {
    __atomic_add_fetch(&slk_openmp_seen.threads, 1u, __ATOMIC_RELAXED);
  }
  return failed;
}
