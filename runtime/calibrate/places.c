/* Two ranks that share a processor would measure the scheduler. Where their processors are not
 * fixed yet, each gets one of its own. */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"

struct place {
  char host[256];
  cpu_set_t allowed;
};

static int first_of(const cpu_set_t* set, size_t but) {
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, set) && cpu != but) return (int)cpu;
  }
  return -1;
}

static void bind_to(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/* The processors of both ranks, so that they differ if that is possible; -1 where it is not. */
static void choose(const struct place* places, int* cpus) {
  cpus[0] = first_of(&places[0].allowed, CPU_SETSIZE);
  cpus[1] = first_of(&places[1].allowed, CPU_SETSIZE);
  if (strcmp(places[0].host, places[1].host) != 0 || cpus[0] != cpus[1]) return;
  cpus[1] = first_of(&places[1].allowed, (size_t)cpus[0]);
  if (cpus[1] >= 0) return;
  cpus[1] = first_of(&places[1].allowed, CPU_SETSIZE);
  cpus[0] = first_of(&places[0].allowed, (size_t)cpus[1]);
}

int bind_ranks(struct bench* b) {
  struct place mine;
  struct place both[2];
  memset(&mine, 0, sizeof mine);
  gethostname(mine.host, sizeof mine.host - 1);
  sched_getaffinity(0, sizeof mine.allowed, &mine.allowed);
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, both, (int)sizeof mine, MPI_BYTE, b->two);
  int cpus[2];
  choose(both, cpus);
  const int possible = cpus[0] >= 0 && cpus[1] >= 0;
  if (possible) bind_to(cpus[b->rank]);
  if (b->out == NULL) return possible;
  for (int r = 0; r < 2; ++r) {
    fprintf(b->out, "# host%d %s\n# processor%d %d\n", r, both[r].host, r, cpus[r]);
  }
  if (!possible) {
    fprintf(b->out,
            "# problem both ranks may use one processor of %s only, and would measure its "
            "scheduler\n",
            both[0].host);
  }
  return possible;
}
