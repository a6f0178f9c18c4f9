/* Ranks that share a processor would measure the scheduler. Where their processors are not fixed
 * yet, as many ranks as possible, from rank 0 on, get one of their own. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"

struct place {
  char host[256];
  cpu_set_t allowed;
  int cpu; /* -1: none of its own */
};

static int holder_of(const struct place* places, int ranks, const char* host, int cpu) {
  for (int r = 0; r < ranks; ++r) {
    if (places[r].cpu == cpu && strcmp(places[r].host, host) == 0) return r;
  }
  return -1;
}

/* Gives `rank` a processor, for which others move to another one where they can (Kuhn 1955). */
static int assign(struct place* places, int ranks, int rank, cpu_set_t* seen) {
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET((size_t)cpu, &places[rank].allowed) || CPU_ISSET((size_t)cpu, seen)) continue;
    CPU_SET((size_t)cpu, seen);
    const int holder = holder_of(places, ranks, places[rank].host, cpu);
    if (holder >= 0 && !assign(places, ranks, holder, seen)) continue;
    places[rank].cpu = cpu;
    return 1;
  }
  return 0;
}

static void bind_to(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void write_places(const struct bench* b, const struct place* places) {
  for (int r = 0; r < 2; ++r) {
    fprintf(b->out, "# host%d %s\n# processor%d %d\n", r, places[r].host, r, places[r].cpu);
  }
  if (b->ranks > 2) fprintf(b->out, "# pairs_placed %d %d\n", b->pairs, b->ranks / 2);
  if (b->pairs > 0) return;
  fprintf(
      b->out,
      "# problem both ranks may use one processor of %s only, and would measure its scheduler\n",
      places[0].host);
}

int bind_ranks(struct bench* b) {
  struct place mine;
  memset(&mine, 0, sizeof mine);
  mine.cpu = -1;
  gethostname(mine.host, sizeof mine.host - 1);
  sched_getaffinity(0, sizeof mine.allowed, &mine.allowed);
  struct place* places = malloc((size_t)b->ranks * sizeof mine);
  if (places == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, places, (int)sizeof mine, MPI_BYTE,
                MPI_COMM_WORLD);
  int placed = 0;
  for (cpu_set_t seen; placed < b->ranks; ++placed) {
    CPU_ZERO(&seen);
    if (!assign(places, b->ranks, placed, &seen)) break;
  }
  b->pairs = placed / 2;
  if (b->rank < placed && b->pairs > 0) bind_to(places[b->rank].cpu);
  if (b->out != NULL) write_places(b, places);
  free(places);
  return b->pairs > 0;
}
