/* The eager threshold: a send that ends although no matching receive is posted is eager. Rank 1
 * posts the receive only when it is told to, after the send has ended or was waited for in vain, so
 * no interruption makes a synchronous send look eager. Bisection over the sizes finds the last
 * eager one exactly. */
#include <sched.h>

#include "calibrate.h"

enum { kVotes = 3, kSearches = 4 };
static const double kPatienceNs = 5e6;

/* On rank 0: whether the send ends by itself before `patience` is over. The other rank may have to
 * run for that, even to take an eager message out of the way, so this one gives way to whatever
 * else the processor has to do. */
static int ends_alone(struct bench* b, int size, double patience) {
  MPI_Request request;
  int done = 0;
  MPI_Isend(b->send, size, MPI_BYTE, b->peer, kUnmatchedTag, MPI_COMM_WORLD, &request);
  const double until = now_ns() + patience;
  while (!done && now_ns() < until) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) sched_yield();
  }
  MPI_Send(NULL, 0, MPI_BYTE, b->peer, kTag, MPI_COMM_WORLD);
  if (!done) MPI_Wait(&request, MPI_STATUS_IGNORE);
  return done;
}

/* Agreed by both ranks. Nothing makes a synchronous send end early, so one vote is enough. */
static int is_eager(struct bench* b, int size, double patience) {
  int eager = 0;
  for (int i = 0; i < kVotes && !eager; ++i) {
    if (b->rank == 0) {
      eager = ends_alone(b, size, patience);
    } else {
      MPI_Recv(NULL, 0, MPI_BYTE, b->peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(b->receive, size, MPI_BYTE, b->peer, kUnmatchedTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&eager, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return eager;
}

/* Moves *low, which is eager or 0, up to the last eager size below `high`, which is synchronous. */
static int bisect(struct bench* b, int* low, int high) {
  while (high - *low > 1) {
    const int middle = *low + (high - *low) / 2;
    if (is_eager(b, middle, kPatienceNs)) {
      *low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

void find_threshold(struct bench* b) {
  int low = 0;
  int high = kLargest + 1;
  if (is_eager(b, kLargest, kPatienceNs)) {
    low = kLargest;
  } else {
    /* An interrupted receiver may have made an eager size look synchronous: the size that the
     * search ends at gets a second, longer look. */
    for (int i = 0; i < kSearches; ++i) {
      high = bisect(b, &low, kLargest);
      if (high == kLargest || !is_eager(b, high, 10 * kPatienceNs)) break;
      low = high;
    }
  }
  b->eager = low;
  if (b->out == NULL) return;
  fprintf(b->out, "# eager %d\n", low);
  if (high <= kLargest) fprintf(b->out, "# synchronous %d\n", high);
}
