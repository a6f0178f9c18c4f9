/* The eager threshold: a send that completes although no matching receive is posted is eager.
 * Rank 1 posts the receive only after a message from rank 0, which sends it when the send has
 * completed or has timed out, so no interruption makes a rendezvous send look eager. Bisection over
 * the sizes finds the largest eager one exactly. */
#include <sched.h>

#include "calibrate.h"

enum { kAttempts = 3, kSearches = 4 };
static const double kTimeoutNs = 5e6;
static const double kSearchNs = 1e9; /* after which none begins anew */

/* On rank 0: does the send complete without a receive within `timeout` ns? The other rank may have
 * to run for that, even to copy an eager message, so this one yields its processor. */
static int completes_alone(struct bench* b, int size, double timeout) {
  MPI_Request request;
  int done = 0;
  MPI_Isend(b->send, size, MPI_BYTE, b->peer, kUnmatchedTag, b->two, &request);
  const double until = now_ns() + timeout;
  while (!done && now_ns() < until) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) sched_yield();
  }
  MPI_Send(NULL, 0, MPI_BYTE, b->peer, kTag, b->two);
  if (!done) MPI_Wait(&request, MPI_STATUS_IGNORE);
  return done;
}

/* The result is the same on both ranks. A rendezvous send never completes early, so one completed
 * send is enough. */
static int is_eager(struct bench* b, int size, double timeout) {
  int eager = 0;
  for (int i = 0; i < kAttempts && !eager; ++i) {
    if (b->rank == 0) {
      eager = completes_alone(b, size, timeout);
    } else {
      MPI_Recv(NULL, 0, MPI_BYTE, b->peer, kTag, b->two, MPI_STATUS_IGNORE);
      MPI_Recv(b->receive, size, MPI_BYTE, b->peer, kUnmatchedTag, b->two, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&eager, 1, MPI_INT, 0, b->two);
  }
  return eager;
}

/* Moves *low, which is eager or 0, up to the last eager size below `high`, which is a rendezvous.
 */
static int bisect(struct bench* b, int* low, int high) {
  while (high - *low > 1) {
    const int middle = *low + (high - *low) / 2;
    if (is_eager(b, middle, kTimeoutNs)) {
      *low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

/* The same on both ranks. */
static int in_time(struct bench* b, double until) {
  int good = now_ns() < until;
  MPI_Bcast(&good, 1, MPI_INT, 0, b->two);
  return good;
}

void find_threshold(struct bench* b) {
  const double until = now_ns() + kSearchNs;
  int low = 0;
  int high = kLargest + 1;
  if (is_eager(b, kLargest, kTimeoutNs)) {
    low = kLargest;
  } else {
    /* An interrupted receiver may have made an eager size look like a rendezvous: the size
     * at which the search ends is tried again with a longer timeout. */
    for (int i = 0; i == 0 || (i < kSearches && in_time(b, until)); ++i) {
      high = bisect(b, &low, kLargest);
      if (high == kLargest || !is_eager(b, high, 10 * kTimeoutNs)) break;
      low = high;
    }
  }
  b->eager = low;
  if (b->out == NULL) return;
  fprintf(b->out, "# eager %d\n", low);
  if (high <= kLargest) fprintf(b->out, "# synchronous %d\n", high);
}
