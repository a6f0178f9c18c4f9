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

void make_window(struct replay* r, const struct shape* s) {
  void* memory;
  const MPI_Comm comm = comm_of(r, s);
  struct window* const w = window_of(r, s);
  const MPI_Aint bytes = (MPI_Aint)s->args[1];
  switch (s->op) {
    case SLK_OP_win_create:
      MPI_Win_create(r->exposed, bytes, 1, MPI_INFO_NULL, comm, &w->win);
      return;
    case SLK_OP_win_create_dynamic:
      make_dynamic(r, w, bytes, comm);
      return;
    default:
      if (s->op == SLK_OP_win_allocate_shared && share_memory(r, comm)) {
        MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, comm, &memory, &w->win);
      } else {
        MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, comm, &memory, &w->win);
      }
      return;
  }
}

void free_window(struct replay* r, const struct shape* s) {
  struct window* const w = window_of(r, s);
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

static int target_of(const struct shape* s) {
  return s->peer < 0 ? MPI_PROC_NULL : s->peer;
}

static struct arguments arguments_of(struct replay* r, const struct shape* s) {
  return (struct arguments){.w = window_of(r, s)->win,
                            .target = target_of(s),
                            .kind = s->tag == 1 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE};
}

void at_window(struct replay* r, const struct shape* s) {
  const struct arguments a = arguments_of(r, s);
  call(s->op, &a);
}

void open_epoch(struct replay* r, const struct shape* s) {
  struct arguments a = arguments_of(r, s);
  a.group = group_of(a.w, s);
  call(s->op, &a);
  PMPI_Group_free(&a.group);
}

/* Polls until the epoch is over, at the pace of the trace. */
void test_window(struct replay* r, const struct shape* s) {
  int64_t due = now_ns();
  int flag = 0;
  for (;;) {
    MPI_Win_test(window_of(r, s)->win, &flag);
    if (flag) return;
    due += r->period_ns;
    spin_until(r, due);
  }
}

/* One that can be added. */
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

static void move(struct replay* r, const struct shape* s, MPI_Datatype type) {
  const struct window* w = window_of(r, s);
  int size;
  PMPI_Type_size(type, &size);
  struct arguments a = arguments_of(r, s);
  a.disp = w->at != NULL && s->peer >= 0 ? w->at[s->peer] : 0;
  a.sbuf = a.compare = r->send;
  a.rbuf = r->receive;
  a.sn = a.rn = a.tn = (int)s->bytes / size;
  a.stype = a.rtype = a.ttype = type;
  a.op = MPI_SUM;
  a.r = &r->requests[s->request];
  call(s->op, &a);
}

void transfer(struct replay* r, const struct shape* s) {
  move(r, s, MPI_BYTE);
}

void accumulate(struct replay* r, const struct shape* s) {
  move(r, s, type_of(s->bytes));
}

void atomic(struct replay* r, const struct shape* s) {
  move(r, s, element_of(s->bytes));
}
