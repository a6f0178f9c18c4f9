/* partition MODE [CALLS]: programs of which it is known where the time goes. Two ranks, ROUNDS
 * rounds. few, many  computes ROUND_US a round; few or many (CALLS) tiny calls of MPI in each
 *   sleeps     rank 1 sleeps SLEEP_US in each round
 *   writes     rank 0 writes a file to the disk in each round */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20, ROUND_US = 1000, SLEEP_US = 4000, MANY = 5000, FILE_BYTES = 1 << 20 };

static volatile double sink;

/* Busy for that much CPU time. */
static void compute(double us) {
  struct timespec from, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  do {
    for (int i = 0; i < 200; ++i) sink = sink * 1.0000001 + 1e-9;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((double)(now.tv_sec - from.tv_sec) * 1e6 + (double)(now.tv_nsec - from.tv_nsec) * 1e-3 <
           us);
}

static void __attribute__((noinline, noclone)) send_tiny(int rank, int count) {
  char byte = 0;
  for (int i = 0; i < count; ++i) {
    if (rank == 0) {
      MPI_Send(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  sink += byte;
}

static void __attribute__((noinline, noclone)) wait_for_device(void) {
  struct timespec time = {0, SLEEP_US * 1000L};
  nanosleep(&time, NULL);
  sink += 1;
}

static void __attribute__((noinline, noclone)) write_checkpoint(void) {
  static char bytes[FILE_BYTES];
  const int file = open("checkpoint", O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (file < 0) return;
  for (size_t done = 0; done < sizeof bytes; done += 65536) {
    if (write(file, bytes + done, 65536) < 0) break;
  }
  fsync(file);
  close(file);
  unlink("checkpoint");
  sink += 1;
}

int main(int argc, char** argv) {
  int rank;
  const char* mode = argc > 1 ? argv[1] : "few";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < ROUNDS; ++round) {
    compute(ROUND_US);
    if (strcmp(mode, "many") == 0) send_tiny(rank, argc > 2 ? atoi(argv[2]) : MANY);
    if (strcmp(mode, "sleeps") == 0 && rank == 1) wait_for_device();
    if (strcmp(mode, "writes") == 0 && rank == 0) write_checkpoint();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
