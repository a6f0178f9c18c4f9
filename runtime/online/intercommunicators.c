/* Intercommunicators. Both groups together are one communicator of the simulator, the first group
 * first; its two views here are the program's handle, which knows the groups, and `both`, which is
 * an ordinary one. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

/* What every rank of the program's handle knows of the two groups of `both`. Its own local handle
 * belongs to it from now on. */
static Comm* new_inter(Comm* both, int n_first, int is_first, MPI_Comm local) {
  MPI_Comm handle;
  PMPI_Comm_dup(MPI_COMM_SELF, &handle);
  int64_t* members = room("an intercommunicator", sizeof *members * (size_t)(both->size + 1));
  for (int r = 0; r < both->size; ++r) members[r] = both->members[r];
  Comm* inter = add_comm(handle, both->id, both->size, members);
  free(members);
  const int n_second = both->size - n_first;
  inter->is_inter = 1;
  inter->is_first = is_first;
  inter->local = local;
  inter->both = both->handle;
  inter->size = is_first ? n_first : n_second;
  inter->n_peers = is_first ? n_second : n_first;
  int* all = inter->members;
  inter->members = is_first ? all : all + n_first;
  inter->peers = is_first ? all + n_first : all;
  for (int r = 0; r < world_size(); ++r) inter->rank_of[r] = -1;
  for (int r = 0; r < inter->n_peers; ++r) inter->rank_of[inter->peers[r]] = r;
  inter->rank = -1;
  for (int r = 0; r < inter->size; ++r) {
    if (inter->members[r] == world_rank()) inter->rank = r;
  }
  return inter;
}

/* The groups have no communicator in common but that of the world. */
static Comm* make_inter(int tag, int n_own, const int* own, int n_other, const int* other,
                        int is_first, MPI_Comm local) {
  int* all = room("an intercommunicator", sizeof(int) * (uint64_t)(n_own + n_other));
  const int n_first = is_first ? n_own : n_other;
  memcpy(all, is_first ? own : other, sizeof(int) * (size_t)n_first);
  memcpy(all + n_first, is_first ? other : own, sizeof(int) * (size_t)(n_own + n_other - n_first));
  Comm* both =
      make_comm_of(SLK_OP_intercomm_create, find_comm(MPI_COMM_WORLD), tag, n_own + n_other, all);
  free(all);
  return new_inter(both, n_first, is_first, local);
}

/* The leaders tell each other who is in their groups, and then their groups. */
void simulate_intercomm_create(MPI_Comm local, int leader, MPI_Comm peers, int remote_leader,
                               int tag, MPI_Comm* result) {
  const Comm* own = find_comm(local);
  int n_other = 0, n_own = own->size;
  int* other = NULL;
  if (own->rank == leader) {
    const int own_tag = kInterTag + 16 + tag % 0x100000;
    MPI_Sendrecv(&n_own, 1, MPI_INT, remote_leader, own_tag, &n_other, 1, MPI_INT, remote_leader,
                 own_tag, peers, MPI_STATUS_IGNORE);
    other = room("an intercommunicator", sizeof(int) * (uint64_t)n_other);
    MPI_Sendrecv(own->members, n_own, MPI_INT, remote_leader, own_tag, other, n_other, MPI_INT,
                 remote_leader, own_tag, peers, MPI_STATUS_IGNORE);
  }
  MPI_Bcast(&n_other, 1, MPI_INT, leader, local);
  if (other == NULL) other = room("an intercommunicator", sizeof(int) * (uint64_t)n_other);
  MPI_Bcast(other, n_other, MPI_INT, leader, local);
  MPI_Comm hidden;
  MPI_Comm_dup(local, &hidden);
  const int is_first = own->members[0] < other[0];
  *result = make_inter(tag, n_own, own->members, n_other, other, is_first, hidden)->handle;
  free(other);
}

Comm* duplicate_inter(const Comm* inter) {
  MPI_Comm local;
  MPI_Comm_dup(inter->local, &local);
  return make_inter(kInterTag, inter->size, inter->members, inter->n_peers, inter->peers,
                    inter->is_first, local);
}

typedef struct {
  int color, key, world, is_first;
} Choice;

static int in_order(const void* a, const void* b) {
  const Choice *x = a, *y = b;
  return x->key != y->key ? (x->key < y->key ? -1 : 1) : 0;
}

/* Those of a group with that color, by key; the sort must keep the order of equal keys. */
static int chosen(Choice* all, int n, int color, int is_first, int* members) {
  int found = 0;
  Choice* of = room("an intercommunicator", sizeof *of * (size_t)(n + 1));
  for (int r = 0; r < n; ++r) {
    if (all[r].color != color || all[r].is_first != is_first) continue;
    int at = found++;
    for (; at > 0 && in_order(&all[r], &of[at - 1]) < 0; --at) of[at] = of[at - 1];
    of[at] = all[r];
  }
  for (int i = 0; i < found; ++i) members[i] = of[i].world;
  free(of);
  return found;
}

/* All tell each other their colors. Null where one group has none of the color. */
Comm* split_inter(const Comm* inter, int color, int key) {
  const int n = inter->size + inter->n_peers, words = (int)(sizeof(Choice) / sizeof(int));
  Choice* all = room("an intercommunicator", sizeof *all * (size_t)n);
  const Choice own = {color, key, world_rank(), inter->is_first};
  MPI_Allgather(&own, words, MPI_INT, all, words, MPI_INT, inter->both);
  int *mine = room("an intercommunicator", sizeof(int) * (uint64_t)n),
      *others = room("an intercommunicator", sizeof(int) * (uint64_t)n);
  const int n_mine = color < 0 ? 0 : chosen(all, n, color, inter->is_first, mine);
  const int n_others = color < 0 ? 0 : chosen(all, n, color, !inter->is_first, others);
  const int both = n_mine > 0 && n_others > 0;
  MPI_Comm local;
  MPI_Comm_split(inter->local, both ? color : MPI_UNDEFINED, key, &local);
  Comm* made = NULL;
  if (both) {
    made = make_inter(kInterTag, n_mine, mine, n_others, others, inter->is_first, local);
  }
  free(all);
  free(mine);
  free(others);
  return made;
}

/* The group that is not `high` comes first; where both say the same, the first one. */
void simulate_intercomm_merge(MPI_Comm handle, int high, MPI_Comm* result) {
  const Comm* inter = find_comm(handle);
  const int own = high != 0, n = inter->size + inter->n_peers;
  int* all = room("an intercommunicator", sizeof(int) * (uint64_t)n);
  MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, inter->both);
  const int n_first = inter->is_first ? inter->size : inter->n_peers;
  const int swapped = all[0] != 0 && all[n_first] == 0;
  free(all);
  const int at = find_comm(inter->both)->rank;
  const Comm* made = make_comm(SLK_OP_comm_split, find_comm(inter->both), 0,
                               swapped ? (at + n - n_first) % n : at);
  *result = made->handle;
}

void simulate_comm_remote_size(MPI_Comm comm, int* size) {
  *size = find_comm(comm)->n_peers;
}

void simulate_comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  const Comm* inter = find_comm(comm);
  *group = new_group_of(inter->n_peers, inter->peers);
}
