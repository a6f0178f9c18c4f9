/* OpenMP runtimes with the tool interface of OpenMP 5.0 (LLVM's, Intel's): they look for
 * ompt_start_tool() when they start, which may be before MPI_Init. What its callbacks say is told
 * to the recorder once there is one.
 *
 * Steps back for every other tool: one that the program or a later library defines, or that
 * OMP_TOOL_LIBRARIES names. Names and numbers are those of the specification. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "blocking.h"
#include "openmp_entry.h"
#include "trace/wire.h"

typedef union {
  uint64_t value;
  void* ptr;
} ompt_data;

typedef void (*ompt_function)(void);
typedef ompt_function (*ompt_lookup)(const char*);
typedef int (*ompt_set_callback)(int which, ompt_function callback);

typedef struct {
  int (*initialize)(ompt_lookup lookup, int device, ompt_data* tool);
  void (*finalize)(ompt_data* tool);
  ompt_data tool;
} ompt_start_result;

enum {
  kScopeBegin = 1,
  kTaskInitial = 1, /* flag of an implicit task */
  kReduction = 7,   /* kind of synchronisation, in which no one waits */
  /* Why a thread leaves a task: it has ended, or another one is executed meanwhile. */
  kTaskComplete = 1,
  kTaskYield = 2,
  kTaskCancel = 3,
  kTaskDetach = 4,
  kTaskSwitch = 7,
  /* Callbacks. */
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kSyncRegionWait = 16,
  /* Of a parallel region's word. */
  kNestedRegion = 1
};

const void* slk_openmp_tool_runtime;
static const void* starting_runtime;

static void begin_parallel(ompt_data* task, const void* frame, ompt_data* parallel,
                           unsigned requested, int flags, const void* caller) {
  (void)task, (void)frame, (void)requested, (void)flags, (void)caller;
  parallel->value = 0;
  if (slk_openmp == NULL) return;
  const slk_region what =
      slk_openmp->begin_region(__builtin_frame_address(0), SLK_OPENMP_TOOL_INTERFACE);
  /* Regions that are followed have an even number. */
  if (what == SLK_REGION_FOLLOWED) parallel->value = 2 * slk_openmp->followed_region();
  if (what == SLK_REGION_NESTED) parallel->value = kNestedRegion;
}

static void end_parallel(ompt_data* parallel, ompt_data* task, int flags, const void* caller) {
  (void)task, (void)flags, (void)caller;
  if (slk_openmp == NULL || parallel->value == 0) return;
  if (parallel->value == kNestedRegion) {
    slk_openmp->end_nested();
  } else {
    slk_openmp->end_region();
  }
}

static void implicit_task(int endpoint, ompt_data* parallel, ompt_data* task, unsigned team,
                          unsigned number, int flags) {
  if (endpoint != kScopeBegin) return;
  (void)task;
  if (slk_openmp == NULL || (flags & kTaskInitial) != 0 || parallel == NULL) return;
  if (parallel->value == kNestedRegion && number == 0) slk_openmp->note_nested_team(team);
  const uint64_t followed = slk_openmp->followed_region();
  if (followed != 0 && parallel->value == 2 * followed) slk_openmp->begin_thread(number, team);
}

static void wait_for_others(int kind, int endpoint, ompt_data* parallel, ompt_data* task,
                            const void* caller) {
  (void)parallel, (void)task, (void)caller;
  if (slk_openmp == NULL || kind == kReduction) return;
  if (endpoint == kScopeBegin) {
    slk_openmp->begin_wait();
  } else {
    slk_openmp->end_wait();
  }
}

/* A task's word says whether it was waiting when it was left for another one. */
static void switch_task(ompt_data* prior, int status, ompt_data* next) {
  if (slk_openmp == NULL) return;
  if ((status == kTaskSwitch || status == kTaskYield) && prior != NULL) {
    prior->value = (uint64_t)slk_openmp->begin_task();
  }
  if ((status == kTaskComplete || status == kTaskCancel || status == kTaskDetach) && next != NULL) {
    slk_openmp->end_task(next->value != 0);
    next->value = 0;
  }
}

/* The interface does not tell of waiting for tasks by their dependences. */
#define SLK_WAIT_FOR_DEPENDENCES(name, parameters, arguments)                \
  void name parameters {                                                     \
    static void(*real_) parameters;                                          \
    void(*real) parameters = __atomic_load_n(&real_, __ATOMIC_RELAXED);      \
    if (real == NULL) {                                                      \
      real = (void(*) parameters)(uintptr_t)slk_find_entry_of_openmp(#name); \
      __atomic_store_n(&real_, real, __ATOMIC_RELAXED);                      \
    }                                                                        \
    const int followed = slk_openmp != NULL && slk_openmp->in_region();      \
    if (followed) slk_openmp->begin_wait();                                  \
    real arguments;                                                          \
    if (followed) slk_openmp->end_wait();                                    \
  }
SLK_WAIT_FOR_DEPENDENCES(__kmpc_omp_wait_deps,
                         (void* place, int thread, int count, void* list, int more, void* others),
                         (place, thread, count, list, more, others))
SLK_WAIT_FOR_DEPENDENCES(__kmpc_omp_taskwait_deps_51,
                         (void* place, int thread, int count, void* list, int more, void* others,
                          int no_wait),
                         (place, thread, count, list, more, others, no_wait))

static int initialize(ompt_lookup lookup, int device, ompt_data* tool) {
  (void)device, (void)tool;
  ompt_set_callback set = (ompt_set_callback)lookup("ompt_set_callback");
  if (set == NULL) return 0;
  set(kParallelBegin, (ompt_function)begin_parallel);
  set(kParallelEnd, (ompt_function)end_parallel);
  set(kImplicitTask, (ompt_function)implicit_task);
  set(kTaskSchedule, (ompt_function)switch_task);
  set(kSyncRegionWait, (ompt_function)wait_for_others);
  slk_openmp_tool_runtime = starting_runtime;
  __atomic_store_n(&slk_openmp_seen.observed, SLK_OPENMP_TOOL_INTERFACE, __ATOMIC_RELAXED);
  return 1;
}

static void finalize(ompt_data* tool) {
  (void)tool;
}

ompt_start_result* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_result result = {initialize, finalize, {0}};
  ompt_start_result* (*next)(unsigned, const char*) =
      (ompt_start_result * (*)(unsigned, const char*))(uintptr_t)slk_find_next("ompt_start_tool");
  ompt_start_result* other = next == NULL ? NULL : next(version, runtime);
  if (other != NULL) return other;
  const char* libraries = getenv("OMP_TOOL_LIBRARIES");
  if (libraries != NULL && *libraries != '\0') return NULL;
  starting_runtime = slk_object_of(__builtin_return_address(0));
  return slk_follows_openmp() ? &result : NULL;
}
