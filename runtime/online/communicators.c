/* Communicators of the simulated world. Their handles are real ones of this process alone, so that
 * attributes, names and error handlers go on working; who takes part is the simulator's. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

static Comm* first;

static Comm* add(MPI_Comm handle, uint32_t id, int size, const int64_t* members) {
  Comm* comm = calloc(1, sizeof *comm);
  int* of = malloc(sizeof(int) * ((size_t)size + (size_t)world_size()));
  if (comm == NULL || of == NULL) refuse("a communicator", "no memory is left");
  comm->handle = handle;
  comm->id = id;
  comm->size = size;
  comm->members = of;
  comm->rank_of = of + size;
  comm->dimensions = -1;
  for (int r = 0; r < world_size(); ++r) comm->rank_of[r] = -1;
  for (int r = 0; r < size; ++r) {
    comm->members[r] = members == NULL ? (size == 1 ? world_rank() : r) : (int)members[r];
    comm->rank_of[comm->members[r]] = r;
  }
  comm->rank = comm->rank_of[world_rank()];
  comm->next = first;
  first = comm;
  return comm;
}

Comm* find_comm(MPI_Comm handle) {
  if (first == NULL) {
    add(MPI_COMM_SELF, SLK_COMM_SELF, 1, NULL);
    add(MPI_COMM_WORLD, SLK_COMM_WORLD, world_size(), NULL);
  }
  for (Comm* c = first; c != NULL; c = c->next) {
    if (c->handle == handle) return c;
  }
  refuse("a communicator", "its handle was not made by a function that is simulated");
}

int rank_in(const Comm* comm, int world) {
  return world < 0 ? world : comm->rank_of[world];
}

int world_of(const Comm* comm, int rank) {
  if (rank == MPI_PROC_NULL) return SLK_PEER_NULL;
  if (rank == MPI_ANY_SOURCE) return SLK_PEER_ANY;
  if (rank < 0 || rank >= comm->size) refuse("a peer", "its rank is not one of the communicator");
  return comm->members[rank];
}

/* The communicator that all members of `parent` with the same color get; null for MPI_UNDEFINED. */
static Comm* make(enum slk_operation operation, const Comm* parent, int color, int key) {
  struct slk_online_call* call = new_call(operation, parent);
  call->color = color;
  call->key = key;
  call->bytes = 8;
  const struct slk_online_answer* answer = ask();
  if (answer->comm == SLK_COMM_NULL) return NULL;
  MPI_Comm handle;
  PMPI_Comm_dup(MPI_COMM_SELF, &handle);
  return add(handle, answer->comm, (int)answer->count, lists());
}

static int* copied(const int* values, int n) {
  int* copy = malloc(sizeof(int) * (size_t)(n > 0 ? n : 1));
  if (copy == NULL) refuse("a communicator", "no memory is left");
  memcpy(copy, values, sizeof(int) * (size_t)n);
  return copy;
}

static void set_grid(Comm* comm, int n, const int* extents, const int* periodic) {
  comm->dimensions = n;
  comm->extents = copied(extents, n);
  comm->periodic = copied(periodic, n);
}

EXPORT int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  if (!simulated()) return PMPI_Comm_rank(comm, rank);
  *rank = find_comm(comm)->rank;
  return MPI_SUCCESS;
}

EXPORT int MPI_Comm_size(MPI_Comm comm, int* size) {
  if (!simulated()) return PMPI_Comm_size(comm, size);
  *size = find_comm(comm)->size;
  return MPI_SUCCESS;
}

EXPORT int MPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  if (!simulated()) return PMPI_Comm_test_inter(comm, flag);
  *flag = 0;
  return MPI_SUCCESS;
}

EXPORT int MPI_Comm_compare(MPI_Comm a, MPI_Comm b, int* result) {
  if (!simulated()) return PMPI_Comm_compare(a, b, result);
  const Comm* x = find_comm(a);
  const Comm* y = find_comm(b);
  int same = x->size == y->size;
  int similar = same;
  for (int r = 0; r < x->size && similar; ++r) {
    same = same && x->members[r] == y->members[r];
    similar = y->rank_of[x->members[r]] >= 0;
  }
  *result = x == y ? MPI_IDENT : same ? MPI_CONGRUENT : similar ? MPI_SIMILAR : MPI_UNEQUAL;
  return MPI_SUCCESS;
}

/* A duplicate has the attributes of the original. */
static int duplicate(enum slk_operation operation, MPI_Comm comm, MPI_Comm* result) {
  enter_call();
  const Comm* parent = find_comm(comm);
  Comm* new_comm = make(operation, parent, 0, parent->rank);
  PMPI_Comm_free(&new_comm->handle);
  const int status = PMPI_Comm_dup(parent->handle, &new_comm->handle);
  if (parent->dimensions >= 0)
    set_grid(new_comm, parent->dimensions, parent->extents, parent->periodic);
  *result = new_comm->handle;
  leave_call();
  return status;
}

EXPORT int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* result) {
  return simulated() ? duplicate(SLK_OP_comm_dup, comm, result) : PMPI_Comm_dup(comm, result);
}

EXPORT int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* result) {
  if (!simulated()) return PMPI_Comm_dup_with_info(comm, info, result);
  return duplicate(SLK_OP_comm_dup_with_info, comm, result);
}

int split_comm(enum slk_operation operation, MPI_Comm comm, int color, int key, MPI_Comm* result) {
  enter_call();
  const Comm* made_comm = make(operation, find_comm(comm), color, key);
  *result = made_comm == NULL ? MPI_COMM_NULL : made_comm->handle;
  leave_call();
  return MPI_SUCCESS;
}

EXPORT int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* result) {
  if (!simulated()) return PMPI_Comm_split(comm, color, key, result);
  if (color < 0 && color != MPI_UNDEFINED) refuse("MPI_Comm_split", "its color is negative");
  return split_comm(SLK_OP_comm_split, comm, color == MPI_UNDEFINED ? -1 : color, key, result);
}

/* Ranks that share memory are those of one simulated host, which the simulator knows. */
EXPORT int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result) {
  if (!simulated()) return PMPI_Comm_split_type(comm, type, key, info, result);
  if (type != MPI_COMM_TYPE_SHARED && type != MPI_UNDEFINED)
    refuse("MPI_Comm_split_type", "only MPI_COMM_TYPE_SHARED is simulated");
  return split_comm(SLK_OP_comm_split_type, comm, type == MPI_UNDEFINED ? -1 : 0, key, result);
}

EXPORT int MPI_Comm_free(MPI_Comm* comm) {
  if (!simulated()) return PMPI_Comm_free(comm);
  Comm* gone = find_comm(*comm);
  for (Comm** c = &first; *c != NULL; c = &(*c)->next) {
    if (*c != gone) continue;
    *c = gone->next;
    break;
  }
  const int status = PMPI_Comm_free(comm);
  /* It stays where it is, as requests that are not complete may still name it. */
  return status;
}

EXPORT int MPI_Comm_disconnect(MPI_Comm* comm) {
  return MPI_Comm_free(comm);
}

/* Cartesian topologies: ranks stand in row-major order, and are never reordered. */

EXPORT int MPI_Cart_create(MPI_Comm comm, int n, const int* extents, const int* periodic,
                           int reorder, MPI_Comm* result) {
  if (!simulated()) return PMPI_Cart_create(comm, n, extents, periodic, reorder, result);
  enter_call();
  const Comm* parent = find_comm(comm);
  int cells = 1;
  for (int i = 0; i < n; ++i) cells *= extents[i];
  if (cells > parent->size) refuse("MPI_Cart_create", "the grid is larger than the communicator");
  Comm* grid = make(SLK_OP_cart_create, parent, parent->rank < cells ? 0 : -1, parent->rank);
  if (grid != NULL) set_grid(grid, n, extents, periodic);
  *result = grid == NULL ? MPI_COMM_NULL : grid->handle;
  leave_call();
  return MPI_SUCCESS;
}

static void coordinates(const Comm* grid, int rank, int* of) {
  for (int i = grid->dimensions - 1; i >= 0; --i) {
    of[i] = rank % grid->extents[i];
    rank /= grid->extents[i];
  }
}

/* MPI_PROC_NULL outside of a dimension that is not periodic. */
static int rank_at(const Comm* grid, const int* of) {
  int rank = 0;
  for (int i = 0; i < grid->dimensions; ++i) {
    int at = of[i];
    if (grid->periodic[i]) at = (at % grid->extents[i] + grid->extents[i]) % grid->extents[i];
    if (at < 0 || at >= grid->extents[i]) return MPI_PROC_NULL;
    rank = rank * grid->extents[i] + at;
  }
  return rank;
}

static Comm* find_grid(MPI_Comm handle, const char* function) {
  Comm* grid = find_comm(handle);
  if (grid->dimensions < 0) refuse(function, "the communicator has no Cartesian topology");
  return grid;
}

EXPORT int MPI_Cart_coords(MPI_Comm comm, int rank, int n, int* of) {
  if (!simulated()) return PMPI_Cart_coords(comm, rank, n, of);
  const Comm* grid = find_grid(comm, "MPI_Cart_coords");
  if (n < grid->dimensions) refuse("MPI_Cart_coords", "there is no room for all coordinates");
  coordinates(grid, rank, of);
  return MPI_SUCCESS;
}

EXPORT int MPI_Cart_rank(MPI_Comm comm, const int* of, int* rank) {
  if (!simulated()) return PMPI_Cart_rank(comm, of, rank);
  *rank = rank_at(find_grid(comm, "MPI_Cart_rank"), of);
  return MPI_SUCCESS;
}

EXPORT int MPI_Cart_shift(MPI_Comm comm, int direction, int by, int* source, int* destination) {
  if (!simulated()) return PMPI_Cart_shift(comm, direction, by, source, destination);
  const Comm* grid = find_grid(comm, "MPI_Cart_shift");
  int* of = malloc(sizeof(int) * (size_t)(grid->dimensions + 1));
  if (of == NULL) refuse("MPI_Cart_shift", "no memory is left");
  coordinates(grid, grid->rank, of);
  of[direction] += by;
  *destination = rank_at(grid, of);
  of[direction] -= 2 * by;
  *source = rank_at(grid, of);
  free(of);
  return MPI_SUCCESS;
}

EXPORT int MPI_Cartdim_get(MPI_Comm comm, int* n) {
  if (!simulated()) return PMPI_Cartdim_get(comm, n);
  *n = find_grid(comm, "MPI_Cartdim_get")->dimensions;
  return MPI_SUCCESS;
}

EXPORT int MPI_Cart_get(MPI_Comm comm, int n, int* extents, int* periodic, int* of) {
  if (!simulated()) return PMPI_Cart_get(comm, n, extents, periodic, of);
  const Comm* grid = find_grid(comm, "MPI_Cart_get");
  for (int i = 0; i < grid->dimensions && i < n; ++i) {
    extents[i] = grid->extents[i];
    periodic[i] = grid->periodic[i];
  }
  if (n >= grid->dimensions) coordinates(grid, grid->rank, of);
  return MPI_SUCCESS;
}

EXPORT int MPI_Topo_test(MPI_Comm comm, int* status) {
  if (!simulated()) return PMPI_Topo_test(comm, status);
  *status = find_comm(comm)->dimensions >= 0 ? MPI_CART : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

EXPORT int MPI_Cart_sub(MPI_Comm comm, const int* kept, MPI_Comm* result) {
  if (!simulated()) return PMPI_Cart_sub(comm, kept, result);
  enter_call();
  const Comm* grid = find_grid(comm, "MPI_Cart_sub");
  const int n = grid->dimensions;
  int* of = malloc(sizeof(int) * (size_t)(3 * n + 1));
  if (of == NULL) refuse("MPI_Cart_sub", "no memory is left");
  int* extents = of + n;
  int* periodic = extents + n;
  coordinates(grid, grid->rank, of);
  int color = 0, key = 0, left = 0;
  for (int i = 0; i < n; ++i) {
    if (!kept[i]) {
      color = color * grid->extents[i] + of[i];
      continue;
    }
    key = key * grid->extents[i] + of[i];
    extents[left] = grid->extents[i];
    periodic[left++] = grid->periodic[i];
  }
  Comm* sub = make(SLK_OP_cart_sub, grid, color, key);
  set_grid(sub, left, extents, periodic);
  free(of);
  *result = sub->handle;
  leave_call();
  return MPI_SUCCESS;
}
