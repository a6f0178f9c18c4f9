/* Every pair of ranks, where there are more than two: what a round trip takes of a short and of a
 * long message. One pair at a time; the others sleep, so that they need no processor. Then pairs of
 * which each rank has a processor, more and more of them at the same time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"

enum { kShort = 8, kLong = 256 << 10, kRounds = 3, kTrips = 9, kHostName = 256 };
enum { kAtOnce = 1 << 20, kAtOnceRounds = 5, kMostPairs = 64 };
enum { kValues = 4 }; /* of a pair: both round trips, each rank's share without its processor */

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

void sleeping_barrier(void) {
  MPI_Request request;
  int done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
       MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
    usleep(200);
  }
}

/* Median of kTrips round trips, on the rank that begins them. The first one is not counted. */
static double round_trip_ns(const struct bench* b, int begins, int peer, int size) {
  double took[kTrips];
  for (int i = -1; i < kTrips; ++i) {
    memset(b->send, i, (size_t)size);
    const double begin = now_ns();
    if (begins) MPI_Send(b->send, size, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
    MPI_Recv(b->receive, size, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!begins) MPI_Send(b->send, size, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
    if (i >= 0) took[i] = now_ns() - begin;
  }
  qsort(took, kTrips, sizeof took[0], compare);
  return took[kTrips / 2];
}

static void write_hosts(const struct bench* b) {
  char mine[kHostName] = "";
  gethostname(mine, sizeof mine - 1);
  char* hosts = b->out == NULL ? NULL : malloc((size_t)b->ranks * sizeof mine);
  MPI_Gather(mine, kHostName, MPI_CHAR, hosts, kHostName, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int r = 0; hosts != NULL && r < b->ranks; ++r) {
    fprintf(b->out, "# rank_host %d %s\n", r, hosts + (size_t)r * kHostName);
  }
  free(hosts);
}

void measure_pairs(const struct bench* b) {
  write_hosts(b);
  const size_t pairs = (size_t)b->ranks * (size_t)(b->ranks - 1) / 2;
  double* mine = calloc(kValues * pairs, sizeof *mine);
  double* all = calloc(kValues * pairs, sizeof *all);
  if (mine == NULL || all == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int round = 0; round < kRounds; ++round) {
    double* next = mine;
    for (int from = 0; from < b->ranks; ++from) {
      for (int to = from + 1; to < b->ranks; ++to, next += kValues) {
        if (b->rank == from || b->rank == to) {
          const int begins = b->rank == from;
          const double wall = now_ns();
          const double cpu = cpu_ns();
          const double short_ns = round_trip_ns(b, begins, begins ? to : from, kShort);
          const double long_ns = round_trip_ns(b, begins, begins ? to : from, kLong);
          next[begins ? 2 : 3] = 1 - (cpu_ns() - cpu) / (now_ns() - wall);
          next[0] = begins ? short_ns : 0;
          next[1] = begins ? long_ns : 0;
        }
        sleeping_barrier();
      }
    }
    MPI_Reduce(mine, all, (int)(kValues * pairs), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    const double* value = all;
    for (int from = 0; b->out != NULL && from < b->ranks; ++from) {
      for (int to = from + 1; to < b->ranks; ++to, value += kValues) {
        fprintf(b->out, "# pair %d %d %d %.0f %d %.0f %.4f\n", from, to, kShort, value[0], kLong,
                value[1], fmax(0, fmax(value[2], value[3])));
      }
    }
  }
  free(mine);
  free(all);
}

/* One measurement with `pairs` of them: what a pair takes on average, and the largest share of the
 * time in which a rank was without its processor, on rank 0. */
static void pairs_together(const struct bench* b, int pairs, MPI_Comm active) {
  const int begins = b->rank % 2 == 0;
  MPI_Barrier(active);
  const double wall = now_ns();
  const double cpu = cpu_ns();
  double mine = round_trip_ns(b, begins, begins ? b->rank + 1 : b->rank - 1, kAtOnce);
  double without = 1 - (cpu_ns() - cpu) / (now_ns() - wall);
  double sum = 0, most = 0;
  if (!begins) mine = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, active);
  MPI_Reduce(&without, &most, 1, MPI_DOUBLE, MPI_MAX, 0, active);
  if (b->out == NULL) return;
  fprintf(b->out, "# pairs_at_once %d %d %.0f %.4f\n", pairs, kAtOnce, sum / pairs, fmax(0, most));
}

void measure_pairs_at_once(const struct bench* b) {
  const int most = b->pairs < kMostPairs ? b->pairs : kMostPairs;
  for (int round = 0; round < kAtOnceRounds; ++round) {
    for (int pairs = 1; pairs <= most; ++pairs) {
      MPI_Comm active;
      MPI_Comm_split(MPI_COMM_WORLD, b->rank < 2 * pairs ? 0 : MPI_UNDEFINED, b->rank, &active);
      if (active != MPI_COMM_NULL) {
        pairs_together(b, pairs, active);
        MPI_Comm_free(&active);
      }
      sleeping_barrier();
    }
  }
}
