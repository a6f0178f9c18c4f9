/* What computation between two calls takes, where a rank has threads.
 *
 * The threads of all ranks take turns on this machine, so that only CPU time counts. On the
 * simulated host the threads of a rank compute beside each other: a stretch takes as long as the
 * thread that computes longest in it, and at least the CPU time of all by the number of cores.
 * Stretches end where the rank calls, and where one of OpenMP's parallel regions begins or ends:
 * what is serial adds up with the regions, and so do regions in which other threads are longest. */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "online.h"
#include "record/blocking.h"
#include "record/openmp_entry.h"
#include "shared_process.h"

enum { kThreads = 1024 }; /* further ones count in the sum alone */

typedef enum { FREE, STARTING, RUNNING, ENDED } ThreadState;
typedef struct {
  uint32_t state;
  clockid_t clock;   /* its CPU time */
  uint64_t begin_ns; /* of that clock, when the stretch began */
  uint64_t end_ns;   /* when the thread ended */
  void* (*start)(void*);
  void* data;
} ProgramThread;

static ProgramThread threads[kThreads]; /* the first is the one that the process began with */
static uint32_t used = 1;               /* none beyond has ever been in use */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t end_of_thread;
static uint64_t all_begin_ns; /* CPU time of the process; 0: no stretch has begun */

/* The program's clock functions are this library's, so the kernel is asked directly. */
uint64_t read_clock(clockid_t clock) {
  struct timespec t;
  if (syscall(SYS_clock_gettime, clock, &t) != 0) return 0;
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t elapsed(uint64_t from, uint64_t to) {
  return to > from ? to - from : 0;
}

static uint32_t state_of(const ProgramThread* thread) {
  return __atomic_load_n(&thread->state, __ATOMIC_ACQUIRE);
}
static void set_state(ProgramThread* thread, ThreadState state) {
  __atomic_store_n(&thread->state, state, __ATOMIC_RELEASE);
}

static void run_clock(ProgramThread* thread) {
  pthread_getcpuclockid(pthread_self(), &thread->clock);
  thread->begin_ns = 0;
  set_state(thread, RUNNING);
}

static void stop_thread(void* of) {
  ProgramThread* thread = of;
  thread->end_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
  set_state(thread, ENDED);
}

__attribute__((constructor)) void begin_threads(void) {
  run_clock(&threads[0]);
}

/* Constructors of other libraries may start threads before this one's. */
static void make_key(void) {
  pthread_key_create(&end_of_thread, stop_thread);
}

static void* run_thread(void* of) {
  ProgramThread* thread = of;
  pthread_setspecific(end_of_thread, thread);
  run_clock(thread);
  return thread->start(thread->data);
}

/* Null: none is left. */
static ProgramThread* free_thread(void) {
  for (uint32_t i = 1; i < kThreads; ++i) {
    uint32_t state = FREE;
    if (!__atomic_compare_exchange_n(&threads[i].state, &state, STARTING, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED)) {
      continue;
    }
    uint32_t known = __atomic_load_n(&used, __ATOMIC_RELAXED);
    while (known <= i && !__atomic_compare_exchange_n(&used, &known, i + 1, 0, __ATOMIC_RELEASE,
                                                      __ATOMIC_RELAXED)) {
    }
    return &threads[i];
  }
  return NULL;
}

EXPORT int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*start)(void*),
                          void* data) {
  typedef int Create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static Create* real_;
  Create* real = __atomic_load_n(&real_, __ATOMIC_RELAXED);
  if (real == NULL) {
    real = (Create*)(uintptr_t)slk_find_next("pthread_create");
    if (real == NULL) return EAGAIN;
    __atomic_store_n(&real_, real, __ATOMIC_RELAXED);
  }
  if (shares_process() && !is_in_mpi()) {
    refuse_to_share("each has one thread, and the program starts more");
  }
  pthread_once(&once, make_key);
  ProgramThread* thread = is_in_mpi() ? NULL : free_thread();
  if (thread == NULL) return real(made, attributes, start, data);
  thread->start = start;
  thread->data = data;
  const int failed = real(made, attributes, run_thread, thread);
  if (failed != 0) set_state(thread, FREE);
  return failed;
}

/* Threads that ended before have been counted. */
static void begin_stretch_of(ProgramThread* thread) {
  const uint32_t state = state_of(thread);
  if (state == RUNNING) thread->begin_ns = read_clock(thread->clock);
  if (state == ENDED) set_state(thread, FREE);
}

static uint64_t stretch_of(const ProgramThread* thread) {
  const uint32_t state = state_of(thread);
  if (state != RUNNING && state != ENDED) return 0;
  const uint64_t now = state == ENDED ? thread->end_ns : read_clock(thread->clock);
  return elapsed(thread->begin_ns, now);
}

void begin_stretch(void) {
  const uint32_t known = cores() > 1 ? __atomic_load_n(&used, __ATOMIC_ACQUIRE) : 0;
  for (uint32_t i = 0; i < known; ++i) begin_stretch_of(&threads[i]);
  all_begin_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t stretch_ns(void) {
  if (all_begin_ns == 0) return 0;
  const uint64_t all = elapsed(all_begin_ns, read_clock(CLOCK_PROCESS_CPUTIME_ID));
  if (cores() <= 1) return all;
  uint64_t longest = 0;
  const uint32_t known = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < known; ++i) {
    const uint64_t ns = stretch_of(&threads[i]);
    if (ns > longest) longest = ns;
  }
  const uint64_t shared = (uint64_t)((double)all / cores());
  return longest > shared ? longest : shared;
}

/* OpenMP's regions. Those of other threads, and nested ones, are computation of their stretch. */

static int in_region;

static void end_stretch(void) {
  if (!is_computing()) return;
  stop_clock();
  start_clock(0);
}

static slk_region begin_region(const uint64_t* frame, uint32_t runtime) {
  (void)frame, (void)runtime;
  if (!is_computing() || __atomic_exchange_n(&in_region, 1, __ATOMIC_ACQ_REL)) {
    return SLK_REGION_IGNORED;
  }
  end_stretch();
  return SLK_REGION_FOLLOWED;
}

static void end_region(void) {
  end_stretch();
  __atomic_store_n(&in_region, 0, __ATOMIC_RELEASE);
}

static uint64_t followed_region(void) {
  return 1;
}
static void begin_thread(uint32_t number, uint32_t team) {
  (void)number, (void)team;
}
static void note_nested_team(uint32_t team) {
  (void)team;
}
static int is_none(void) {
  return 0;
}
static void do_nothing(void) {}
static void end_task(int was_waiting) {
  (void)was_waiting;
}

static const slk_openmp_hooks hooks = {
    .begin_region = begin_region,
    .end_region = end_region,
    .end_nested = do_nothing,
    .note_nested_team = note_nested_team,
    .followed_region = followed_region,
    .begin_thread = begin_thread,
    .end_thread = do_nothing,
    .in_region = is_none,
    .begin_wait = do_nothing,
    .end_wait = do_nothing,
    .begin_task = is_none,
    .end_task = end_task,
};
const slk_openmp_hooks* slk_openmp = &hooks;
slk_openmp_state slk_openmp_seen;

int slk_follows_openmp(void) {
  return is_rank();
}
