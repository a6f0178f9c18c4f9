/* Computation is re-enacted by waiting on the clock ("Verifying Causal Connections between Distant
 * Performance Phenomena", Hermanns et al. 2008, sections 4.2 and 4.3).
 *
 * What a recorder sees between two calls is longer than what was waited: the call's own return, the
 * recorder's work and the reading of the next step are added. Both are measured before the start,
 * with calls of MPI_Test on nothing, and are taken off every wait: `tail_ns` where there is one,
 * `short_ns` where the gap is too short for any. A gap that lasted too long makes the ones after it
 * shorter, until that is made up for.
 *
 * Where gaps are CPU time, time off the processor is not waited for, but comes on top.
 *
 * With a rate, the wait reads and writes memory: in pieces, as many as rate times time asks for, so
 * that what an interruption took is made up for right after it. */
#include <sched.h>
#include <string.h>

#include "replay.h"

enum { kBatches = 9, kCalls = 200, kTrialWait_ns = 2000 };
/* Between two readings of the clock: the process was not on its processor. */
enum { kInterruption_ns = 20000 };

void spin_until(const struct replay* r, int64_t ns) {
  while (now_ns() < ns) {
    if (r->pace.yields) sched_yield();
  }
}

enum { kStreamBytes = 64 << 20, kPiece = 4096, kLine = 64 };

/* One byte of each cache line is changed, so that the line is read and written back. */
static void stream(struct stream* s) {
  volatile unsigned char* piece = s->memory + s->at;
  for (size_t i = 0; i < kPiece; i += kLine) ++piece[i];
  s->at = (s->at + kPiece) % kStreamBytes;
  s->bytes += 2 * kPiece;
}

void prepare_stream(struct replay* r) {
  if (r->head.memory_rate == 0) return;
  r->stream.memory = allocate(kStreamBytes, 1);
  memset(r->stream.memory, 1, kStreamBytes);
}

void compute(struct replay* r, int64_t ns) {
  struct pace* p = &r->pace;
  const int64_t wait = ns - p->tail_ns - p->debt_ns;
  if (wait <= 0) {
    const int64_t late = p->debt_ns + p->short_ns - ns;
    p->debt_ns = late > 0 ? late : 0;
  } else {
    const int64_t allowed = r->head.cpu_time ? kInterruption_ns : INT64_MAX;
    int64_t until = p->returned_ns + wait;
    const double bytes_per_ns = (double)r->head.memory_rate / 1e9;
    struct stream* s = &r->stream;
    const double wanted = s->wanted_bytes;
    int64_t now = now_ns();
    while (now < until) {
      const int64_t before = now;
      if (p->yields) sched_yield();
      const double due = wanted + bytes_per_ns * (double)(wait - (until - now));
      if (s->memory != NULL && s->bytes < due) stream(s);
      now = now_ns();
      if (now - before > allowed) until += now - before; /* the processor was taken away */
    }
    s->wanted_bytes += bytes_per_ns * (double)wait;
    /* The last reading may come up to one reading's time after the end. */
    const int64_t over = now - until - 32;
    p->debt_ns = over > 0 ? over : 0;
  }
  if (p->debt_ns > 0) ++p->late_calls;
  if (p->debt_ns > p->debt_most_ns) p->debt_most_ns = p->debt_ns;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static unsigned char* put(unsigned char* to, uint64_t value) {
  for (; value >= 128; value >>= 7) *to++ = (unsigned char)((value & 127) | 128);
  *to++ = (unsigned char)value;
  return to;
}

static double median(double* means) {
  qsort(means, kBatches, sizeof means[0], compare);
  return means[kBatches / 2];
}

/* The mean time of a step that waits so long and calls MPI_Test on nothing; of several batches the
 * median. */
static double trial(struct replay* r, int64_t wait) {
  static unsigned char steps[kCalls * 12];
  double means[kBatches];
  unsigned char* end = steps;
  for (int i = 0; i < kCalls; ++i) {
    end = put(end, (uint64_t)wait / SLK_REPLAY_UNIT_NS);
    end = put(end, r->head.shapes);
  }
  const unsigned char* const at = r->at;
  const unsigned char* const program_end = r->end;
  for (int b = 0; b < kBatches; ++b) {
    r->at = steps;
    r->end = end;
    const int64_t begin = now_ns();
    r->pace.returned_ns = begin;
    for (int i = 0; i < kCalls; ++i) step(r);
    means[b] = (double)(now_ns() - begin) / kCalls;
  }
  r->at = at;
  r->end = program_end;
  return median(means);
}

/* The same of the call alone, which a recorder does not see. */
static double call_ns(void) {
  double means[kBatches];
  MPI_Request none = MPI_REQUEST_NULL;
  int flag;
  for (int b = 0; b < kBatches; ++b) {
    const int64_t begin = now_ns();
    for (int i = 0; i < kCalls; ++i) PMPI_Test(&none, &flag, MPI_STATUS_IGNORE);
    means[b] = (double)(now_ns() - begin) / kCalls;
  }
  return median(means);
}

static double clock_ns(void) {
  double means[kBatches];
  for (int b = 0; b < kBatches; ++b) {
    const int64_t begin = now_ns();
    for (int i = 0; i < kCalls; ++i) now_ns();
    means[b] = (double)(now_ns() - begin) / (kCalls + 1);
  }
  return median(means);
}

void calibrate(struct replay* r) {
  struct pace* p = &r->pace;
  const double inside = call_ns() + clock_ns(); /* what a recorder takes for the call */
  const double plain = trial(r, 0) - inside;
  p->debt_ns = 0;
  const double waited = trial(r, kTrialWait_ns) - inside - kTrialWait_ns;
  p->short_ns = plain > 0 ? (int64_t)plain : 0;
  p->tail_ns = waited > 0 ? (int64_t)waited : 0;
  p->debt_ns = 0;
  p->debt_most_ns = 0;
  p->late_calls = 0;
  r->stream.wanted_bytes = r->stream.bytes = 0;
}
