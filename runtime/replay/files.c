/* Calls of MPI-IO. Without a scratch folder they touch no file, and last as long as in the run;
 * with one, each reads or writes its bytes in a file of the process, which has no name and is gone
 * with it. Marks say which time of the recording stands for the call. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "replay.h"

enum { kWakeUp_ns = 100000 }; /* a sleep may last longer by this much */

static void sleep_until(const struct replay* r, int64_t ns) {
  const int64_t until = ns - kWakeUp_ns;
  if (now_ns() < until) {
    const struct timespec t = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
  }
  spin_until(r, ns);
}

/* All bytes, in one call where the system takes them so. */
static void move_bytes(const struct replay* r, int writes, uint64_t bytes, uint64_t offset) {
  uint64_t done = 0;
  while (done < bytes) {
    const size_t left = (size_t)(bytes - done);
    const off_t at = (off_t)(offset + done);
    const ssize_t n = writes ? pwrite(r->scratch, r->send + done, left, at)
                             : pread(r->scratch, r->receive + done, left, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) give_up("cannot access a scratch file: %s", strerror(errno));
    if (n == 0) give_up("a scratch file is too short");
    done += (uint64_t)n;
  }
}

void open_scratch(struct replay* r, const char* folder) {
  r->scratch = -1;
  if (folder == NULL) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/slackline-replay-%d-%ld", folder, r->rank, (long)getpid());
  r->scratch = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (r->scratch < 0) give_up("cannot make '%s': %s", path, strerror(errno));
  unlink(path);
  uint64_t most = 0;
  for (uint32_t i = 0; i < r->head.shapes; ++i) {
    if ((r->shapes[i].flags & SLK_REPLAY_READS) != 0 && r->shapes[i].bytes > most)
      most = r->shapes[i].bytes;
  }
  move_bytes(r, 1, most, 0);
}

void file_access(struct replay* r, const struct shape* s) {
  MPI_Pcontrol(SLK_REPLAY_FILE_LEVEL);
  if (s->n_args > 0) PMPI_Barrier(r->comms[s->comm]);
  if (r->scratch < 0) {
    sleep_until(r, now_ns() + r->period_ns);
  } else if (s->flags & SLK_REPLAY_READS) {
    move_bytes(r, 0, s->bytes, 0);
    ++r->file_calls[0];
    r->file_bytes[0] += s->bytes;
  } else if (s->flags & SLK_REPLAY_WRITES) {
    move_bytes(r, 1, s->bytes, r->file_bytes[1]);
    ++r->file_calls[1];
    r->file_bytes[1] += s->bytes;
  } else if (s->op == SLK_OP_file_sync && fdatasync(r->scratch) != 0) {
    give_up("cannot synchronise a scratch file: %s", strerror(errno));
  }
  MPI_Pcontrol(SLK_REPLAY_FILE_LEVEL);
}
