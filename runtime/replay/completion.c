#include "replay.h"

/* The trace tells which requests a call completed, and not which others it was given; it is given
 * those here. A successful test polls until it succeeds. */

static void list(struct replay* r, const struct shape* s) {
  for (uint32_t i = 0; i < s->n_args; ++i) r->listed[i] = r->requests[s->args[i]];
}

static void store(struct replay* r, const struct shape* s) {
  for (uint32_t i = 0; i < s->n_args; ++i) r->requests[s->args[i]] = r->listed[i];
}

/* Persistent requests stay where they are when they are complete. */
static int is_open(MPI_Request request) {
  int done = 1;
  if (request != MPI_REQUEST_NULL) {
    PMPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  }
  return !done;
}

/* Waits for, or finds complete, what is given, some of it at a time. */
static void some(struct replay* r, const struct shape* s) {
  int64_t due = now_ns();
  uint32_t left = s->n_args;
  list(r, s);
  do {
    int done = 0;
    if (s->op == SLK_OP_waitsome) {
      MPI_Waitsome((int)s->n_args, r->listed, &done, r->indices, r->statuses);
    } else {
      MPI_Testsome((int)s->n_args, r->listed, &done, r->indices, r->statuses);
    }
    if (done == MPI_UNDEFINED) break;
    left -= (uint32_t)done;
    if (left > 0 && done == 0) {
      due += r->period_ns;
      spin_until(r, due);
    }
  } while (left > 0);
  store(r, s);
}

/* One poll; the number of requests is 0 or 1 but for testall and testsome. */
static int test(struct replay* r, int op, int n, MPI_Request* requests) {
  int flag = 0;
  int index;
  switch (op) {
    case SLK_OP_test:
      MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
      return flag;
    case SLK_OP_testany:
      MPI_Testany(n, requests, &index, &flag, MPI_STATUS_IGNORE);
      return flag;
    case SLK_OP_testsome:
      MPI_Testsome(n, requests, &flag, r->indices, r->statuses);
      return flag != 0;
    default:
      MPI_Testall(n, requests, &flag, MPI_STATUSES_IGNORE);
      return flag;
  }
}

/* Polls that found nothing, as often as in the trace: of a request that nothing completes. */
static void failing(struct replay* r, const struct shape* s) {
  int64_t due = now_ns();
  for (uint64_t i = 0; i < r->polls; ++i) {
    test(r, s->op, 1, &r->never);
    due += r->period_ns;
    spin_until(r, due);
  }
}

static void poll(struct replay* r, const struct shape* s, int n, MPI_Request* requests) {
  int64_t due = now_ns();
  while (!test(r, s->op, n, requests)) {
    due += r->period_ns;
    spin_until(r, due);
  }
}

static void free_request(struct replay* r, const struct shape* s) {
  if (r->requests[s->request] != MPI_REQUEST_NULL) MPI_Request_free(&r->requests[s->request]);
}

static void cancel(struct replay* r, const struct shape* s) {
  if (is_open(r->requests[s->request])) MPI_Cancel(&r->requests[s->request]);
}

int completion(struct replay* r, const struct shape* s) {
  int index;
  int flag;
  MPI_Request* const one = &r->requests[s->request];
  const int n = s->request != 0 ? 1 : 0;
  if ((s->flags & SLK_REPLAY_FAILED) != 0) {
    failing(r, s);
    return 1;
  }
  switch (s->op) {
    case SLK_OP_wait:
      MPI_Wait(one, MPI_STATUS_IGNORE);
      return 1;
    case SLK_OP_waitany:
      MPI_Waitany(n, one, &index, MPI_STATUS_IGNORE);
      return 1;
    case SLK_OP_waitall:
      list(r, s);
      MPI_Waitall((int)s->n_args, r->listed, MPI_STATUSES_IGNORE);
      store(r, s);
      return 1;
    case SLK_OP_waitsome:
    case SLK_OP_testsome:
      some(r, s);
      return 1;
    case SLK_OP_test:
    case SLK_OP_testany:
      poll(r, s, n, one);
      return 1;
    case SLK_OP_testall:
      list(r, s);
      poll(r, s, (int)s->n_args, r->listed);
      store(r, s);
      return 1;
    case SLK_OP_request_free:
      free_request(r, s);
      return 1;
    case SLK_OP_cancel:
      cancel(r, s);
      return 1;
    case SLK_OP_request_get_status:
      MPI_Request_get_status(r->never, &flag, MPI_STATUS_IGNORE);
      return 1;
    default:
      return 0;
  }
}
