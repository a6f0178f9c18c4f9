/* The processes of `mpirun -n M slackline ...` exchange bytes through this library
 * (src/parallel/process_interface.h).
 *
 * Whoever waits looks a few times whether an answer has come, and then sleeps between looks, for an
 * eighth of the time that it has waited. So a process that has nothing to do while the first one
 * works costs next to no CPU time, also where there are more processes than processors, and nobody
 * waits much longer than needed. Yielding instead of sleeping would be worse on busy processors:
 * who yields comes last again, who wakes comes soon. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parallel/process_interface.h"

enum { kPolls = 20, kLeastSleep_ns = 20000, kLongestSleep_ns = 5000000, kSleepShare = 8 };
/* MPI counts bytes in an int. */
static const int64_t kPieceBytes = INT64_C(1) << 30;
enum { kTag = 1 };

static MPI_Comm job = MPI_COMM_NULL;
static int size;
static MPI_Request* requests; /* of one exchange */
static size_t room;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void wait_for_all(int count) {
  const int64_t begin = now_ns();
  for (int polls = 0;; ++polls) {
    int done = 0;
    MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
    if (done) return;
    if (polls < kPolls) continue;
    int64_t sleep_ns = (now_ns() - begin) / kSleepShare;
    if (sleep_ns < kLeastSleep_ns) sleep_ns = kLeastSleep_ns;
    if (sleep_ns > kLongestSleep_ns) sleep_ns = kLongestSleep_ns;
    const struct timespec pause = {0, (long)sleep_ns};
    nanosleep(&pause, NULL);
  }
}

static MPI_Request* next_request(int* count) {
  if ((size_t)*count == room) {
    room = room == 0 ? 16 : 2 * room;
    requests = realloc(requests, room * sizeof *requests);
    if (requests == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return &requests[(*count)++];
}

static void exchange_first(const struct slk_process_message* mine,
                           struct slk_process_message* theirs) {
  int rank;
  MPI_Comm_rank(job, &rank);
  const int head = (int)offsetof(struct slk_process_message, first);
  int count = 0;
  for (int step = 1; step < size; ++step) {
    const int from = (rank - step + size) % size;
    MPI_Irecv(&theirs[from], (int)sizeof theirs[from], MPI_BYTE, from, kTag, job,
              next_request(&count));
  }
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size;
    int64_t bytes = mine[to].bytes;
    if (bytes < 0) bytes = 0;
    if (bytes > SLK_FIRST_BYTES) bytes = SLK_FIRST_BYTES;
    MPI_Isend(&mine[to], head + (int)bytes, MPI_BYTE, to, kTag, job, next_request(&count));
  }
  if (count > 0) wait_for_all(count);
}

static int piece(int64_t bytes, int64_t at) {
  return (int)(bytes - at < kPieceBytes ? bytes - at : kPieceBytes);
}

static void exchange_bytes(const void* const* out, const int64_t* bytes_out, void* const* in,
                           const int64_t* bytes_in) {
  int rank;
  MPI_Comm_rank(job, &rank);
  int count = 0;
  for (int step = 1; step < size; ++step) {
    const int from = (rank - step + size) % size;
    for (int64_t at = 0; at < bytes_in[from]; at += kPieceBytes) {
      MPI_Irecv((char*)in[from] + at, piece(bytes_in[from], at), MPI_BYTE, from, kTag, job,
                next_request(&count));
    }
  }
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size;
    for (int64_t at = 0; at < bytes_out[to]; at += kPieceBytes) {
      MPI_Isend((const char*)out[to] + at, piece(bytes_out[to], at), MPI_BYTE, to, kTag, job,
                next_request(&count));
    }
  }
  if (count > 0) wait_for_all(count);
}

static void close_job(void) {
  free(requests);
  requests = NULL;
  room = 0;
  MPI_Comm_free(&job);
  MPI_Finalize();
}

static int refuse(char* why, size_t why_bytes, const char* text) {
  snprintf(why, why_bytes, "%s", text);
  return 1;
}

__attribute__((visibility("default"))) int slackline_processes_open(int version,
                                                                    struct slk_processes* processes,
                                                                    char* why, size_t why_bytes);

int slackline_processes_open(int version, struct slk_processes* processes, char* why,
                             size_t why_bytes) {
  if (version != SLK_PROCESSES_VERSION) {
    return refuse(why, why_bytes, "its library is of another version of Slackline");
  }
  /* MPICH polls without making way for others unless it is told to; MPI_Init waits, too. */
  setenv("MPIR_CVAR_POLLS_BEFORE_YIELD", "1", 0);
  int provided;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    return refuse(why, why_bytes, "this MPI library allows no threads beside it");
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &job);
  MPI_Comm_rank(job, &processes->rank);
  MPI_Comm_size(job, &processes->size);
  size = processes->size;
  processes->exchange_first = exchange_first;
  processes->exchange_bytes = exchange_bytes;
  processes->close = close_job;
  return 0;
}
