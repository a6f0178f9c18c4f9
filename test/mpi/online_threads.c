/* Computation in threads, of known length: argv[1] says how. CPU time is real, also on line. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "online_compute.h"

enum { kThreads = 4, kRegions = 10 };

/* As long in each thread. */
static void regions(void) {
  for (int i = 0; i < kRegions; ++i) {
#pragma omp parallel num_threads(kThreads)
    compute(5);
  }
}

/* Between regions one thread computes. */
static void serial(void) {
  for (int i = 0; i < kRegions; ++i) {
    compute(5);
#pragma omp parallel for num_threads(kThreads)
    for (int k = 0; k < kThreads; ++k) compute(5);
  }
}

/* In each region another thread computes longest. */
static void longest(void) {
  for (int i = 0; i < kRegions; ++i) {
#pragma omp parallel for num_threads(kThreads) schedule(static, 1)
    for (int k = 0; k < kThreads; ++k) compute(k == i % kThreads ? 5 : 1);
  }
}

static void* compute_beside(void* ms) {
  compute(*(double*)ms);
  return NULL;
}

static void posix(void) {
  pthread_t threads[kThreads];
  double ms[kThreads];
  for (int k = 0; k < kThreads; ++k) {
    ms[k] = k == 0 ? 50 : 30;
    pthread_create(&threads[k], NULL, compute_beside, &ms[k]);
  }
  for (int k = 0; k < kThreads; ++k) pthread_join(threads[k], NULL);
}

/* Each thread has messages of its own. */
static void* exchange(void* tag) {
  int rank, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 1000; ++i) {
    if (rank % 2 == 0) {
      MPI_Send(&rank, 1, MPI_INT, rank + 1, *(int*)tag, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, rank + 1, *(int*)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&value, 1, MPI_INT, rank - 1, *(int*)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&rank, 1, MPI_INT, rank - 1, *(int*)tag, MPI_COMM_WORLD);
    }
  }
  return NULL;
}

static void exchange_beside(void) {
  pthread_t thread;
  int tags[2] = {0, 1};
  pthread_create(&thread, NULL, exchange, &tags[1]);
  exchange(&tags[0]);
  pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"regions", regions},
               {"serial", serial},
               {"longest", longest},
               {"posix", posix},
               {"exchange", exchange_beside}};
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) cases[i].run();
  }
  MPI_Finalize();
  return 0;
}
