/* Jacobi's iteration for Laplace's equation on a rectangle whose left edge is hot.
 *
 * The grid is split among the ranks in two dimensions. In every iteration the four edges travel to
 * the neighbours by nonblocking messages while the inside is updated, and an allreduce forms the
 * residual: the pattern of most structured-grid codes.
 *
 * usage: stencil2d [NX NY ITERATIONS [SAMPLES]]     default: 384 384 60
 *
 * The printed sum does not depend on the number of ranks, but for rounding. With SAMPLES, on line
 * (slackline simulate -- stencil2d ...), each rank updates its inside that many times only and is
 * charged the mean from then on: the sum is wrong, and the time right. */
#include <math.h>
#include <mpi.h>
#include <slackline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WEST, EAST, SOUTH, NORTH, SIDES };

/* One rank's part of the grid, with a halo of one point around it. */
struct block {
  int nx, ny;         /* points inside */
  int pitch;          /* doubles from one row to the next */
  double *now, *next; /* (ny + 2) rows of pitch */
  int neighbour[SIDES];
  MPI_Comm grid;
  MPI_Datatype column;
};

static double* at(const struct block* b, double* field, int x, int y) {
  return field + (size_t)y * (size_t)b->pitch + x;
}

/* The points of part `i` out of `parts`. */
static int share(int points, int parts, int i) {
  return points / parts + (i < points % parts);
}

static double* new_field(const struct block* b) {
  double* field = calloc((size_t)b->pitch * (size_t)(b->ny + 2), sizeof(double));
  if (field == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  if (b->neighbour[WEST] == MPI_PROC_NULL) {
    for (int y = 0; y < b->ny + 2; ++y) *at(b, field, 0, y) = 1.0;
  }
  return field;
}

static struct block make_block(int nx, int ny) {
  struct block b;
  int ranks, rank, dims[2] = {0, 0}, periods[2] = {0, 0}, coords[2];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &b.grid);
  MPI_Comm_rank(b.grid, &rank);
  MPI_Cart_coords(b.grid, rank, 2, coords);
  MPI_Cart_shift(b.grid, 0, 1, &b.neighbour[WEST], &b.neighbour[EAST]);
  MPI_Cart_shift(b.grid, 1, 1, &b.neighbour[SOUTH], &b.neighbour[NORTH]);
  b.nx = share(nx, dims[0], coords[0]);
  b.ny = share(ny, dims[1], coords[1]);
  b.pitch = b.nx + 2;
  MPI_Type_vector(b.ny, 1, b.pitch, MPI_DOUBLE, &b.column);
  MPI_Type_commit(&b.column);
  b.now = new_field(&b);
  b.next = new_field(&b);
  return b;
}

static void free_block(struct block* b) {
  free(b->now);
  free(b->next);
  MPI_Type_free(&b->column);
  MPI_Comm_free(&b->grid);
}

/* The tag is the side that a message leaves from, seen from its sender. */
static void start_exchange(const struct block* b, MPI_Request* requests) {
  double* f = b->now;
  MPI_Irecv(at(b, f, 0, 1), 1, b->column, b->neighbour[WEST], EAST, b->grid, requests++);
  MPI_Irecv(at(b, f, b->nx + 1, 1), 1, b->column, b->neighbour[EAST], WEST, b->grid, requests++);
  MPI_Irecv(at(b, f, 1, 0), b->nx, MPI_DOUBLE, b->neighbour[SOUTH], NORTH, b->grid, requests++);
  MPI_Irecv(at(b, f, 1, b->ny + 1), b->nx, MPI_DOUBLE, b->neighbour[NORTH], SOUTH, b->grid,
            requests++);
  MPI_Isend(at(b, f, 1, 1), 1, b->column, b->neighbour[WEST], WEST, b->grid, requests++);
  MPI_Isend(at(b, f, b->nx, 1), 1, b->column, b->neighbour[EAST], EAST, b->grid, requests++);
  MPI_Isend(at(b, f, 1, 1), b->nx, MPI_DOUBLE, b->neighbour[SOUTH], SOUTH, b->grid, requests++);
  MPI_Isend(at(b, f, 1, b->ny), b->nx, MPI_DOUBLE, b->neighbour[NORTH], NORTH, b->grid, requests++);
}

/* Updates the points [x0, x1) x [y0, y1); returns the sum of the squared changes. */
static double update(const struct block* b, int x0, int x1, int y0, int y1) {
  double change = 0;
  for (int y = y0; y < y1; ++y) {
    const double* row = at(b, b->now, 0, y);
    double* out = at(b, b->next, 0, y);
    for (int x = x0; x < x1; ++x) {
      out[x] = 0.25 * (row[x - 1] + row[x + 1] + row[x - b->pitch] + row[x + b->pitch]);
      change += (out[x] - row[x]) * (out[x] - row[x]);
    }
  }
  return change;
}

static double update_edges(const struct block* b) {
  double change = update(b, 1, b->nx + 1, 1, 2);
  if (b->ny > 1) change += update(b, 1, b->nx + 1, b->ny, b->ny + 1);
  change += update(b, 1, 2, 2, b->ny);
  if (b->nx > 1) change += update(b, b->nx, b->nx + 1, 2, b->ny);
  return change;
}

/* One iteration; returns the norm of the change over all ranks. */
static double iterate(struct block* b, int samples) {
  MPI_Request requests[2 * SIDES];
  double change = 0;
  start_exchange(b, requests);
  SLACKLINE_SAMPLE_LOCAL(samples, 0) {
    change += update(b, 2, b->nx, 2, b->ny);
  }
  MPI_Waitall(2 * SIDES, requests, MPI_STATUSES_IGNORE);
  change += update_edges(b);
  double total;
  MPI_Allreduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, b->grid);
  double* swapped = b->now;
  b->now = b->next;
  b->next = swapped;
  return sqrt(total);
}

static double sum(const struct block* b) {
  double own = 0, all = 0;
  for (int y = 1; y <= b->ny; ++y) {
    for (int x = 1; x <= b->nx; ++x) own += *at(b, b->now, x, y);
  }
  MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, b->grid);
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int nx = argc > 1 ? atoi(argv[1]) : 384;
  const int ny = argc > 2 ? atoi(argv[2]) : 384;
  const int iterations = argc > 3 ? atoi(argv[3]) : 60;
  const int samples = argc > 4 ? atoi(argv[4]) : 0;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (nx < ranks || ny < ranks || iterations < 0) {
    if (rank == 0) fprintf(stderr, "stencil2d: NX and NY must be at least the number of ranks\n");
    MPI_Finalize();
    return 2;
  }
  struct block b = make_block(nx, ny);
  double residual = 0;
  /* The first two touch the memory for the first time, which takes longer than all others. */
  for (int i = 0; i < iterations; ++i) residual = iterate(&b, i < 2 ? 0 : samples);
  const double total = sum(&b);
  if (rank == 0) {
    printf("stencil2d: %d x %d, %d iterations, residual %.6e, sum %.6f\n", nx, ny, iterations,
           residual, total);
  }
  free_block(&b);
  MPI_Finalize();
  return 0;
}
