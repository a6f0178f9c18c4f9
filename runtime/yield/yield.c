/* Lets oversubscribed MPICH ranks make way for each other.
 *
 * MPICH 4.0 over UCX polls without ever yielding: with more ranks than cores, every rank that
 * waits burns its whole time slice while the one it waits for is not running (NPB CG.S with 4
 * ranks on 2 cores: 5.8 s instead of 0.2 s). This library, preloaded, stands before
 * ucp_worker_progress and yields after ten polls in a row that found nothing. With a core for
 * each rank it changes nothing that can be measured. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned (*progress_function)(void* worker);

static const int kEmptyPolls = 10;

unsigned ucp_worker_progress(void* worker) {
  static progress_function real;
  static __thread int empty_polls;
  if (real == NULL) {
    real = (progress_function)(uintptr_t)dlsym(RTLD_NEXT, "ucp_worker_progress");
    /* UCX opened privately, as Open MPI does: look it up where it is. */
    if (real == NULL) {
      void* ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
      if (ucp != NULL) real = (progress_function)(uintptr_t)dlsym(ucp, "ucp_worker_progress");
    }
    if (real == NULL) return 0;
  }
  const unsigned events = real(worker);
  if (events != 0) {
    empty_polls = 0;
  } else if (++empty_polls > kEmptyPolls) {
    sched_yield();
  }
  return events;
}
