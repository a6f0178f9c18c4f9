/* Groups of processes of the simulated world. Their handles are numbers of this library's own, as a
 * real group of this process could not name another; MPI_GROUP_EMPTY and MPI_GROUP_NULL are the
 * real ones. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

enum { kFirstHandle = 0x51b00000, kMost = 65536 };

typedef struct {
  int size;
  int* members; /* world ranks; null: the place is free */
} Group;

static Group groups[kMost];

#if SLK_OPENMPI
static MPI_Group handle_at(int place) {
  return (MPI_Group)(uintptr_t)(kFirstHandle + place);
}
static uintptr_t place_of_group(MPI_Group group) {
  return (uintptr_t)group - kFirstHandle;
}
#else
static MPI_Group handle_at(int place) {
  return (MPI_Group)(kFirstHandle + place);
}
static uintptr_t place_of_group(MPI_Group group) {
  return (uintptr_t)(unsigned)group - kFirstHandle;
}
#endif

static const Group* find_group(MPI_Group handle) {
  static const Group empty;
  if (handle == MPI_GROUP_EMPTY) return &empty;
  const uintptr_t place = place_of_group(handle);
  if (handle == MPI_GROUP_NULL || place >= kMost || groups[place].members == NULL) {
    refuse("a group", "its handle was not made by a function that is simulated");
  }
  return &groups[place];
}

MPI_Fint number_of_group(MPI_Group group) {
  const int real = group == MPI_GROUP_NULL || group == MPI_GROUP_EMPTY;
  return real ? PMPI_Group_c2f(group) : (MPI_Fint)(kFirstHandle + place_of_group(group));
}

MPI_Group group_of(MPI_Fint number) {
  const int64_t place = (int64_t)number - kFirstHandle;
  return place >= 0 && place < kMost ? handle_at((int)place) : PMPI_Group_f2c(number);
}

/* `members` is owned by the group from now on. */
static MPI_Group new_group(int size, int* members) {
  if (size == 0) {
    free(members);
    return MPI_GROUP_EMPTY;
  }
  static int next;
  for (int i = 0; i < kMost; ++i) {
    const int place = (next + i) % kMost;
    if (groups[place].members != NULL) continue;
    groups[place] = (Group){size, members};
    next = place + 1;
    return handle_at(place);
  }
  refuse("too many groups", "65,536 may exist at a time");
}

static int* room_for_members(int n) {
  return room("a group", sizeof(int) * (uint64_t)n);
}

static int rank_in_group(const Group* group, int world) {
  for (int r = 0; r < group->size; ++r) {
    if (group->members[r] == world) return r;
  }
  return MPI_UNDEFINED;
}

static int member(const Group* group, int rank, const char* function) {
  if (rank < 0 || rank >= group->size) refuse(function, "a rank is not one of the group");
  return group->members[rank];
}

const int* members_of_group(MPI_Group group, int* size) {
  const Group* found = find_group(group);
  *size = found->size;
  return found->members;
}

MPI_Group new_group_of(int size, const int* members) {
  int* own = room_for_members(size);
  if (size > 0) memcpy(own, members, sizeof(int) * (size_t)size);
  return new_group(size, own);
}

void simulate_comm_group(MPI_Comm handle, MPI_Group* group) {
  const Comm* comm = find_comm(handle);
  *group = new_group_of(comm->size, comm->members);
}

void simulate_comm_create_group(MPI_Comm handle, MPI_Group group, int tag, MPI_Comm* result) {
  const Group* of = find_group(group);
  *result = MPI_COMM_NULL;
  if (rank_in_group(of, world_rank()) == MPI_UNDEFINED) return;
  *result =
      make_comm_of(SLK_OP_comm_create_group, find_comm(handle), tag, of->size, of->members)->handle;
}

void simulate_group_size(MPI_Group group, int* size) {
  *size = find_group(group)->size;
}

void simulate_group_rank(MPI_Group group, int* rank) {
  *rank = rank_in_group(find_group(group), world_rank());
}

void simulate_group_translate_ranks(MPI_Group from, int n, const int* ranks, MPI_Group to,
                                    int* translated) {
  const Group* a = find_group(from);
  const Group* b = find_group(to);
  for (int i = 0; i < n; ++i) {
    translated[i] = ranks[i] == MPI_PROC_NULL
                        ? MPI_PROC_NULL
                        : rank_in_group(b, member(a, ranks[i], "MPI_Group_translate_ranks"));
  }
}

void simulate_group_compare(MPI_Group one, MPI_Group other, int* result) {
  const Group* a = find_group(one);
  const Group* b = find_group(other);
  int same = a->size == b->size, similar = same;
  for (int r = 0; r < a->size && similar; ++r) {
    same = same && a->members[r] == b->members[r];
    similar = rank_in_group(b, a->members[r]) != MPI_UNDEFINED;
  }
  *result = same ? MPI_IDENT : similar ? MPI_SIMILAR : MPI_UNEQUAL;
}

void simulate_group_incl(MPI_Group group, int n, const int* ranks, MPI_Group* result) {
  const Group* from = find_group(group);
  int* members = room_for_members(n);
  for (int i = 0; i < n; ++i) members[i] = member(from, ranks[i], "MPI_Group_incl");
  *result = new_group(n, members);
}

/* Those of `from` whose place in `kept` is `wanted`, in their order. Frees `kept`. */
static MPI_Group chosen(const Group* from, char* kept, char wanted) {
  int* members = room_for_members(from->size);
  int n = 0;
  for (int r = 0; r < from->size; ++r) {
    if (kept[r] == wanted) members[n++] = from->members[r];
  }
  free(kept);
  return new_group(n, members);
}

static char* marks(const Group* group) {
  char* of = calloc((size_t)group->size + 1, 1);
  if (of == NULL) refuse("a group", "no memory is left");
  return of;
}

void simulate_group_excl(MPI_Group group, int n, const int* ranks, MPI_Group* result) {
  const Group* from = find_group(group);
  char* left_out = marks(from);
  for (int i = 0; i < n; ++i) {
    member(from, ranks[i], "MPI_Group_excl");
    left_out[ranks[i]] = 1;
  }
  *result = chosen(from, left_out, 0);
}

/* The number of ranks that (first, last, stride) names. */
static int range_size(const int* range) {
  if (range[2] == 0) refuse("a range of ranks", "its stride is 0");
  const int n = (range[1] - range[0]) / range[2] + 1;
  return n > 0 ? n : 0;
}

void simulate_group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group* result) {
  const Group* from = find_group(group);
  int total = 0;
  for (int i = 0; i < n; ++i) total += range_size(ranges[i]);
  int* members = room_for_members(total);
  int at = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < range_size(ranges[i]); ++k) {
      members[at++] = member(from, ranges[i][0] + k * ranges[i][2], "MPI_Group_range_incl");
    }
  }
  *result = new_group(total, members);
}

void simulate_group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group* result) {
  const Group* from = find_group(group);
  char* left_out = marks(from);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < range_size(ranges[i]); ++k) {
      const int rank = ranges[i][0] + k * ranges[i][2];
      member(from, rank, "MPI_Group_range_excl");
      left_out[rank] = 1;
    }
  }
  *result = chosen(from, left_out, 0);
}

void simulate_group_union(MPI_Group one, MPI_Group other, MPI_Group* result) {
  const Group* a = find_group(one);
  const Group* b = find_group(other);
  int* members = room_for_members(a->size + b->size);
  int n = a->size;
  if (n > 0) memcpy(members, a->members, sizeof(int) * (size_t)n);
  for (int r = 0; r < b->size; ++r) {
    if (rank_in_group(a, b->members[r]) == MPI_UNDEFINED) members[n++] = b->members[r];
  }
  *result = new_group(n, members);
}

/* Members of the first that are, or are not, members of the other. */
void simulate_group_restrict(int both, MPI_Group one, MPI_Group other, MPI_Group* result) {
  const Group* a = find_group(one);
  const Group* b = find_group(other);
  char* in_both = marks(a);
  for (int r = 0; r < a->size; ++r) in_both[r] = rank_in_group(b, a->members[r]) != MPI_UNDEFINED;
  *result = chosen(a, in_both, (char)both);
}

void simulate_group_free(MPI_Group* group) {
  if (*group != MPI_GROUP_EMPTY) {
    find_group(*group);
    Group* gone = &groups[place_of_group(*group)];
    free(gone->members);
    *gone = (Group){0, NULL};
  }
  *group = MPI_GROUP_NULL;
}

void simulate_comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* result) {
  const Group* of = find_group(group);
  const int rank = rank_in_group(of, world_rank());
  /* Groups without a common member make a communicator each; between two groups there is one. */
  const int named = find_comm(comm)->is_inter ? 0 : (of->size > 0 ? of->members[0] : 0);
  const int color = rank == MPI_UNDEFINED ? -1 : named;
  split_comm(SLK_OP_comm_create, comm, color, rank, result);
}
