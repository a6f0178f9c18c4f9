/* Programs of MPI and OpenMP with a known problem. Each thread's work is a loop of known length;
 * its own readings of the clock around it are printed: what a recording says is compared with them.
 *
 *   hybrid CASE [THREADS]
 *
 * "work RANK THREAD NS": outside of barriers in parallel regions; "region RANK NS": the regions'
 * length as the main thread sees it; "serial RANK NS": outside of them; "blocked RANK NS": how long
 * the main thread slept, "inside RANK NS": of that in regions. */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* So that each is a function of its own in call paths. */
#define NOINLINE __attribute__((noinline))

enum { kMostThreads = 16, kSteps = 6, kStepsOfPhases = 60 };

static int64_t work_ns[kMostThreads];
static int64_t region_ns, serial_ns, blocked_ns, inside_ns;
static int rank;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Computes until that much time has passed; says how long it was. */
NOINLINE static int64_t compute(double ms) {
  const int64_t begin = now();
  volatile double x = 0;
  int64_t end = begin;
  while ((double)(end - begin) < ms * 1e6) {
    for (int i = 0; i < 100; ++i) x = x + i;
    end = now();
  }
  return end - begin;
}

static void work(double ms) {
  work_ns[omp_get_thread_num()] += compute(ms);
}

/* One thread of the team works three times as long as the others. */
NOINLINE static void one_thread(void) {
  const int64_t begin = now();
#pragma omp parallel
  work(omp_get_thread_num() == omp_get_num_threads() - 1 ? 45 : 15);
  region_ns += now() - begin;
}

/* The same, with the barrier inside of the region, where the compilers call it by itself. */
NOINLINE static void inner_barrier(void) {
  const int64_t begin = now();
#pragma omp parallel
  {
    work(omp_get_thread_num() == 1 ? 45 : 15);
#pragma omp barrier
    work(5);
  }
  region_ns += now() - begin;
}

NOINLINE static void even(double ms) {
  const int64_t begin = now();
#pragma omp parallel
  work(ms);
  region_ns += now() - begin;
}

NOINLINE static void serial_part(void) {
  serial_ns += compute(45);
  even(15);
}

/* Iterations of a loop that grow, of a static schedule, in a region of its own. */
NOINLINE static void loop(void) {
  const int64_t begin = now();
  const int threads = omp_get_max_threads();
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 2 * threads; ++i) work(i == 0 ? 30 : 10.0 / threads);
  region_ns += now() - begin;
}

/* One thread makes tasks; the others execute them at the barrier that ends the single. */
NOINLINE static void tasks(void) {
  const int64_t begin = now();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i)
    work(5);
  }
  region_ns += now() - begin;
}

/* Until another thread has begun something; this is work. */
static void await(int* flag) {
  const int64_t begin = now();
  int value = omp_get_num_threads() == 1;
  while (!value) {
#pragma omp atomic read
    value = *flag;
  }
  work_ns[omp_get_thread_num()] += now() - begin;
}

static void start(int* flag) {
#pragma omp atomic write
  *flag = 1;
}

/* A task that a thread executes at the barrier waits for one that the other thread executes. */
NOINLINE static void task_in_task(void) {
  static int outer, inner;
  outer = inner = 0;
  const int64_t begin = now();
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      start(&outer);
#pragma omp task
      {
        start(&inner);
        work(30);
      }
      await(&inner);
#pragma omp taskwait
      work(1);
    }
    await(&outer);
  }
  region_ns += now() - begin;
}

/* One thread waits for a task that the other one executes, as it depends on it. */
NOINLINE static void task_dependence(void) {
  static int x; /* named by dependences only */
  static int first, second;
  (void)x;
  first = second = 0;
  const int64_t begin = now();
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    {
      start(&first);
      work(20);
    }
    await(&first);
#pragma omp taskwait depend(in : x)
#pragma omp task depend(out : x)
    {
      start(&second);
      work(20);
    }
    await(&second);
#pragma omp task if (0) depend(in : x)
    work(2);
  }
  region_ns += now() - begin;
}

/* A loop with a reduction that tasks may take part in: it ends with a barrier of another name. */
NOINLINE static void task_reduction(void) {
  const int64_t begin = now();
  const int threads = omp_get_max_threads();
  int sum = 0;
#pragma omp parallel
#pragma omp for schedule(static) reduction(task, + : sum)
  for (int i = 0; i < threads; ++i) {
    work(i == 0 ? 5 : 30);
    sum += i;
  }
  if (sum != threads * (threads - 1) / 2) abort();
  region_ns += now() - begin;
}

NOINLINE static void taskloop(void) {
  const int64_t begin = now();
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < 8; ++i) work(2);
  region_ns += now() - begin;
}

NOINLINE static void sections_and_single(void) {
  const int64_t begin = now();
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      work(10);
#pragma omp section
      work(2);
    }
    int copied = 0;
#pragma omp single copyprivate(copied)
    {
      work(5);
      copied = 1;
    }
    if (copied != 1) abort();
  }
  region_ns += now() - begin;
}

/* Regions inside of regions: their threads' work is that of the thread that has them. */
NOINLINE static void nested(int team) {
  const int64_t begin = now();
#pragma omp parallel num_threads(2)
  {
    const int outer = omp_get_thread_num();
    const int64_t from = now();
#pragma omp parallel num_threads(team)
    compute(5);
    work_ns[outer] += now() - from;
  }
  region_ns += now() - begin;
}

static void* of_another_thread(void* unused) {
#pragma omp parallel num_threads(2)
  compute(2);
  return unused;
}

/* Regions of a thread that never calls MPI, beside those of the main thread. */
NOINLINE static void other_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, of_another_thread, NULL);
  pthread_join(thread, NULL);
  even(5);
}

/* Teams of different sizes: of the threads that are in none, the rest is idle. */
NOINLINE static void varying(int step) {
  const int64_t begin = now();
#pragma omp parallel num_threads(1 + step % 3)
  work(5);
  region_ns += now() - begin;
}

/* Many regions that do next to nothing. */
NOINLINE static void tiny(int count) {
  const int64_t begin = now();
  for (int i = 0; i < count; ++i) {
#pragma omp parallel
    __asm__ volatile("" ::: "memory");
  }
  region_ns += now() - begin;
}

/* The main thread communicates while the others work. */
NOINLINE static void funneled(void) {
  const int64_t begin = now();
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) MPI_Barrier(MPI_COMM_WORLD);
    work(5);
  }
  region_ns += now() - begin;
}

static int64_t sleep_for(double ms) {
  const int64_t begin = now();
  usleep((useconds_t)(1000 * ms));
  return now() - begin;
}

/* The main thread sleeps outside of a region and inside of it, and then waits for the others. */
NOINLINE static void blocked(void) {
  serial_ns += compute(5);
  blocked_ns += sleep_for(20);
  const int64_t begin = now();
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      const int64_t inside = sleep_for(10);
      work_ns[0] += inside;
      inside_ns += inside;
    } else {
      work(50);
    }
  }
  region_ns += now() - begin;
}

/* First all threads work, then one. */
static void phases(int i) {
  if (i < kStepsOfPhases / 2) {
    even(5);
  } else {
    serial_ns += compute(5);
  }
}

static void step(const char* name, int i) {
  if (strcmp(name, "one_thread") == 0) one_thread();
  if (strcmp(name, "inner_barrier") == 0) inner_barrier();
  if (strcmp(name, "serial") == 0) serial_part();
  if (strcmp(name, "ranks") == 0) even(rank == 1 ? 45 : 15);
  if (strcmp(name, "even") == 0) even(5);
  if (strcmp(name, "loop") == 0) loop();
  if (strcmp(name, "tasks") == 0) tasks();
  if (strcmp(name, "task_in_task") == 0) task_in_task();
  if (strcmp(name, "task_dependence") == 0) task_dependence();
  if (strcmp(name, "task_reduction") == 0) task_reduction();
  if (strcmp(name, "taskloop") == 0) taskloop();
  if (strcmp(name, "single") == 0) sections_and_single();
  if (strcmp(name, "nested") == 0) nested(2);
  if (strcmp(name, "nested_alone") == 0) nested(1);
  if (strcmp(name, "other_thread") == 0) other_thread();
  if (strcmp(name, "varying") == 0) varying(i);
  if (strcmp(name, "tiny") == 0) tiny(20000);
  if (strcmp(name, "funneled") == 0) funneled();
  if (strcmp(name, "blocked") == 0) blocked();
  if (strcmp(name, "phases") == 0) phases(i);
}

int main(int argc, char** argv) {
  int provided;
  const char* name = argc > 1 ? argv[1] : "even";
  if (argc > 2) omp_set_num_threads(atoi(argv[2]));
  omp_set_max_active_levels(2);
  omp_set_dynamic(0);
  even(1); /* before MPI_Init: not recorded */
  memset(work_ns, 0, sizeof work_ns);
  region_ns = serial_ns = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const int64_t begin = now();
  const int steps = strcmp(name, "phases") == 0 ? kStepsOfPhases : kSteps;
  for (int i = 0; i < steps; ++i) {
    step(name, i);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const int64_t length = now() - begin;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int t = 0; t < kMostThreads; ++t) {
    if (work_ns[t] != 0) printf("work %d %d %lld\n", rank, t, (long long)work_ns[t]);
  }
  printf("region %d %lld\nserial %d %lld\nlength %d %lld\n", rank, (long long)region_ns, rank,
         (long long)serial_ns, rank, (long long)length);
  printf("blocked %d %lld\ninside %d %lld\n", rank, (long long)(blocked_ns + inside_ns), rank,
         (long long)inside_ns);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
