/* The benchmark that `slackline calibrate` starts with two ranks or more. Rank 0 writes every
 * sample, as it was measured, into a text file that src/calibration reads. */
#ifndef SLACKLINE_RUNTIME_CALIBRATE_CALIBRATE_H
#define SLACKLINE_RUNTIME_CALIBRATE_CALIBRATE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { kTag = 0, kUnmatchedTag = 1, kLargest = 4 << 20, kMostSizes = 128 };
enum { kBufferBytes = 4 * kLargest }; /* the longest stream of different buffers */

struct bench {
  MPI_Comm two; /* ranks 0 and 1, which measure everything but pairs; null on others */
  int ranks;
  int rank;
  int peer;
  int pairs;  /* ranks 2i and 2i+1, i < pairs, have a processor each */
  char* send; /* kBufferBytes each, touched */
  char* receive;
  FILE* out; /* rank 0 only */
  int sizes[kMostSizes];
  int size_count;
  double deadline; /* end of the measurement by now_ns() of rank 1 */
  int eager;       /* largest size whose send does not wait for the receive; 0: none */
};

static inline double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static inline double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Spins outside MPI: nothing progresses meanwhile. */
static inline void pause_ns(double ns) {
  const double until = now_ns() + ns;
  while (now_ns() < until) continue;
}

/* The same sequence on both ranks (xorshift64*, Vigna 2016). */
struct random {
  uint64_t state;
};
static inline uint64_t random_below(struct random* r, uint64_t bound) {
  r->state ^= r->state >> 12;
  r->state ^= r->state << 25;
  r->state ^= r->state >> 27;
  return ((r->state * 2685821657736338717u) >> 33) % bound;
}

/* places.c: where the ranks run, and b->pairs. Writes what it found. Returns 0 if ranks 0 and 1
 * would disturb each other, with the reason written. All ranks call it. */
int bind_ranks(struct bench* b);

/* threshold.c: finds b->eager. */
void find_threshold(struct bench* b);

/* tasks.c: what is measured, in each round. */
int task_count(const struct bench* b);
/* Rank 0 writes the sample. Both ranks call it with the same task. Returns 0, with nothing
 * measured, where the time is over. */
int run_task(struct bench* b, int task, unsigned round);

/* pairs.c: round trips of each pair of ranks, and of several at once. All ranks call all of them.
 */
void measure_pairs(const struct bench* b);
void measure_pairs_at_once(const struct bench* b);
void sleeping_barrier(void);

#endif
