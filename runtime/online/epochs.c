/* Synchronisation of windows. What is waited for is the simulator's: transfers, locks, and the
 * messages by which the sides of an epoch tell each other. */
#include <stdlib.h>
#include <string.h>

#include "windows.h"

enum { kPosted = kWindowTag, kCompleted };

/* Waits for the transfers to that world rank, or to all. */
static void synchronise(enum slk_operation operation, const Window* w, int peer, int shared) {
  struct slk_online_call* call = new_call(operation, w->comm);
  call->peer = peer;
  call->tag = shared;
  ask();
}

void simulate_win_fence(MPI_Win handle) {
  const Window* w = find_window(handle);
  synchronise(SLK_OP_win_fence, w, SLK_PEER_ANY, 0);
  MPI_Barrier(w->hidden);
}

void simulate_win_lock(int kind, int target, MPI_Win handle) {
  if (target == MPI_PROC_NULL) return;
  const Window* w = find_window(handle);
  synchronise(SLK_OP_win_lock, w, world_of(w->comm, target), kind == MPI_LOCK_SHARED);
}

void simulate_win_all(enum slk_operation operation, int shared, MPI_Win handle) {
  synchronise(operation, find_window(handle), SLK_PEER_ANY, shared);
}

void simulate_win_target(enum slk_operation operation, int target, MPI_Win handle) {
  if (target == MPI_PROC_NULL) return;
  const Window* w = find_window(handle);
  synchronise(operation, w, world_of(w->comm, target), 0);
}

void simulate_win_sync(MPI_Win handle) {
  synchronise(SLK_OP_win_sync, find_window(handle), SLK_PEER_NONE, 0);
}

/* Post, start, complete, wait. */

static int* ranks_of(const Window* w, MPI_Group group, int* n) {
  const int* members = members_of_group(group, n);
  int* ranks = room("an epoch", sizeof(int) * (size_t)(*n + 1));
  for (int i = 0; i < *n; ++i) ranks[i] = rank_in(w->comm, members[i]);
  return ranks;
}

static void tell(const Window* w, int n, const int* ranks, int tag) {
  for (int i = 0; i < n; ++i) {
    MPI_Request request = start_send(SLK_OP_isend, NULL, 0, MPI_BYTE, ranks[i], tag, w->hidden);
    MPI_Request_free(&request);
  }
}

static MPI_Request* hear(const Window* w, int n, const int* ranks, int tag) {
  MPI_Request* each = room("an epoch", sizeof *each * (size_t)(n + 1));
  for (int i = 0; i < n; ++i) each[i] = start_receive(NULL, 0, MPI_BYTE, ranks[i], tag, w->hidden);
  return each;
}

void simulate_win_post(MPI_Group group, MPI_Win handle) {
  Window* w = find_window(handle);
  free(w->origins);
  w->origins = ranks_of(w, group, &w->n_origins);
  tell(w, w->n_origins, w->origins, kPosted);
  free(w->completions);
  w->completions = hear(w, w->n_origins, w->origins, kCompleted);
}

void simulate_win_start(MPI_Group group, MPI_Win handle) {
  Window* w = find_window(handle);
  free(w->targets);
  w->targets = ranks_of(w, group, &w->n_targets);
  MPI_Request* posts = hear(w, w->n_targets, w->targets, kPosted);
  MPI_Waitall(w->n_targets, posts, MPI_STATUSES_IGNORE);
  free(posts);
}

void simulate_win_complete(MPI_Win handle) {
  Window* w = find_window(handle);
  synchronise(SLK_OP_win_complete, w, SLK_PEER_ANY, 0);
  tell(w, w->n_targets, w->targets, kCompleted);
  w->n_targets = 0;
}

void simulate_win_wait(MPI_Win handle) {
  Window* w = find_window(handle);
  MPI_Waitall(w->n_origins, w->completions, MPI_STATUSES_IGNORE);
  w->n_origins = 0;
}

void simulate_win_test(MPI_Win handle, int* flag) {
  Window* w = find_window(handle);
  MPI_Testall(w->n_origins, w->completions, flag, MPI_STATUSES_IGNORE);
  if (*flag) w->n_origins = 0;
}
