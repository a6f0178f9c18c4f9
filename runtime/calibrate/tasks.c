/* What is measured. Every sample begins with an empty message from rank 1, after which rank 1 is
 * about to do its part; rank 0 has the clock, but for receives. */
#include <string.h>

#include "calibrate.h"

enum kind {
  kRoundTrip,
  kStream,
  kRoundTripReused, /* from buffers that were not written since the last message */
  kStreamReused,
  kRoundTripSame, /* received into the buffer that is sent from */
  kSend,
  kIsend,
  kReceive,
  kBothWays,
  kSized,
  kTest = kSized,
  kProbe,
  kClock,
  kKinds
};
enum { kPolls = 20 };
enum { kRing = 1024, kRingBytes = 16 << 10, kReused = 16 };
static const double kTaskNs = 20e6;
enum { kLeastBothWays = 64 << 10 }; /* where bandwidth matters */

static const char* const kNames[kKinds] = {"rtt",      "stream", "rtt_reused", "stream_reused",
                                           "rtt_same", "send",   "isend",      "recv",
                                           "sendrecv", "test",   "iprobe",     "wtime"};

static void give(struct bench* b, const void* data, int size) {
  MPI_Send(data, size, MPI_BYTE, b->peer, kTag, b->two);
}
static void take(struct bench* b, void* data, int size) {
  MPI_Recv(data, size, MPI_BYTE, b->peer, kTag, b->two, MPI_STATUS_IGNORE);
}

/* Programs send what they have just computed: in their own cache, and changed since the last
 * message. A message from a buffer that was not written since is up to twice as fast. */
static void compute(struct bench* b, size_t bytes) {
  static unsigned char value;
  memset(b->send, ++value, bytes);
}

/* Messages of a stream: enough for the gap to show, few enough for long ones to end, and all of
 * them in kBufferBytes. */
static int stream_length(int size) {
  if (size <= 64 << 10) return 16;
  return size <= 512 << 10 ? 8 : 4;
}

/* PRTT(n,0,s) of Hoefler et al. 2007: n messages there, one back. Messages that are written have a
 * buffer each, as those of a program that sends several have. */
static double exchange(struct bench* b, enum kind kind, int size, int n) {
  const int reused = kind == kRoundTripReused || kind == kStreamReused;
  char* const in = kind == kRoundTripSame ? b->send : b->receive;
  const size_t step = reused ? 0 : (size_t)size;
  if (!reused && !(kind == kRoundTripSame && b->rank == 1)) compute(b, (size_t)n * (size_t)size);
  if (b->rank == 1) {
    give(b, NULL, 0);
    for (int i = 0; i < n; ++i) take(b, in + (size_t)i * step, size);
    give(b, b->send, size);
    return 0;
  }
  take(b, NULL, 0);
  const double begin = now_ns();
  for (int i = 0; i < n; ++i) give(b, b->send + (size_t)i * step, size);
  take(b, in, size);
  return now_ns() - begin;
}

/* In MPI_Send or MPI_Isend, while the receiver is in the matching receive. */
static double send_call(struct bench* b, int size, int nonblocking) {
  MPI_Request request;
  if (b->rank == 0) compute(b, (size_t)size);
  if (b->rank == 1) {
    MPI_Irecv(b->receive, size, MPI_BYTE, b->peer, kTag, b->two, &request);
    give(b, NULL, 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return 0;
  }
  take(b, NULL, 0);
  const double begin = now_ns();
  if (!nonblocking) {
    give(b, b->send, size);
    return now_ns() - begin;
  }
  MPI_Isend(b->send, size, MPI_BYTE, b->peer, kTag, b->two, &request);
  const double took = now_ns() - begin;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return took;
}

/* In MPI_Recv of an eager message that has surely arrived: rank 1 stays away from MPI for as long
 * as its way and its copying can take. */
static double receive_call(struct bench* b, int size) {
  double took = 0;
  if (b->rank == 1) {
    give(b, NULL, 0);
    pause_ns(30e3 + 5 * (double)size);
    const double begin = now_ns();
    take(b, b->receive, size);
    took = now_ns() - begin;
    give(b, &took, (int)sizeof took);
    return took;
  }
  compute(b, (size_t)size);
  take(b, NULL, 0);
  give(b, b->send, size);
  take(b, &took, (int)sizeof took);
  return took;
}

/* In MPI_Sendrecv of a message in each direction at the same time. */
static double both_ways(struct bench* b, int size) {
  compute(b, (size_t)size);
  if (b->rank == 1) {
    give(b, NULL, 0);
  } else {
    take(b, NULL, 0);
  }
  const double begin = now_ns();
  MPI_Sendrecv(b->send, size, MPI_BYTE, b->peer, kTag, b->receive, size, MPI_BYTE, b->peer, kTag,
               b->two, MPI_STATUS_IGNORE);
  return now_ns() - begin;
}

/* kPolls calls that find nothing. Rank 1 waits in the receive that ends them. */
static double poll_calls(struct bench* b, enum kind kind) {
  if (b->rank == 1) {
    give(b, NULL, 0);
    take(b, NULL, 0);
    return 0;
  }
  take(b, NULL, 0);
  MPI_Request request = MPI_REQUEST_NULL;
  if (kind == kTest) {
    MPI_Irecv(b->receive, 1, MPI_BYTE, b->peer, kUnmatchedTag, b->two, &request);
  }
  int flag = 0;
  const double begin = now_ns();
  for (int i = 0; i < kPolls; ++i) {
    if (kind == kTest) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (kind == kProbe) {
      MPI_Iprobe(b->peer, kUnmatchedTag, b->two, &flag, MPI_STATUS_IGNORE);
    }
    if (kind == kClock) MPI_Wtime();
  }
  const double took = now_ns() - begin;
  if (request != MPI_REQUEST_NULL) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  give(b, NULL, 0);
  return took;
}

int task_count(const struct bench* b) {
  return kSized * b->size_count + (kKinds - kSized);
}

/* Does a task once; n is the number of its messages or calls. Returns the time on the rank that
 * measures it. */
static double measure_once(struct bench* b, enum kind kind, int size, int n) {
  switch (kind) {
    case kRoundTrip:
    case kStream:
    case kRoundTripReused:
    case kStreamReused:
    case kRoundTripSame:
      return exchange(b, kind, size, n);
    case kSend:
    case kIsend:
      return send_call(b, size, kind == kIsend);
    case kReceive:
      return receive_call(b, size);
    case kBothWays:
      return both_ways(b, size);
    default:
      return poll_calls(b, kind);
  }
}

/* Sizes come in random order, and a program's mostly do not: what is measured follows messages of
 * the same size, so that the buffers within MPI are in the caches. Short messages go through a ring
 * of these, which they have to have filled, and buffers that are not written have to come to rest
 * between the caches. */
static int repetitions(enum kind kind, int size, int n) {
  if (kind < kSend && size <= kRingBytes) return kRing / n;
  if (kind == kRoundTripReused) return kReused;
  return size <= 64 << 10 ? 4 : 2;
}

/* Whether to do it once more. Rank 1 has the clock for that: on a machine with other work, messages
 * may take a thousand times as long, and neither a task nor the measurement may. */
static enum next { kOnceMore, kLast, kOver } agree(struct bench* b, int last, double until) {
  char next = kOnceMore;
  if (b->rank == 1) {
    const double now = now_ns();
    next = now > b->deadline ? kOver : last || now > until ? kLast : kOnceMore;
    give(b, &next, 1);
  } else {
    take(b, &next, 1);
  }
  return (enum next)next;
}

int run_task(struct bench* b, int task, unsigned round) {
  const int sized = task < kSized * b->size_count;
  const enum kind kind =
      (enum kind)(sized ? task / b->size_count : kSized + task - kSized * b->size_count);
  const int size = sized ? b->sizes[task % b->size_count] : 0;
  if (kind == kReceive && size > b->eager) return 1;
  if (kind == kBothWays && size < kLeastBothWays) return 1;
  const int stream = kind == kStream || kind == kStreamReused;
  const int n = stream ? stream_length(size) : sized ? 1 : kPolls;
  const double until = now_ns() + kTaskNs;
  double took = 0;
  enum next next = kOnceMore;
  for (int i = 1; next == kOnceMore; ++i) {
    next = agree(b, i >= repetitions(kind, size, n), until);
    if (next == kOver) return 0;
    took = measure_once(b, kind, size, n);
  }
  if (b->out != NULL) fprintf(b->out, "%s %u %d %d %.0f\n", kNames[kind], round, size, n, took);
  return 1;
}
