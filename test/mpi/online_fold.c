/* 256 MiB a rank, all of which is written. argv[1]: "plain" by malloc and its relatives, "shared"
 * by slackline_shared_malloc(). Prints "ok" where all that is of use is right. */
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <slackline.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kLarge = 64 << 20, kSmall = 1000, kTimes = 200 };

static void check(int condition, const char* what) {
  if (condition) return;
  printf("wrong: %s\n", what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void fill(char* at, size_t bytes, int with) {
  check(at != NULL, "memory is given");
  for (size_t i = 0; i < bytes; i += 512) at[i] = (char)with;
}

static void plain(int rank) {
  char* parts[4];
  parts[0] = malloc(kLarge);
  fill(parts[0], kLarge, rank);
  parts[1] = calloc(kLarge / 8, 8);
  check(parts[1] != NULL && parts[1][0] == 0 && parts[1][kLarge - 1] == 0, "calloc gives zeros");
  fill(parts[1], kLarge, rank);
  void* aligned = NULL;
  check(posix_memalign(&aligned, 4 << 20, kLarge) == 0, "posix_memalign");
  check((uintptr_t)aligned % (4 << 20) == 0, "is aligned");
  parts[2] = aligned;
  fill(parts[2], kLarge, rank);
  char* small = malloc(kSmall);
  memset(small, 'x', kSmall);
  parts[3] = realloc(small, kLarge);
  check(parts[3] != NULL && parts[3][0] == 'x' && parts[3][kSmall - 1] == 'x',
        "realloc takes a small content along");
  check(malloc_usable_size(parts[3]) >= kLarge, "malloc_usable_size");
  fill(parts[3], kLarge, rank);
  parts[3][7] = 'y';
  parts[3] = realloc(parts[3], kLarge - 5);
  check(parts[3][7] == 'y', "and a little less is the same");
  small = realloc(parts[3], kSmall);
  check(small[7] == 'y', "and back");
  free(small);
  for (int i = 0; i < 3; ++i) free(parts[i]);
  free(NULL);
  for (int i = 0; i < kTimes; ++i) {
    char* first = malloc(kLarge);
    char* second = reallocarray(NULL, kLarge / 4, 8);
    fill(first, 1024, i);
    fill(second, 1024, i);
    free(i % 2 == 0 ? first : second);
    free(i % 2 == 0 ? second : first);
  }
}

static void shared(int rank) {
  char* parts[4];
  for (int i = 0; i < 4; ++i) {
    parts[i] = slackline_shared_malloc(kLarge);
    fill(parts[i], kLarge, rank);
  }
  for (int i = 0; i < 4; ++i) slackline_shared_free(parts[i]);
}

int main(int argc, char** argv) {
  int rank, ranks, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1 && strcmp(argv[1], "shared") == 0) {
    shared(rank);
  } else {
    plain(rank);
  }
  /* Messages from and to folded memory. */
  char* out = malloc(kLarge);
  char* in = malloc(kLarge);
  MPI_Sendrecv(out, kLarge / 8, MPI_BYTE, (rank + 1) % ranks, 1, in, kLarge / 8, MPI_BYTE,
               (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(out);
  free(in);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == ranks * (ranks - 1) / 2, "small data is its own");
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
