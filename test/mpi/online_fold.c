/* 256 MiB a rank, all of which is written. argv[1]: "plain" by malloc and its relatives, "shared"
 * by slackline_shared_malloc(); or another of the cases. Prints "ok" where all that is of use is
 * right. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <slackline.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

static void* free_it(void* at) {
  slackline_shared_free(at);
  return NULL;
}

/* The compiler would leave out what it knows to be freed at once. */
static void allocate_once(void) {
  char* volatile at = malloc(kLarge);
  check(at != NULL, "memory is given");
  free(at);
}

static void* allocate_and_free(void* at) {
  const atomic_int* go_on = at;
  while (atomic_load(go_on)) allocate_once();
  return NULL;
}

static void child_ends(pid_t child) {
  int status = 1;
  check(waitpid(child, &status, 0) == child && status == 0, "the child ends");
}

/* By a thread that never calls MPI, and in a child. */
static void elsewhere(void) {
  char* parts[2] = {slackline_shared_malloc(kLarge), slackline_shared_malloc(kLarge)};
  pthread_t thread;
  check(pthread_create(&thread, NULL, free_it, parts[0]) == 0, "pthread_create");
  pthread_join(thread, NULL);
  const pid_t child = fork();
  if (child == 0) {
    slackline_shared_free(parts[1]);
    _exit(0);
  }
  child_ends(child);
  slackline_shared_free(parts[1]);
  slackline_shared_free(slackline_shared_malloc(kLarge));
  slackline_shared_free(NULL);
}

/* While another thread may have the allocator's lock. */
static void forks(void) {
  enum { kChildren = 200, kSeconds = 20 };
  atomic_int go_on = 1;
  pthread_t thread;
  check(pthread_create(&thread, NULL, allocate_and_free, &go_on) == 0, "pthread_create");
  for (int i = 0; i < kChildren; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSeconds);
      allocate_once();
      _exit(0);
    }
    child_ends(child);
  }
  atomic_store(&go_on, 0);
  pthread_join(thread, NULL);
}

/* As an array that grows by a little, again and again, with others behind it. */
static void grows(void) {
  enum { kSteps = 6000, kOthers = 8, kPieces = 300 };
  size_t bytes = (size_t)4 << 30;
  const size_t step = (size_t)1 << 20;
  char* others[kOthers];
  char* at = malloc(bytes);
  for (int i = 0; i < kOthers; ++i) others[i] = malloc(kLarge);
  for (int i = 0; i < kSteps; ++i) {
    bytes += step;
    at = realloc(at, bytes);
    check(at != NULL, "it grows");
    at[bytes - 1] = 1;
  }
  for (int i = 0; i < kOthers; i += 2) free(others[i]);
  free(at);
  for (int i = 1; i < kOthers; i += 2) free(others[i]);
  at = malloc((size_t)15 << 40);
  check(at == NULL, "there are no mappings for 15 TiB of 64 MiB blocks");
  /* Of what was free together a piece is used, and not all. */
  static char* small[kPieces];
  for (int i = 0; i < kPieces; ++i) {
    char* large = malloc((size_t)64 << 30);
    check(large != NULL, "nothing gets lost");
    free(large);
    small[i] = malloc(step);
  }
  for (int i = 0; i < kPieces; ++i) free(small[i]);
}

static void relatives(void) {
  errno = 0;
  volatile size_t all = SIZE_MAX;
  check(pvalloc(all - 10) == NULL && errno == ENOMEM, "pvalloc of too much");
  char* at = slackline_shared_malloc(kLarge);
  at[0] = 'x';
  at = realloc(at, 2 * (size_t)kLarge);
  check(at != NULL && at[0] == 'x', "realloc");
  free(at);
}

/* No two share an address, and what is free is one again in the end. */
static void random_order(void) {
  enum { kParts = 64, kSteps = 5000, kMost = 40 };
  static struct {
    char* at;
    size_t bytes;
  } parts[kParts];
  unsigned next = 1;
  const size_t unit = (size_t)1 << 20;
  char* const first = malloc(kLarge);
  free(first);
  for (int step = 0; step < kSteps; ++step) {
    next = next * 1664525u + 1013904223u;
    const unsigned i = (next >> 8) % kParts;
    const size_t bytes = (4 + (next >> 16) % kMost) * unit;
    if ((next >> 30) == 0) {
      free(parts[i].at);
      parts[i].at = NULL;
      continue;
    }
    parts[i].at = realloc(parts[i].at, bytes);
    parts[i].bytes = malloc_usable_size(parts[i].at);
    check(parts[i].at != NULL && parts[i].bytes >= bytes, "memory is given");
    parts[i].at[0] = parts[i].at[bytes - 1] = 1;
    for (unsigned other = 0; other < kParts; ++other) {
      if (other == i || parts[other].at == NULL) continue;
      check(parts[i].at + parts[i].bytes <= parts[other].at ||
                parts[other].at + parts[other].bytes <= parts[i].at,
            "of its own");
    }
  }
  for (int i = 0; i < kParts; ++i) free(parts[i].at);
  char* const all = malloc((size_t)64 << 30);
  check(all == first, "in place of all");
  free(all);
}

/* Rank 0's other thread allocates while its first one calls MPI. */
static void* allocate_later(void* unused) {
  (void)unused;
  usleep(100000);
  char* at = malloc(4 * (size_t)kLarge);
  fill(at, 4 * (size_t)kLarge, 1);
  return at;
}

static double cpu_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void beside(int rank) {
  pthread_t thread;
  void* at = NULL;
  if (rank == 1) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double begin = cpu_s();
    while (cpu_s() < begin + 1) {
    }
    MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  if (rank != 0) return;
  pthread_create(&thread, NULL, allocate_later, NULL);
  MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pthread_join(thread, &at);
  free(at);
}

/* Before MPI_Init and after MPI_Finalize. */
static void mark(void) {
  slackline_region_begin("outside");
  int executed = 0;
  for (int i = 0; i < kTimes; ++i) {
    SLACKLINE_SAMPLE_LOCAL(2, 0) {
      ++executed;
    }
  }
  check(executed == kTimes, "outside of MPI nothing is skipped");
  slackline_region_end("outside");
}

int main(int argc, char** argv) {
  int rank, ranks, provided, sum = 0;
  const char* what = argc > 1 ? argv[1] : "plain";
  if (strcmp(what, "child") == 0) {
    const pid_t child = fork();
    int status = 1;
    if (child != 0) return waitpid(child, &status, 0) != child || status != 0;
  }
  mark();
  char* before = slackline_shared_malloc(kLarge);
  char* after = slackline_shared_malloc(kLarge);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  slackline_shared_free(before);
  char* until_after = slackline_shared_malloc(kLarge);
  if (strcmp(what, "shared") == 0) shared(rank);
  if (strcmp(what, "plain") == 0) plain(rank);
  if (strcmp(what, "elsewhere") == 0) elsewhere();
  if (strcmp(what, "forks") == 0) forks();
  if (strcmp(what, "grows") == 0) grows();
  if (strcmp(what, "random") == 0) random_order();
  if (strcmp(what, "relatives") == 0) relatives();
  if (strcmp(what, "beside") == 0) beside(rank);
  /* Messages from and to folded memory. */
  char* out = malloc(kLarge);
  char* in = malloc(kLarge);
  MPI_Sendrecv(out, kLarge / 8, MPI_BYTE, (rank + 1) % ranks, 1, in, kLarge / 8, MPI_BYTE,
               (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(out);
  free(in);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == ranks * (ranks - 1) / 2, "small data is its own");
  MPI_Finalize();
  mark();
  slackline_shared_free(after);
  slackline_shared_free(until_after);
  if (rank == 0) printf("ok\n");
  return 0;
}
