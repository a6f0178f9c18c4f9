/* Heat conduction in a plate (5-point stencil, strips of rows), in four ways one after the other,
 * after "Identifying Focus-of-Analysis Regions in MPI-Traces Using Transfer-Efficiency Monitors":
 *
 *   even     every rank works equally long, neighbours exchange a row each
 *   uneven   rank 0 works three times as long as the others
 *   whole    neighbours exchange their whole strips, many times over: the network is all (for half
 *            as long as "even" works, however fast that is)
 *   in turn  a Gauss-Seidel sweep from the first rank to the last: one works at a time
 *
 * Each phase is a named region, so that what a monitor finds can be compared with the truth.
 *
 * usage: heat_phases [STEPS WORK_US]     default: 40 6000     per phase; the CPU time of a step
 * stands for work on a larger plate
 *
 * The printed sum does not depend on the number of ranks, as long as it divides 32. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "example_work.h"

enum { kRows = 32, kColumns = 64, kCopies = 1 << 8 };

struct Plate {
  int rank, ranks, rows, up, down;
  double (*now)[kColumns]; /* rows + 2, with a row of either neighbour */
  double (*next)[kColumns];
  double* copies; /* what phase "whole" sends and receives */
};

static void exchange_rows(struct Plate* p) {
  MPI_Request requests[4];
  MPI_Status statuses[4];
  MPI_Irecv(p->now[0], kColumns, MPI_DOUBLE, p->up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(p->now[p->rows + 1], kColumns, MPI_DOUBLE, p->down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(p->now[1], kColumns, MPI_DOUBLE, p->up, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(p->now[p->rows], kColumns, MPI_DOUBLE, p->down, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, statuses);
}

/* One row from `from` (and the rows around it) into `to`; the plate's sides are cold. */
static void update_row(double (*from)[kColumns], double* to, int i) {
  for (int j = 1; j < kColumns - 1; ++j) {
    to[j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
  }
}

static void jacobi(struct Plate* p, double us) {
  exchange_rows(p);
  for (int i = 1; i <= p->rows; ++i) update_row(p->now, p->next[i], i);
  double(*old)[kColumns] = p->now;
  p->now = p->next;
  p->next = old;
  work_us(us);
}

static void exchange_everything(struct Plate* p) {
  const int count = kRows * kColumns * kCopies / 4;
  for (int k = 0; k < 2; ++k) {
    const int to = k == 0 ? p->down : p->up;
    const int from = k == 0 ? p->up : p->down;
    MPI_Sendrecv(p->copies, count, MPI_DOUBLE, to, 2, p->copies + count, count, MPI_DOUBLE, from, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Rank 0's clock decides for all. */
static int before(const struct Plate* p, double end) {
  int more = p->rank == 0 && MPI_Wtime() < end;
  MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return more;
}

static void sweep_in_turn(struct Plate* p, double us) {
  /* The neighbour below still has its old row; the one above its new one. */
  MPI_Sendrecv(p->now[1], kColumns, MPI_DOUBLE, p->up, 3, p->now[p->rows + 1], kColumns, MPI_DOUBLE,
               p->down, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(p->now[0], kColumns, MPI_DOUBLE, p->up, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= p->rows; ++i) update_row(p->now, p->now[i], i);
  work_us(us);
  MPI_Send(p->now[p->rows], kColumns, MPI_DOUBLE, p->down, 4, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 40;
  const double us = argc > 2 ? atof(argv[2]) : 6000;
  struct Plate p;
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
  p.rows = kRows / p.ranks;
  p.up = p.rank > 0 ? p.rank - 1 : MPI_PROC_NULL;
  p.down = p.rank + 1 < p.ranks ? p.rank + 1 : MPI_PROC_NULL;
  p.now = calloc((size_t)p.rows + 2, sizeof *p.now);
  p.next = calloc((size_t)p.rows + 2, sizeof *p.next);
  p.copies = calloc((size_t)kRows * kColumns * kCopies / 2, sizeof *p.copies);
  if (!p.now || !p.next || !p.copies || kRows % p.ranks != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 1; i <= p.rows; ++i) {
    for (int j = 1; j < kColumns - 1; ++j) p.now[i][j] = 1 + (p.rank * p.rows + i) % 7;
  }

  MPI_Barrier(MPI_COMM_WORLD);
  slackline_region_begin("even");
  for (int step = 0; step < steps; ++step) jacobi(&p, us);
  slackline_region_end("even");

  MPI_Barrier(MPI_COMM_WORLD);
  slackline_region_begin("uneven");
  for (int step = 0; step < steps; ++step) jacobi(&p, p.rank == 0 ? us : us / 3);
  slackline_region_end("uneven");

  MPI_Barrier(MPI_COMM_WORLD);
  slackline_region_begin("whole");
  const double end = MPI_Wtime() + 1e-6 * us * steps / 2;
  while (before(&p, end)) {
    for (int k = 0; k < 4; ++k) exchange_everything(&p);
  }
  slackline_region_end("whole");

  MPI_Barrier(MPI_COMM_WORLD);
  slackline_region_begin("in turn");
  for (int step = 0; step < steps; ++step) {
    sweep_in_turn(&p, us / p.ranks);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  slackline_region_end("in turn");

  double mine = 0, sum;
  for (int i = 1; i <= p.rows; ++i) {
    for (int j = 0; j < kColumns; ++j) mine += p.now[i][j];
  }
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (p.rank == 0) printf("heat_phases: 4 x %d steps, sum %.6f\n", steps, sum);
  free(p.now);
  free(p.next);
  free(p.copies);
  MPI_Finalize();
  return 0;
}
