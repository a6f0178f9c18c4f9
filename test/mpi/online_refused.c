/* Programs that an on-line simulation has to end with a reason: argv[1] says which. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace/online_wire.h"

/* Keeps its place on the stack while it waits. */
__attribute__((noinline)) static void receive_late(int* value) {
  MPI_Recv(value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ++*value;
}

__attribute__((noinline)) static void wait_late(int* value) {
  MPI_Request request;
  MPI_Irecv(value, 1, MPI_INT, 2, 8, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  ++*value;
}

/* What the library has handed over together with the next call, all bits set. */
static void overwrite_calls(int rank) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long begin = 0;
  while (begin == 0 && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "memfd:slackline-online") != NULL) begin = strtoul(line, NULL, 16);
  }
  fclose(maps);
  if (begin == 0) abort();
  char* shared = (char*)begin;
  const struct slk_online_file* file = (const struct slk_online_file*)begin;
  struct slk_online_rank* own = (void*)(shared + file->first + (uint64_t)rank * file->stride);
  memset(own->queue, 0xff, sizeof own->queue);
  own->queued = 3;
}

static void* receive_beside(void* value) {
  MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double seconds) {
  for (const double begin = cpu_seconds(); cpu_seconds() < begin + seconds;) {
  }
}

/* Longer than the simulation lives. */
enum { kVeryLong = 60 };

/* A thread of rank 0 waits for rank 1, and then the first thread calls MPI. */
static void call_beside(int rank) {
  int value = 0;
  pthread_t thread;
  if (rank != 0) compute(kVeryLong);
  pthread_create(&thread, NULL, receive_beside, &value);
  compute(0.1);
  MPI_Send(&rank, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  pthread_join(thread, NULL);
}

/* Each rank waits in one thread for what the other thread of its neighbour is to send. */
static void wait_beside(int rank) {
  int value = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, receive_beside, &value);
  compute(kVeryLong);
  MPI_Send(&rank, 1, MPI_INT, rank ^ 1, 3, MPI_COMM_WORLD);
  pthread_join(thread, NULL);
}

/* The threads take turns. */
static void* take_turn(void* unused) {
  int value = 0;
  (void)unused;
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  compute(0.1);
  usleep(1000);
  return NULL;
}

static void threads_in_turn(void) {
  pthread_t thread;
  for (int i = 0; i < 2; ++i) {
    pthread_create(&thread, NULL, take_turn, NULL);
    pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int level = strcmp(what, "multiple") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
  int rank, value = 0, provided = 0;
  MPI_Init_thread(&argc, &argv, strcmp(what, "threads") == 0 ? MPI_THREAD_SINGLE : level,
                  &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(what, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(what, "exit") == 0 && rank == 1) exit(4);
  if (strcmp(what, "crash") == 0 && rank == 1) abort();
  if (strcmp(what, "overwrites") == 0 && rank == 1) overwrite_calls(rank);
  if (strcmp(what, "threads") == 0) call_beside(rank);
  if (strcmp(what, "multiple") == 0) wait_beside(rank);
  if (strcmp(what, "turns") == 0) threads_in_turn();
  if (strcmp(what, "spawn") == 0) {
    MPI_Comm others;
    MPI_Comm_spawn("program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  }
  /* As if a user had sent it to the simulator, whose child this is. */
  if (strcmp(what, "interrupt") == 0) {
    for (int i = 0; i < 1000; ++i) {
      if (i == 500 && rank == 1) kill(getppid(), SIGTERM);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    pause();
  }
  if (strcmp(what, "deadlock") == 0 && rank == 1) receive_late(&value);
  if (strcmp(what, "wait") == 0 && rank == 1) wait_late(&value);
  if (strcmp(what, "barrier") == 0 && rank != 1) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(what, "probe") == 0 && rank == 1)
    MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return strcmp(what, "status") == 0 && rank == 1 ? 5 : 0;
}
