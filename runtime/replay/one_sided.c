#include "replay.h"

/* Calls at windows. A recording tells neither the sizes of windows nor what lies where in them, and
 * no assertions and operations: all transfers go to the begin of a window that has room for the
 * largest one, and add. */

static MPI_Comm comm_of(const struct replay* r, const struct shape* s) {
  return r->comms[s->comm];
}

static struct window* window_of(struct replay* r, const struct shape* s) {
  return &r->windows[s->args[0]];
}

/* Whether all members are on one host, as they were in the run. */
static int share_memory(const struct replay* r, MPI_Comm comm) {
  MPI_Comm host;
  int near = 0;
  int all = 0;
  if (r->one_host) return 1;
  PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  PMPI_Comm_size(host, &near);
  PMPI_Comm_size(comm, &all);
  PMPI_Comm_free(&host);
  int fewest = near;
  PMPI_Allreduce(&near, &fewest, 1, MPI_INT, MPI_MIN, comm);
  return fewest == all;
}

/* Which memory a program attaches, and when, is not recorded: here it is there from the begin. */
static void make_dynamic(struct replay* r, struct window* w, MPI_Aint bytes, MPI_Comm comm) {
  MPI_Aint own;
  int ranks;
  MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &w->win);
  PMPI_Win_attach(w->win, r->exposed, bytes > 0 ? bytes : 1);
  PMPI_Comm_size(comm, &ranks);
  PMPI_Get_address(r->exposed, &own);
  w->at = allocate((size_t)ranks, sizeof *w->at);
  PMPI_Allgather(&own, 1, MPI_AINT, w->at, 1, MPI_AINT, comm);
}

static int make_window(struct replay* r, const struct shape* s) {
  void* memory;
  const MPI_Comm comm = comm_of(r, s);
  if (s->op < SLK_OP_win_create || s->op > SLK_OP_win_create_dynamic) return 0;
  struct window* const w = window_of(r, s);
  const MPI_Aint bytes = (MPI_Aint)s->args[1];
  switch (s->op) {
    case SLK_OP_win_create:
      MPI_Win_create(r->exposed, bytes, 1, MPI_INFO_NULL, comm, &w->win);
      return 1;
    case SLK_OP_win_create_dynamic:
      make_dynamic(r, w, bytes, comm);
      return 1;
    default:
      if (s->op == SLK_OP_win_allocate_shared && share_memory(r, comm)) {
        MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, comm, &memory, &w->win);
      } else {
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &memory, &w->win);
      }
      return 1;
  }
}

static void free_window(struct replay* r, struct window* w) {
  if (w->at != NULL) PMPI_Win_detach(w->win, r->exposed);
  MPI_Win_free(&w->win);
  free(w->at);
  w->at = NULL;
}

static MPI_Group group_of(MPI_Win win, const struct shape* s) {
  MPI_Group all;
  MPI_Group group;
  const int n = (int)s->n_args - 1;
  int* ranks = allocate((size_t)n, sizeof *ranks);
  for (int i = 0; i < n; ++i) ranks[i] = (int)s->args[i + 1];
  PMPI_Win_get_group(win, &all);
  PMPI_Group_incl(all, n, ranks, &group);
  PMPI_Group_free(&all);
  free(ranks);
  return group;
}

static void open_epoch(MPI_Win win, const struct shape* s) {
  MPI_Group group = group_of(win, s);
  if (s->op == SLK_OP_win_post) {
    MPI_Win_post(group, 0, win);
  } else {
    MPI_Win_start(group, 0, win);
  }
  PMPI_Group_free(&group);
}

/* Polls until the epoch is over, at the pace of the trace. */
static void test(struct replay* r, MPI_Win win) {
  int64_t due = now_ns();
  int flag = 0;
  for (;;) {
    MPI_Win_test(win, &flag);
    if (flag) return;
    due += r->period_ns;
    spin_until(r, due);
  }
}

static int active(struct replay* r, const struct shape* s) {
  struct window* const w = window_of(r, s);
  switch (s->op) {
    case SLK_OP_win_free:
      free_window(r, w);
      return 1;
    case SLK_OP_win_fence:
      MPI_Win_fence(0, w->win);
      return 1;
    case SLK_OP_win_post:
    case SLK_OP_win_start:
      open_epoch(w->win, s);
      return 1;
    case SLK_OP_win_complete:
      MPI_Win_complete(w->win);
      return 1;
    case SLK_OP_win_wait:
      MPI_Win_wait(w->win);
      return 1;
    case SLK_OP_win_test:
      test(r, w->win);
      return 1;
    default:
      return 0;
  }
}

static int target_of(const struct shape* s) {
  return s->peer < 0 ? MPI_PROC_NULL : s->peer;
}

static int passive(struct replay* r, const struct shape* s) {
  const MPI_Win win = window_of(r, s)->win;
  switch (s->op) {
    case SLK_OP_win_lock:
      MPI_Win_lock(s->tag == 1 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target_of(s), 0, win);
      return 1;
    case SLK_OP_win_unlock:
      MPI_Win_unlock(target_of(s), win);
      return 1;
    case SLK_OP_win_lock_all:
      MPI_Win_lock_all(0, win);
      return 1;
    case SLK_OP_win_unlock_all:
      MPI_Win_unlock_all(win);
      return 1;
    case SLK_OP_win_flush:
      MPI_Win_flush(target_of(s), win);
      return 1;
    case SLK_OP_win_flush_all:
      MPI_Win_flush_all(win);
      return 1;
    case SLK_OP_win_flush_local:
      MPI_Win_flush_local(target_of(s), win);
      return 1;
    case SLK_OP_win_flush_local_all:
      MPI_Win_flush_local_all(win);
      return 1;
    case SLK_OP_win_sync:
      MPI_Win_sync(win);
      return 1;
    default:
      return 0;
  }
}

/* Where a transfer goes, and how much of what. */
struct transfer {
  MPI_Win win;
  int target;
  MPI_Aint at;
  int n;
  MPI_Datatype type; /* one that can be added */
};

static MPI_Datatype type_of(uint64_t bytes) {
  if (bytes % sizeof(double) == 0) return MPI_DOUBLE;
  return bytes % sizeof(int) == 0 ? MPI_INT : MPI_SIGNED_CHAR;
}

/* replay/window_plan.cc refuses other sizes. */
static MPI_Datatype element_of(uint64_t bytes) {
  switch (bytes) {
    case 1:
      return MPI_SIGNED_CHAR;
    case 2:
      return MPI_SHORT;
    case 4:
      return MPI_INT;
    case 8:
      return MPI_LONG_LONG;
    default:
      return MPI_C_DOUBLE_COMPLEX;
  }
}

static struct transfer transfer_of(struct replay* r, const struct shape* s) {
  const struct window* w = window_of(r, s);
  struct transfer t = {.win = w->win, .target = target_of(s), .type = type_of(s->bytes)};
  int size;
  PMPI_Type_size(t.type, &size);
  t.n = (int)s->bytes / size;
  if (w->at != NULL && s->peer >= 0) t.at = w->at[s->peer];
  return t;
}

static int move(struct replay* r, const struct shape* s) {
  const struct transfer t = transfer_of(r, s);
  const int bytes = (int)s->bytes;
  switch (s->op) {
    case SLK_OP_put:
      MPI_Put(r->send, bytes, MPI_BYTE, t.target, t.at, bytes, MPI_BYTE, t.win);
      return 1;
    case SLK_OP_get:
      MPI_Get(r->receive, bytes, MPI_BYTE, t.target, t.at, bytes, MPI_BYTE, t.win);
      return 1;
    case SLK_OP_accumulate:
      MPI_Accumulate(r->send, t.n, t.type, t.target, t.at, t.n, t.type, MPI_SUM, t.win);
      return 1;
    case SLK_OP_get_accumulate:
      MPI_Get_accumulate(r->send, t.n, t.type, r->receive, t.n, t.type, t.target, t.at, t.n, t.type,
                         MPI_SUM, t.win);
      return 1;
    case SLK_OP_fetch_and_op:
      MPI_Fetch_and_op(r->send, r->receive, element_of(s->bytes), t.target, t.at, MPI_SUM, t.win);
      return 1;
    case SLK_OP_compare_and_swap:
      MPI_Compare_and_swap(r->send, r->send, r->receive, element_of(s->bytes), t.target, t.at,
                           t.win);
      return 1;
    default:
      return 0;
  }
}

static int start_move(struct replay* r, const struct shape* s) {
  const struct transfer t = transfer_of(r, s);
  const int bytes = (int)s->bytes;
  MPI_Request* const request = &r->requests[s->request];
  switch (s->op) {
    case SLK_OP_rput:
      MPI_Rput(r->send, bytes, MPI_BYTE, t.target, t.at, bytes, MPI_BYTE, t.win, request);
      return 1;
    case SLK_OP_rget:
      MPI_Rget(r->receive, bytes, MPI_BYTE, t.target, t.at, bytes, MPI_BYTE, t.win, request);
      return 1;
    case SLK_OP_raccumulate:
      MPI_Raccumulate(r->send, t.n, t.type, t.target, t.at, t.n, t.type, MPI_SUM, t.win, request);
      return 1;
    case SLK_OP_rget_accumulate:
      MPI_Rget_accumulate(r->send, t.n, t.type, r->receive, t.n, t.type, t.target, t.at, t.n,
                          t.type, MPI_SUM, t.win, request);
      return 1;
    default:
      return 0;
  }
}

int one_sided(struct replay* r, const struct shape* s) {
  return make_window(r, s) || active(r, s) || passive(r, s) || move(r, s) || start_move(r, s);
}
