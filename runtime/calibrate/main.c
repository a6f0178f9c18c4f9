/* slackline_calibrate_MPI FILE SECONDS SEED: see calibrate.h. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate.h"

enum { kLeastRounds = 4, kMostRounds = 100000 };
static const double kLeastSeconds = 5;

static int compare(const void* a, const void* b) {
  const int x = *(const int*)a;
  const int y = *(const int*)b;
  return (x > y) - (x < y);
}

/* Sizes over six decades, at random places of equal steps of the logarithm, so that they are not
 * all on one side of a power of two. */
static void choose_sizes(struct bench* b, struct random* random) {
  const int wanted = 96;
  int sizes[kMostSizes];
  int n = 0;
  sizes[n++] = 1;
  sizes[n++] = 8;
  for (int i = 0; i < wanted; ++i) {
    const double at = (i + (double)random_below(random, 1000) / 1000) / wanted;
    sizes[n++] = (int)exp2(at * log2(kLargest));
  }
  qsort(sizes, (size_t)n, sizeof sizes[0], compare);
  b->size_count = 0;
  for (int i = 0; i < n; ++i) {
    if (i == 0 || sizes[i] != sizes[i - 1]) b->sizes[b->size_count++] = sizes[i];
  }
}

static void shuffle(int* tasks, int count, struct random* random) {
  for (int i = count - 1; i > 0; --i) {
    const int j = (int)random_below(random, (uint64_t)i + 1);
    const int kept = tasks[i];
    tasks[i] = tasks[j];
    tasks[j] = kept;
  }
}

static void write_head(struct bench* b) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, ",\n")] = '\0';
  for (char* tab = strchr(version, '\t'); tab != NULL; tab = strchr(tab, '\t')) *tab = ' ';
  if (b->out == NULL) return;
  char started[32];
  const time_t now = time(NULL);
  struct tm utc;
  strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  fprintf(b->out, "# slackline calibration samples 1\n# started %s\n# mpi %s\n", started, version);
}

/* The least time between two readings. */
static double clock_cost_ns(void) {
  double least = 1e9;
  for (int i = 0; i < 10000; ++i) {
    const double begin = now_ns();
    const double took = now_ns() - begin;
    if (took < least) least = took;
  }
  return least;
}

/* A rank never sleeps: what it was not on its processor, other processes were. */
static void write_share_of_others(const struct bench* b, double wall_ns, double cpu) {
  const double mine = wall_ns > cpu ? 1 - cpu / wall_ns : 0;
  double most = 0;
  MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, b->two);
  if (b->out != NULL) fprintf(b->out, "# without_processor %.4f\n", most);
}

/* Rounds until the time is over, all tasks in random order in each; the first rounds may take
 * longer, but no more than kLeastSeconds, however busy the machine is. */
static void measure(struct bench* b, struct random* random, double seconds) {
  const double begin = now_ns();
  const double cpu_begin = cpu_ns();
  const int count = task_count(b);
  int* tasks = malloc((size_t)count * sizeof *tasks);
  if (tasks == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < count; ++i) tasks[i] = i;
  int go_on = 1;
  for (unsigned round = 0; go_on && round < kMostRounds; ++round) {
    b->deadline = begin + 1e9 * (round < kLeastRounds ? fmax(seconds, kLeastSeconds) : seconds);
    shuffle(tasks, count, random);
    for (int i = 0; go_on && i < count; ++i) {
      go_on = run_task(b, tasks[i], round);
      if (!go_on && round == 0 && b->out != NULL) {
        fprintf(b->out, "# unmeasured %d %d\n", count - i, count);
      }
    }
    if (b->out != NULL) fflush(b->out);
  }
  free(tasks);
  const double wall = now_ns() - begin;
  write_share_of_others(b, wall, cpu_ns() - cpu_begin);
  if (b->out != NULL) fprintf(b->out, "# seconds %.3f\n", wall / 1e9);
}

static char* buffer(void) {
  char* bytes = malloc(kBufferBytes);
  if (bytes == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(bytes, 1, kBufferBytes);
  return bytes;
}

/* Whether rank 0 can write, and there are two ranks or more. */
static int is_ready(struct bench* b, const char* path) {
  MPI_Comm_rank(MPI_COMM_WORLD, &b->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &b->ranks);
  MPI_Comm_split(MPI_COMM_WORLD, b->rank < 2 ? 0 : MPI_UNDEFINED, b->rank, &b->two);
  b->peer = 1 - b->rank;
  if (b->rank == 0) b->out = fopen(path, "w");
  int ready = b->rank != 0 || b->out != NULL;
  if (!ready) perror(path);
  MPI_Bcast(&ready, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!ready) return 0;
  write_head(b);
  if (b->ranks < 2 && b->out != NULL) fprintf(b->out, "# problem the job has 1 rank\n");
  return b->ranks >= 2;
}

static void measure_two(struct bench* b, double seconds, uint64_t seed) {
  struct random random = {seed | 1};
  if (b->out != NULL) fprintf(b->out, "# clock_ns %.1f\n", clock_cost_ns());
  choose_sizes(b, &random);
  find_threshold(b);
  measure(b, &random, seconds);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static struct bench bench;
  const int good = argc == 4;
  if (good && is_ready(&bench, argv[1])) {
    bench.send = buffer();
    bench.receive = buffer();
    const int possible = bind_ranks(&bench);
    if (possible && bench.two != MPI_COMM_NULL) {
      measure_two(&bench, atof(argv[2]), (uint64_t)strtoull(argv[3], NULL, 10));
    }
    sleeping_barrier();
    if (bench.ranks > 2) measure_pairs(&bench);
    if (bench.pairs > 1) measure_pairs_at_once(&bench);
    free(bench.send);
    free(bench.receive);
  }
  if (bench.out != NULL) fclose(bench.out);
  MPI_Finalize();
  return good ? 0 : 2;
}
