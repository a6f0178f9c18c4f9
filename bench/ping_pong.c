/* A ping-pong beside which bench/ping_pong.py puts what a machine file says. For each size and use
 * of buffers a line: bytes, buffers, lower quintile of the one-way time without the time of
 * writing, in ns. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSets = 61, kLargest = 3000000 };
enum use { kWritten, kReused, kSame };
static const char* const kUses[] = {"written", "reused", "same"};

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Seconds of a round trip; *writing: of that, in memset, if it is wanted. */
static double round_trip(int rank, char* out, char* in, int size, int trips, int write,
                         double* writing) {
  double written = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < trips; ++i) {
    if (rank == 1) MPI_Recv(in, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double before = writing == NULL ? 0 : MPI_Wtime();
    if (write) memset(out, i, (size_t)size);
    if (writing != NULL) written += MPI_Wtime() - before;
    MPI_Send(out, size, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(in, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  const double took = (MPI_Wtime() - begin) / trips;
  if (writing != NULL) MPI_Allreduce(&written, writing, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return took;
}

static double clock_s(void) {
  double least = 1;
  for (int i = 0; i < 10000; ++i) {
    const double begin = MPI_Wtime();
    const double took = MPI_Wtime() - begin;
    if (took < least) least = took;
  }
  return least;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double clock = clock_s();
  char* out = malloc(kLargest);
  char* other = malloc(kLargest);
  memset(out, 1, kLargest);
  memset(other, 1, kLargest);
  static const int kSizes[] = {1,     8,     100,    1000,   4000,    8000,
                               20000, 50000, 100000, 300000, 1000000, kLargest};
  for (size_t s = 0; s < sizeof kSizes / sizeof *kSizes; ++s) {
    const int size = kSizes[s];
    const int trips = size < 10000 ? 250 : size < 200000 ? 20 : 4;
    for (enum use use = kWritten; use <= kSame; ++use) {
      char* in = use == kSame ? out : other;
      double times[kSets];
      for (int k = 0; k < kSets; ++k) {
        double writing = 0;
        times[k] = round_trip(rank, out, in, size, trips, use != kReused, NULL);
        if (use != kReused) {
          round_trip(rank, out, in, size, trips, 1, &writing);
          times[k] -= writing / trips - 2 * clock;
        }
      }
      qsort(times, kSets, sizeof times[0], compare);
      if (rank == 0) printf("%d %s %.1f\n", size, kUses[use], 1e9 * times[kSets / 5] / 2);
    }
  }
  free(out);
  free(other);
  MPI_Finalize();
  return 0;
}
