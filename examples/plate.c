/* The temperature of a plate: explicit time steps on a grid whose rows are divided among the ranks.
 *
 * Two things hold it back, and "tuned" does without them: the rows at the hot edge are refined and
 * cost more to assemble, and all of them belong to the first ranks ("tuned" deals the rows out in
 * turn); and each value of the halo is a message of its own ("tuned" sends a row at once).
 *
 * usage: plate [tuned] [STEPS COLUMNS ROUNDS]     default: 150 200 30000
 *
 * The printed sum depends neither on the number of ranks nor on "tuned". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 64, kRefinedRows = 16, kRefinement = 4 };

struct plate {
  int rank, ranks, tuned, columns;
  long rounds; /* of a row that is not refined */
  double *halo, *edge;
};

/* `rounds` rounds of the logistic map, which no compiler can shorten. */
static double iterate_map(double x, long rounds) {
  for (long i = 0; i < rounds; ++i) x = 3.9 * x * (1 - x);
  return x;
}

static int is_own(const struct plate* p, int row) {
  return (p->tuned ? row % p->ranks : row * p->ranks / kRows) == p->rank;
}

/* The sum over the own rows, as a whole number: the same in any order. */
__attribute__((noinline)) static long assemble(const struct plate* p, int step) {
  long sum = 0;
  for (int row = 0; row < kRows; ++row) {
    if (!is_own(p, row)) continue;
    const long rounds = row < kRefinedRows ? kRefinement * p->rounds : p->rounds;
    sum += (long)(1e6 * iterate_map(1.0 / (2 + row + step), rounds));
  }
  return sum;
}

/* With the next rank and the one before, in a ring. */
__attribute__((noinline)) static void exchange_halo(const struct plate* p) {
  const int next = (p->rank + 1) % p->ranks, before = (p->rank + p->ranks - 1) % p->ranks;
  const int pieces = p->tuned ? 1 : p->columns;
  const int length = p->columns / pieces;
  MPI_Request* requests = malloc(2 * (size_t)pieces * sizeof *requests);
  for (int i = 0; i < pieces; ++i) {
    MPI_Irecv(p->halo + i * length, length, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < pieces; ++i) {
    MPI_Isend(p->edge + i * length, length, MPI_DOUBLE, next, 0, MPI_COMM_WORLD,
              &requests[pieces + i]);
  }
  MPI_Waitall(2 * pieces, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

__attribute__((noinline)) static void relax(const struct plate* p) {
  for (int i = 0; i < p->columns; ++i) p->edge[i] = 0.5 * (p->edge[i] + p->halo[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct plate p;
  p.tuned = argc > 1 && strcmp(argv[1], "tuned") == 0;
  char** numbers = argv + 1 + p.tuned;
  const int given = argc - 1 - p.tuned;
  const int steps = given > 0 ? atoi(numbers[0]) : 150;
  p.columns = given > 1 ? atoi(numbers[1]) : 200;
  p.rounds = given > 2 ? atol(numbers[2]) : 30000;
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
  p.halo = calloc((size_t)p.columns, sizeof *p.halo);
  p.edge = calloc((size_t)p.columns, sizeof *p.edge);
  for (int i = 0; i < p.columns; ++i) p.edge[i] = i;

  long sum = 0;
  for (int step = 0; step < steps; ++step) {
    long own = assemble(&p, step), of_all;
    exchange_halo(&p);
    relax(&p);
    MPI_Allreduce(&own, &of_all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    sum += of_all;
  }
  if (p.rank == 0) printf("plate: %d steps, sum %ld, edge %g\n", steps, sum, p.edge[p.columns / 2]);
  free(p.halo);
  free(p.edge);
  MPI_Finalize();
  return 0;
}
