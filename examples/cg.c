/* Conjugate gradients for Poisson's equation on a square, five-point stencil.
 *
 * The rows of the grid are split among the ranks. One iteration exchanges a row with either
 * neighbour and forms two dot products by allreduce, one after the other: the short, frequent
 * collectives that make iterative solvers depend on latency.
 *
 * usage: cg [N ITERATIONS]     default: 256 40
 *
 * The printed sum of the solution does not depend on the number of ranks, but for rounding. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct rows {
  int n;     /* points in a row */
  int count; /* rows of this rank */
  int below, above;
};

static struct rows my_rows(int n) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct rows r = {n, n / ranks + (rank < n % ranks), rank > 0 ? rank - 1 : MPI_PROC_NULL,
                         rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL};
  return r;
}

static int points(const struct rows* r) {
  return r->n * r->count;
}

/* A vector has a halo row at either end; its own first point follows the first halo row. */
static double* new_vector(const struct rows* r) {
  double* v = calloc((size_t)r->n * (size_t)(r->count + 2), sizeof(double));
  if (v == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return v + r->n;
}

static void free_vector(const struct rows* r, double* v) {
  free(v - r->n);
}

static double dot(const struct rows* r, const double* a, const double* b) {
  double own = 0, all;
  for (int i = 0; i < points(r); ++i) own += a[i] * b[i];
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void exchange(const struct rows* r, double* v) {
  double* last = v + (size_t)r->n * (size_t)(r->count - 1);
  MPI_Sendrecv(v, r->n, MPI_DOUBLE, r->below, 0, last + r->n, r->n, MPI_DOUBLE, r->above, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(last, r->n, MPI_DOUBLE, r->above, 1, v - r->n, r->n, MPI_DOUBLE, r->below, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* out = A v */
static void multiply(const struct rows* r, double* v, double* out) {
  exchange(r, v);
  for (int y = 0; y < r->count; ++y) {
    const double* row = v + (size_t)r->n * (size_t)y;
    double* to = out + (size_t)r->n * (size_t)y;
    for (int x = 0; x < r->n; ++x) {
      const double west = x > 0 ? row[x - 1] : 0, east = x + 1 < r->n ? row[x + 1] : 0;
      to[x] = 4 * row[x] - west - east - row[x - r->n] - row[x + r->n];
    }
  }
}

/* Solves A x = b with b = 1 from x = 0; returns the last residual's norm. */
static double solve(const struct rows* r, double* x, int iterations) {
  double *residual = new_vector(r), *direction = new_vector(r), *product = new_vector(r);
  for (int i = 0; i < points(r); ++i) residual[i] = direction[i] = 1.0;
  double rho = dot(r, residual, residual);
  for (int k = 0; k < iterations && rho > 0; ++k) {
    multiply(r, direction, product);
    const double alpha = rho / dot(r, direction, product);
    for (int i = 0; i < points(r); ++i) {
      x[i] += alpha * direction[i];
      residual[i] -= alpha * product[i];
    }
    const double next = dot(r, residual, residual);
    for (int i = 0; i < points(r); ++i) direction[i] = residual[i] + next / rho * direction[i];
    rho = next;
  }
  free_vector(r, residual);
  free_vector(r, direction);
  free_vector(r, product);
  return sqrt(rho);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = argc > 1 ? atoi(argv[1]) : 256;
  const int iterations = argc > 2 ? atoi(argv[2]) : 40;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (n < ranks || iterations < 0) {
    if (rank == 0) fprintf(stderr, "cg: N must be at least the number of ranks\n");
    MPI_Finalize();
    return 2;
  }
  const struct rows r = my_rows(n);
  double* x = new_vector(&r);
  const double residual = solve(&r, x, iterations);
  double own = 0, total = 0;
  for (int i = 0; i < points(&r); ++i) own += x[i];
  MPI_Reduce(&own, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("cg: %d x %d, %d iterations, residual %.6e, sum %.6e\n", n, n, iterations, residual,
           total);
  }
  free_vector(&r, x);
  MPI_Finalize();
  return 0;
}
