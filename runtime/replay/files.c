#include "replay.h"

/* MPI-IO touches no file. The marks tell the reader of the recording which time stands for it. */

enum { kWakeUp_ns = 100000 }; /* a sleep may last longer by this much */

static void sleep_until(const struct replay* r, int64_t ns) {
  const int64_t until = ns - kWakeUp_ns;
  if (now_ns() < until) {
    const struct timespec t = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
  }
  spin_until(r, ns);
}

int file_access(struct replay* r, const struct shape* s) {
  MPI_Pcontrol(SLK_REPLAY_FILE_LEVEL);
  if (s->n_args > 0) PMPI_Barrier(r->comms[s->comm]);
  sleep_until(r, now_ns() + r->period_ns);
  MPI_Pcontrol(SLK_REPLAY_FILE_LEVEL);
  return 1;
}
