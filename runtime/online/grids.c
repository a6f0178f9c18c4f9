/* Cartesian topologies: ranks stand in row-major order, and are never reordered. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

int* copied(const int* values, int n) {
  int* copy = room("a communicator", sizeof(int) * (size_t)(n > 0 ? n : 1));
  if (values != NULL) memcpy(copy, values, sizeof(int) * (size_t)n);
  return copy;
}

static void set_grid(Comm* comm, int n, const int* extents, const int* periodic) {
  comm->topology = MPI_CART;
  comm->dimensions = n;
  comm->extents = copied(extents, n);
  comm->periodic = copied(periodic, n);
}

void simulate_cart_create(MPI_Comm comm, int n, const int* extents, const int* periodic,
                          MPI_Comm* result) {
  const Comm* parent = find_comm(comm);
  int cells = 1;
  for (int i = 0; i < n; ++i) cells *= extents[i];
  if (cells > parent->size) refuse("MPI_Cart_create", "the grid is larger than the communicator");
  Comm* grid = make_comm(SLK_OP_cart_create, parent, parent->rank < cells ? 0 : -1, parent->rank);
  if (grid != NULL) set_grid(grid, n, extents, periodic);
  *result = grid == NULL ? MPI_COMM_NULL : grid->handle;
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
  if (grid->topology != MPI_CART) refuse(function, "the communicator has no Cartesian topology");
  return grid;
}

void simulate_cart_coords(MPI_Comm comm, int rank, int n, int* of) {
  const Comm* grid = find_grid(comm, "MPI_Cart_coords");
  if (n < grid->dimensions) refuse("MPI_Cart_coords", "there is no room for all coordinates");
  coordinates(grid, rank, of);
}

void simulate_cart_rank(MPI_Comm comm, const int* of, int* rank) {
  *rank = rank_at(find_grid(comm, "MPI_Cart_rank"), of);
}

void simulate_cart_shift(MPI_Comm comm, int direction, int by, int* source, int* destination) {
  const Comm* grid = find_grid(comm, "MPI_Cart_shift");
  int* of = room("MPI_Cart_shift", sizeof(int) * (size_t)(grid->dimensions + 1));
  coordinates(grid, grid->rank, of);
  of[direction] += by;
  *destination = rank_at(grid, of);
  of[direction] -= 2 * by;
  *source = rank_at(grid, of);
  free(of);
}

void simulate_cartdim_get(MPI_Comm comm, int* n) {
  *n = find_grid(comm, "MPI_Cartdim_get")->dimensions;
}

void simulate_cart_get(MPI_Comm comm, int n, int* extents, int* periodic, int* of) {
  const Comm* grid = find_grid(comm, "MPI_Cart_get");
  for (int i = 0; i < grid->dimensions && i < n; ++i) {
    extents[i] = grid->extents[i];
    periodic[i] = grid->periodic[i];
  }
  if (n >= grid->dimensions) coordinates(grid, grid->rank, of);
}

void simulate_cart_sub(MPI_Comm comm, const int* kept, MPI_Comm* result) {
  const Comm* grid = find_grid(comm, "MPI_Cart_sub");
  const int n = grid->dimensions;
  int* of = room("MPI_Cart_sub", sizeof(int) * (size_t)(3 * n + 1));
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
  Comm* sub = make_comm(SLK_OP_cart_sub, grid, color, key);
  set_grid(sub, left, extents, periodic);
  free(of);
  *result = sub->handle;
}

void simulate_cart_map(MPI_Comm comm, int n, const int* extents, int* rank) {
  int cells = 1;
  for (int i = 0; i < n; ++i) cells *= extents[i];
  const int own = find_comm(comm)->rank;
  *rank = own < cells ? own : MPI_UNDEFINED;
}

int* grid_neighbours(const Comm* grid) {
  int* of = room("a neighbourhood collective", sizeof(int) * 2 * (size_t)(grid->dimensions + 1));
  for (int i = 0; i < grid->dimensions; ++i) {
    MPI_Cart_shift(grid->handle, i, 1, &of[2 * i], &of[2 * i + 1]);
  }
  return of;
}
