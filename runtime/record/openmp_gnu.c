/* GCC's OpenMP runtime (libgomp): its entry points around parallel regions, barriers and tasks.
 *
 * A region's function is replaced by one that takes the time of each thread's begin and end around
 * it. What runs between a thread's end and the region's is the implicit barrier. Tasks are executed
 * by threads that wait at barriers or for other tasks: their functions are wrapped as well, so that
 * this is no waiting.
 *
 * Where there is no recorder, or the runtime calls back by the tool interface (LLVM's has these
 * entry points, too), everything is passed on as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocking.h"
#include "openmp_entry.h"
#include "trace/wire.h"

typedef void region_function(void*);
typedef void copy_function(void*, void*);

static int search_runtime(struct dl_phdr_info* info, size_t size, void* data) {
  void** found = data;
  const char* name = found[0];
  (void)size;
  if (info->dlpi_name == NULL || strstr(info->dlpi_name, "omp") == NULL) return 0;
  void* library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == NULL) return 0;
  found[1] = slk_find_in(library, name);
  slk_close_library(library);
  return found[1] != NULL;
}

/* The runtime's function: in the usual order, or in a library that was opened privately. */
static void* find_entry(const char* name) {
  void* found[2] = {(void*)(uintptr_t)name, slk_find_next(name)};
  if (found[1] == NULL) dl_iterate_phdr(search_runtime, found);
  return found[1];
}

void* slk_find_entry_of_openmp(const char* name) {
  void* entry = find_entry(name);
  if (entry != NULL) return entry;
  /* Without this library the program would not have started. */
  fprintf(stderr, "slackline: the program's OpenMP runtime has no %s\n", name);
  abort();
}

/* Defines `real`, the runtime's function of that name. */
#define SLK_REAL(type, name, parameters)                                   \
  static type(*real_) parameters;                                          \
  type(*real) parameters = __atomic_load_n(&real_, __ATOMIC_RELAXED);      \
  if (__builtin_expect(real == NULL, 0)) {                                 \
    real = (type(*) parameters)(uintptr_t)slk_find_entry_of_openmp(#name); \
    __atomic_store_n(&real_, real, __ATOMIC_RELAXED);                      \
  }

/* Where the calling thread is in its team, and where the runtime that says so is loaded. */
struct team_functions {
  const void* runtime;
  int (*number)(void);
  int (*size)(void);
};

static const struct team_functions* team_functions(void) {
  static struct team_functions found;
  if (__atomic_load_n(&found.size, __ATOMIC_ACQUIRE) == NULL) {
    found.number = (int (*)(void))(uintptr_t)find_entry("omp_get_thread_num");
    found.runtime = slk_object_of((const void*)(uintptr_t)found.number);
    int (*size)(void) = (int (*)(void))(uintptr_t)find_entry("omp_get_num_threads");
    __atomic_store_n(&found.size, size, __ATOMIC_RELEASE);
  }
  return found.number == NULL || found.size == NULL ? NULL : &found;
}

/* Whether these entry points, and not the tool interface, tell of the runtime. */
static int is_observed_here(void) {
  const struct team_functions* team = team_functions();
  return team != NULL &&
         (slk_openmp_tool_runtime == NULL || team->runtime != slk_openmp_tool_runtime);
}

/* And there is a recorder to be told. */
static int is_told_here(void) {
  return slk_openmp != NULL && is_observed_here();
}

/* The function of the region that is followed: there is one at a time. */
static _Alignas(64) region_function* followed_function;

static void run_thread(void* data) {
  region_function* fn = followed_function;
  const struct team_functions* team = team_functions();
  slk_openmp->begin_thread((uint32_t)team->number(), (uint32_t)team->size());
  fn(data);
  slk_openmp->end_thread();
}

/* A region inside of another one: its own function and data. */
struct nested_region {
  region_function* fn;
  void* data;
};

static void run_nested_thread(void* data) {
  const struct nested_region* nested = data;
  const struct team_functions* team = team_functions();
  if (team->number() == 0) slk_openmp->note_nested_team((uint32_t)team->size());
  nested->fn(nested->data);
}

/* What is done about the region whose function is `*fn`, which becomes what the runtime is to call,
 * as `*data` becomes with what. `nested`, if not null, is to exist as long as the region. */
static slk_region begin_region(region_function** fn, void** data, struct nested_region* nested,
                               const void* frame) {
  if (!is_observed_here()) return SLK_REGION_IGNORED;
  __atomic_store_n(&slk_openmp_seen.observed, SLK_OPENMP_GNU, __ATOMIC_RELAXED);
  if (slk_openmp == NULL) return SLK_REGION_IGNORED;
  const slk_region what = slk_openmp->begin_region(frame, SLK_OPENMP_GNU);
  if (what == SLK_REGION_FOLLOWED) {
    followed_function = *fn;
    *fn = run_thread;
  } else if (what == SLK_REGION_NESTED && nested != NULL) {
    nested->fn = *fn;
    nested->data = *data;
    *fn = run_nested_thread;
    *data = nested;
  }
  return what;
}

static void end_region(slk_region what) {
  if (what == SLK_REGION_FOLLOWED) slk_openmp->end_region();
  if (what == SLK_REGION_NESTED) slk_openmp->end_nested();
}

void GOMP_parallel(region_function* fn, void* data, unsigned threads, unsigned flags) {
  SLK_REAL(void, GOMP_parallel, (region_function*, void*, unsigned, unsigned))
  struct nested_region nested;
  const slk_region what = begin_region(&fn, &data, &nested, __builtin_frame_address(0));
  real(fn, data, threads, flags);
  end_region(what);
}

unsigned GOMP_parallel_reductions(region_function* fn, void* data, unsigned threads,
                                  unsigned flags) {
  SLK_REAL(unsigned, GOMP_parallel_reductions, (region_function*, void*, unsigned, unsigned))
  /* The runtime reads the data itself. */
  const slk_region what = begin_region(&fn, &data, NULL, __builtin_frame_address(0));
  const unsigned team = real(fn, data, threads, flags);
  if (what == SLK_REGION_NESTED) slk_openmp->note_nested_team(team);
  end_region(what);
  return team;
}

void GOMP_parallel_sections(region_function* fn, void* data, unsigned threads, unsigned count,
                            unsigned flags) {
  SLK_REAL(void, GOMP_parallel_sections, (region_function*, void*, unsigned, unsigned, unsigned))
  struct nested_region nested;
  const slk_region what = begin_region(&fn, &data, &nested, __builtin_frame_address(0));
  real(fn, data, threads, count, flags);
  end_region(what);
}

#define SLK_PARALLEL_LOOP(name)                                                                 \
  void name(region_function* fn, void* data, unsigned threads, long start, long end, long step, \
            long chunk, unsigned flags) {                                                       \
    SLK_REAL(void, name, (region_function*, void*, unsigned, long, long, long, long, unsigned)) \
    struct nested_region nested;                                                                \
    const slk_region what = begin_region(&fn, &data, &nested, __builtin_frame_address(0));      \
    real(fn, data, threads, start, end, step, chunk, flags);                                    \
    end_region(what);                                                                           \
  }
SLK_PARALLEL_LOOP(GOMP_parallel_loop_static)
SLK_PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
SLK_PARALLEL_LOOP(GOMP_parallel_loop_guided)
SLK_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
SLK_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)

#define SLK_PARALLEL_LOOP_AT_RUN_TIME(name)                                                     \
  void name(region_function* fn, void* data, unsigned threads, long start, long end, long step, \
            unsigned flags) {                                                                   \
    SLK_REAL(void, name, (region_function*, void*, unsigned, long, long, long, unsigned))       \
    struct nested_region nested;                                                                \
    const slk_region what = begin_region(&fn, &data, &nested, __builtin_frame_address(0));      \
    real(fn, data, threads, start, end, step, flags);                                           \
    end_region(what);                                                                           \
  }
SLK_PARALLEL_LOOP_AT_RUN_TIME(GOMP_parallel_loop_runtime)
SLK_PARALLEL_LOOP_AT_RUN_TIME(GOMP_parallel_loop_nonmonotonic_runtime)
SLK_PARALLEL_LOOP_AT_RUN_TIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

static int is_followed(void) {
  return is_told_here() && slk_openmp->in_region();
}

#define SLK_BARRIER(name)                   \
  void name(void) {                         \
    SLK_REAL(void, name, (void))            \
    const int followed = is_followed();     \
    if (followed) slk_openmp->begin_wait(); \
    real();                                 \
    if (followed) slk_openmp->end_wait();   \
  }
SLK_BARRIER(GOMP_barrier)
SLK_BARRIER(GOMP_loop_end)
SLK_BARRIER(GOMP_sections_end)
SLK_BARRIER(GOMP_taskwait)
SLK_BARRIER(GOMP_taskgroup_end)

#define SLK_BARRIER_CANCEL(name)            \
  bool name(void) {                         \
    SLK_REAL(bool, name, (void))            \
    const int followed = is_followed();     \
    if (followed) slk_openmp->begin_wait(); \
    const bool cancelled = real();          \
    if (followed) slk_openmp->end_wait();   \
    return cancelled;                       \
  }
SLK_BARRIER_CANCEL(GOMP_barrier_cancel)
SLK_BARRIER_CANCEL(GOMP_loop_end_cancel)
SLK_BARRIER_CANCEL(GOMP_sections_end_cancel)

void GOMP_taskwait_depend(void** depend) {
  SLK_REAL(void, GOMP_taskwait_depend, (void**))
  const int followed = is_followed();
  if (followed) slk_openmp->begin_wait();
  real(depend);
  if (followed) slk_openmp->end_wait();
}

/* At the end of a construct with a reduction over tasks, in place of its barrier. */
void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  SLK_REAL(void, GOMP_workshare_task_reduction_unregister, (bool))
  const int followed = is_followed();
  if (followed) slk_openmp->begin_wait();
  real(cancelled);
  if (followed) slk_openmp->end_wait();
}

/* Waits for the thread that executes the block, whose result the others copy. */
void* GOMP_single_copy_start(void) {
  SLK_REAL(void*, GOMP_single_copy_start, (void))
  const int followed = is_followed();
  if (followed) slk_openmp->begin_wait();
  void* result = real();
  if (followed) slk_openmp->end_wait();
  return result;
}

void GOMP_single_copy_end(void* data) {
  SLK_REAL(void, GOMP_single_copy_end, (void*))
  const int followed = is_followed();
  if (followed) slk_openmp->begin_wait();
  real(data);
  if (followed) slk_openmp->end_wait();
}

/* In front of a task's own arguments. The runtime writes the bounds of a taskloop's part into the
 * first two words. */
struct task {
  long bounds[2];
  region_function* fn;
  copy_function* copy;
  const void* data; /* what `copy` copies from */
  size_t offset;    /* of the arguments */
  int has_bounds;
};

static void run_task(void* data) {
  const struct task* task = data;
  void* arguments = (char*)data + task->offset;
  if (task->has_bounds) memcpy(arguments, task->bounds, sizeof task->bounds);
  const int was_waiting = slk_openmp->begin_task();
  task->fn(arguments);
  slk_openmp->end_task(was_waiting);
}

static void copy_task(void* to, void* from) {
  const struct task* task = from;
  memcpy(to, task, sizeof *task);
  task->copy((char*)to + task->offset, (void*)(uintptr_t)task->data);
}

enum {
  kTaskDepend = 1 << 3,
  kTaskNoGroup = 1 << 11,   /* a taskloop does not wait for its tasks */
  kTaskReduction = 1 << 12, /* the runtime reads and */
  kTaskDetach = 1 << 13,    /* writes the arguments themselves */
  kMostTaskBytes = 4096
};

static size_t task_offset(long align) {
  const size_t a = align > 0 ? (size_t)align : 1;
  return (sizeof(struct task) + a - 1) / a * a;
}

static int can_wrap_task(long size, long align, unsigned flags) {
  return is_followed() && (flags & (kTaskReduction | kTaskDetach)) == 0 && size >= 0 &&
         size <= kMostTaskBytes && align <= kMostTaskBytes;
}

/* Fills `block`, aligned as the arguments are. */
static void wrap_task(void* block, region_function* fn, void* data, copy_function* copy, long size,
                      long align, int has_bounds) {
  const struct task task = {{0, 0}, fn, copy, data, task_offset(align), has_bounds};
  memcpy(block, &task, sizeof task);
  if (copy == NULL && size > 0) memcpy((char*)block + task.offset, data, (size_t)size);
}

static long wrapped_align(long align) {
  return align > (long)_Alignof(struct task) ? align : (long)_Alignof(struct task);
}

static void* aligned(void* memory, long align) {
  const uintptr_t a = (uintptr_t)wrapped_align(align);
  return (void*)(((uintptr_t)memory + a - 1) / a * a);
}

void GOMP_task(region_function* fn, void* data, copy_function* copy, long size, long align,
               bool deferred, unsigned flags, void** depend, int priority, void* detach) {
  SLK_REAL(
      void, GOMP_task,
      (region_function*, void*, copy_function*, long, long, bool, unsigned, void**, int, void*))
  if (!can_wrap_task(size, align, flags)) {
    real(fn, data, copy, size, align, deferred, flags, depend, priority, detach);
    return;
  }
  const long bytes = (long)task_offset(wrapped_align(align)) + size;
  char memory[bytes + wrapped_align(align)];
  void* block = aligned(memory, align);
  wrap_task(block, fn, data, copy, size, wrapped_align(align), 0);
  /* One that is executed at once waits here for those that it depends on. */
  const int waits = !deferred && (flags & kTaskDepend) != 0;
  if (waits) slk_openmp->begin_wait();
  real(run_task, block, copy == NULL ? NULL : copy_task, bytes, wrapped_align(align), deferred,
       flags, depend, priority, detach);
  if (waits) slk_openmp->end_wait();
}

#define SLK_TASKLOOP(name, number)                                                               \
  void name(region_function* fn, void* data, copy_function* copy, long size, long align,         \
            unsigned flags, unsigned long tasks, int priority, number start, number end,         \
            number step) {                                                                       \
    SLK_REAL(void, name,                                                                         \
             (region_function*, void*, copy_function*, long, long, unsigned, unsigned long, int, \
              number, number, number))                                                           \
    if (!can_wrap_task(size, align, flags)) {                                                    \
      real(fn, data, copy, size, align, flags, tasks, priority, start, end, step);               \
      return;                                                                                    \
    }                                                                                            \
    const int waits = (flags & kTaskNoGroup) == 0;                                               \
    if (waits) slk_openmp->begin_wait();                                                         \
    const long bytes = (long)task_offset(wrapped_align(align)) + size;                           \
    char memory[bytes + wrapped_align(align)];                                                   \
    void* block = aligned(memory, align);                                                        \
    wrap_task(block, fn, data, copy, size, wrapped_align(align), 1);                             \
    real(run_task, block, copy == NULL ? NULL : copy_task, bytes, wrapped_align(align), flags,   \
         tasks, priority, start, end, step);                                                     \
    if (waits) slk_openmp->end_wait();                                                           \
  }
SLK_TASKLOOP(GOMP_taskloop, long)
SLK_TASKLOOP(GOMP_taskloop_ull, unsigned long long)
