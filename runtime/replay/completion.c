#include "replay.h"

/* The trace tells which requests a call completed, and not which others it was given; it is given
 * those here. A successful test polls until it succeeds. */

static void list(struct replay* r, const struct shape* s) {
  for (uint32_t i = 0; i < s->n_args; ++i) r->listed[i] = r->requests[s->args[i]];
}

static void store(struct replay* r, const struct shape* s) {
  for (uint32_t i = 0; i < s->n_args; ++i) r->requests[s->args[i]] = r->listed[i];
}

void start(struct replay* r, const struct shape* s) {
  list(r, s);
  const struct arguments a = {.n = (int)s->n_args, .r = r->listed};
  call(s->op, &a);
  store(r, s);
}

/* Persistent requests stay where they are when they are complete. */
static int is_open(MPI_Request request) {
  int done = 1;
  if (request != MPI_REQUEST_NULL) {
    PMPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  }
  return !done;
}

static int is_some(int op) {
  return op == SLK_OP_waitsome || op == SLK_OP_testsome;
}
static int is_listed(int op) {
  return is_some(op) || op == SLK_OP_waitall || op == SLK_OP_testall;
}
static int is_wait(int op) {
  return op == SLK_OP_wait || op == SLK_OP_waitany || op == SLK_OP_waitall;
}

/* One call. What a test says, or how many requests of some are complete. */
static int once(struct replay* r, uint8_t op, int n, MPI_Request* requests) {
  int done = 0;
  MPI_Status* const ignored = is_listed(op) ? MPI_STATUSES_IGNORE : MPI_STATUS_IGNORE;
  const struct arguments a = {.n = n,
                              .r = requests,
                              .f = &done,
                              .out = &done,
                              .i = r->indices,
                              .st = is_some(op) ? r->statuses : ignored};
  call(op, &a);
  return done;
}

/* Polls that found nothing, as often as in the trace: of a request that nothing completes. */
static void failing(struct replay* r, const struct shape* s) {
  int64_t due = now_ns();
  for (uint64_t i = 0; i < r->polls; ++i) {
    once(r, s->op, 1, &r->never);
    due += r->period_ns;
    spin_until(r, due);
  }
}

static void finish(struct replay* r, const struct shape* s, int n, MPI_Request* requests) {
  int64_t due = now_ns();
  for (int left = n;;) {
    const int done = once(r, s->op, n, requests);
    if (is_wait(s->op) || done == MPI_UNDEFINED) return;
    left -= done;
    if (is_some(s->op) ? left <= 0 : done != 0) return;
    if (done != 0) continue;
    due += r->period_ns;
    spin_until(r, due);
  }
}

void complete(struct replay* r, const struct shape* s) {
  if ((s->flags & SLK_REPLAY_FAILED) != 0) {
    failing(r, s);
  } else if (is_listed(s->op)) {
    list(r, s);
    finish(r, s, (int)s->n_args, r->listed);
    store(r, s);
  } else {
    finish(r, s, s->request != 0 ? 1 : 0, &r->requests[s->request]);
  }
}

void free_request(struct replay* r, const struct shape* s) {
  if (r->requests[s->request] != MPI_REQUEST_NULL) MPI_Request_free(&r->requests[s->request]);
}

void cancel(struct replay* r, const struct shape* s) {
  if (is_open(r->requests[s->request])) MPI_Cancel(&r->requests[s->request]);
}

void request_status(struct replay* r, const struct shape* s) {
  int flag;
  const struct arguments a = {.request = r->never, .f = &flag, .st = MPI_STATUS_IGNORE};
  call(s->op, &a);
}
