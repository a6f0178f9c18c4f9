/* Calls of every kind that on-line simulation knows, each with a result that is known. Prints "ok"
 * from rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void check(int holds, const char* what) {
  if (holds) return;
  printf("rank %d: wrong result of %s\n", rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void blocking(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int got = -1, own = rank;
  MPI_Status status;
  if (rank % 2 == 0) {
    MPI_Ssend(&own, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &status);
  } else {
    MPI_Recv(&got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &status);
    MPI_Ssend(&own, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
  }
  check(got == before && status.MPI_SOURCE == before && status.MPI_TAG == 1, "MPI_Recv");
  MPI_Sendrecv_replace(&own, 1, MPI_INT, next, 2, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(own == before, "MPI_Sendrecv_replace");
  MPI_Sendrecv(&rank, 1, MPI_INT, next, 4, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
               MPI_COMM_WORLD, &status);
  check(got == before && status.MPI_SOURCE == before && status.MPI_TAG == 4,
        "MPI_Sendrecv of any source");
  MPI_Barrier(MPI_COMM_WORLD); /* what follows would match the wildcards, too */
  MPI_Sendrecv(&rank, 1, MPI_INT, rank, 3, &got, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &status);
  check(got == rank, "MPI_Sendrecv with itself");
  int outside = 5;
  MPI_Recv(&outside, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  check(outside == 5 && status.MPI_SOURCE == MPI_PROC_NULL, "MPI_PROC_NULL");
}

static void wildcards(void) {
  const int tag = 40;
  if (rank != 0) {
    const int values[3] = {rank, rank, rank};
    MPI_Send(values, 1 + rank % 3, MPI_INT, 0, tag + rank, MPI_COMM_WORLD);
    return;
  }
  int seen = 0;
  for (int i = 1; i < size; ++i) {
    MPI_Status status;
    int count = 0, values[3] = {0, 0, 0};
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(count == 1 + status.MPI_SOURCE % 3, "MPI_Probe");
    MPI_Recv(values, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    check(values[0] == status.MPI_SOURCE && status.MPI_TAG == tag + values[0], "MPI_ANY_SOURCE");
    seen += values[0];
  }
  check(seen == size * (size - 1) / 2, "MPI_ANY_SOURCE of all");
}

static void completion(void) {
  enum { kMost = 64 };
  MPI_Request requests[2 * kMost];
  int got[kMost], done[2 * kMost], count, index, flag, sum = 0;
  for (int r = 0; r < size; ++r) MPI_Irecv(&got[r], 1, MPI_INT, r, 5, MPI_COMM_WORLD, &requests[r]);
  for (int r = 0; r < size; ++r)
    MPI_Isend(&rank, 1, MPI_INT, r, 5, MPI_COMM_WORLD, &requests[size + r]);
  MPI_Waitany(2 * size, requests, &index, MPI_STATUS_IGNORE);
  check(index >= 0 && requests[index] == MPI_REQUEST_NULL, "MPI_Waitany");
  MPI_Waitsome(2 * size, requests, &count, done, MPI_STATUSES_IGNORE);
  check(count > 0, "MPI_Waitsome");
  do {
    MPI_Testall(2 * size, requests, &flag, MPI_STATUSES_IGNORE);
  } while (!flag);
  for (int r = 0; r < size; ++r) sum += got[r] == r;
  check(sum == size, "MPI_Testall");
  MPI_Waitany(2 * size, requests, &index, MPI_STATUS_IGNORE);
  check(index == MPI_UNDEFINED, "MPI_Waitany of nothing");
}

static void persistent(void) {
  int in = -1, out = 0;
  MPI_Request requests[2];
  MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, (rank + size - 1) % size, 6, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    out = 100 * i + rank;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(in == 100 * i + (rank + size - 1) % size, "MPI_Startall");
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

/* Not commutative: the decimal digits stand in the order of ranks. */
static void concatenate(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) {
    long left = ((long*)in)[i], right = ((long*)inout)[i], shift = 10;
    while (shift <= right) shift *= 10;
    ((long*)inout)[i] = left * shift + right;
  }
}

static void reductions(void) {
  int one = rank + 1, sum = 0, all = size * (size + 1) / 2;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == all, "MPI_Allreduce");
  sum = one;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == all, "MPI_Allreduce in place");
  sum = 0;
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_MAX, size - 1, MPI_COMM_WORLD);
  check(rank != size - 1 || sum == size, "MPI_Reduce");
  MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == (rank + 1) * (rank + 2) / 2, "MPI_Scan");
  sum = -1;
  MPI_Exscan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(rank == 0 || sum == rank * (rank + 1) / 2, "MPI_Exscan");
  int* each = malloc(sizeof(int) * (size_t)size);
  int* counts = malloc(sizeof(int) * (size_t)size);
  for (int r = 0; r < size; ++r) {
    each[r] = r;
    counts[r] = 1;
  }
  MPI_Reduce_scatter_block(each, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == size * rank, "MPI_Reduce_scatter_block");
  MPI_Reduce_scatter(each, &sum, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == size * rank, "MPI_Reduce_scatter");
  free(each);
  free(counts);
  MPI_Op op;
  MPI_Op_create(concatenate, 0, &op);
  long digit = rank % 9 + 1, digits = 0, wanted = 0;
  const int members = size < 9 ? size : 9;
  for (int r = 0; r < members; ++r) wanted = 10 * wanted + r + 1;
  MPI_Comm few;
  MPI_Comm_split(MPI_COMM_WORLD, rank < members ? 0 : MPI_UNDEFINED, rank, &few);
  if (few != MPI_COMM_NULL) {
    MPI_Allreduce(&digit, &digits, 1, MPI_LONG, op, few);
    check(digits == wanted, "MPI_Allreduce of an operation that does not commute");
    MPI_Comm_free(&few);
  }
  MPI_Op_free(&op);
}

static void movements(void) {
  const size_t n = (size_t)size;
  int* all = malloc(sizeof(int) * n * n);
  int* more = malloc(sizeof(int) * n * n);
  int* counts = malloc(sizeof(int) * n);
  int* places = malloc(sizeof(int) * n);
  int value = rank == 1 % size ? 77 : 0;
  MPI_Bcast(&value, 1, MPI_INT, 1 % size, MPI_COMM_WORLD);
  check(value == 77, "MPI_Bcast");
  MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < size; ++r) check(all[r] == r, "MPI_Gather");
  for (int r = 0; r < size; ++r) all[r] = 10 * r;
  MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  check(value == 10 * rank, "MPI_Scatter");
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) check(all[r] == r, "MPI_Allgather");
  int total = 0;
  for (int r = 0; r < size; ++r) {
    counts[r] = r % 3;
    places[r] = total;
    total += counts[r];
  }
  const int own[2] = {rank, rank};
  memset(all, 0, sizeof(int) * n * n);
  MPI_Allgatherv(own, rank % 3, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r)
    check(counts[r] == 0 || all[places[r] + counts[r] - 1] == r, "MPI_Allgatherv");
  MPI_Gatherv(own, rank % 3, MPI_INT, more, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  check(rank != 0 || memcmp(all, more, sizeof(int) * (size_t)total) == 0, "MPI_Gatherv");
  int back[2] = {-1, -1};
  MPI_Scatterv(all, counts, places, MPI_INT, back, rank % 3, MPI_INT, 0, MPI_COMM_WORLD);
  check(rank % 3 == 0 || back[rank % 3 - 1] == rank, "MPI_Scatterv");
  for (int r = 0; r < size; ++r) all[r] = 100 * rank + r;
  MPI_Alltoall(all, 1, MPI_INT, more, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) check(more[r] == 100 * r + rank, "MPI_Alltoall");
  for (int r = 0; r < size; ++r) {
    counts[r] = 1;
    places[r] = size - 1 - r;
  }
  MPI_Alltoallv(all, counts, places, MPI_INT, more, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r)
    check(more[size - 1 - r] == 100 * r + size - 1 - rank, "MPI_Alltoallv");
  MPI_Request request;
  value = rank == 0 ? 9 : 0;
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(value == 9, "MPI_Ibcast");
  int sum = 0;
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  int flag = 0;
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  check(sum == size * (size - 1) / 2, "MPI_Iallreduce");
  free(all);
  free(more);
  free(counts);
  free(places);
}

/* Every other element, and a column. */
static void types(void) {
  int matrix[4][4], column[4] = {0, 0, 0, 0};
  for (int i = 0; i < 16; ++i) matrix[i / 4][i % 4] = 100 * rank + i;
  MPI_Datatype type;
  MPI_Type_vector(4, 1, 4, MPI_INT, &type);
  MPI_Type_commit(&type);
  const int before = (rank + size - 1) % size;
  MPI_Status status;
  int count;
  MPI_Sendrecv(&matrix[0][1], 1, type, (rank + 1) % size, 8, column, 4, MPI_INT, before, 8,
               MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  for (int i = 0; i < 4; ++i) check(column[i] == 100 * before + 4 * i + 1, "a derived type");
  check(count == 4, "MPI_Get_count");
  MPI_Bcast(&matrix[0][2], 1, type, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i) check(matrix[i][2] == 4 * i + 2, "MPI_Bcast of a derived type");
  check(matrix[1][3] == 100 * rank + 7, "MPI_Bcast beside a derived type");
  MPI_Type_free(&type);
}

static void communicators(void) {
  MPI_Comm half, same, grid, row;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  int place, members, sum, result;
  MPI_Comm_rank(half, &place);
  MPI_Comm_size(half, &members);
  check(members == (size + 1 - rank % 2) / 2 && place == (size - 1 - rank) / 2, "MPI_Comm_split");
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
  int wanted = 0;
  for (int r = rank % 2; r < size; r += 2) wanted += r;
  check(sum == wanted, "MPI_Allreduce in a part");
  MPI_Comm_dup(MPI_COMM_WORLD, &same);
  MPI_Comm_compare(MPI_COMM_WORLD, same, &result);
  check(result == MPI_CONGRUENT, "MPI_Comm_dup");
  int extents[2] = {0, 0}, periodic[2] = {1, 0}, at[2], up, down;
  MPI_Dims_create(size, 2, extents);
  MPI_Cart_create(same, 2, extents, periodic, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, at);
  check(at[0] == rank / extents[1] && at[1] == rank % extents[1], "MPI_Cart_coords");
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  check(down == (rank + extents[1]) % size && up == (rank + size - extents[1]) % size,
        "MPI_Cart_shift");
  const int kept[2] = {0, 1};
  MPI_Cart_sub(grid, kept, &row);
  MPI_Comm_size(row, &members);
  check(members == extents[1], "MPI_Cart_sub");
  MPI_Barrier(row);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&same);
  MPI_Comm_free(&half);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  check(sum == rank, "MPI_COMM_SELF");
}

static void groups(void) {
  MPI_Group world, even, odd, both, none;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int ranges[1][3] = {{0, size - 1, 2}};
  MPI_Group_range_incl(world, 1, ranges, &even);
  MPI_Group_range_excl(world, 1, ranges, &odd);
  int members, place, result;
  MPI_Group_size(even, &members);
  MPI_Group_rank(even, &place);
  check(members == (size + 1) / 2 && place == (rank % 2 == 0 ? rank / 2 : MPI_UNDEFINED),
        "MPI_Group_range_incl");
  MPI_Group_union(odd, even, &both);
  MPI_Group_compare(both, world, &result);
  check(result == MPI_SIMILAR, "MPI_Group_union");
  MPI_Group_intersection(odd, even, &none);
  MPI_Group_size(none, &members);
  check(members == 0, "MPI_Group_intersection");
  const int first[2] = {0, 1};
  int theirs[2];
  MPI_Group_translate_ranks(both, 2, first, world, theirs);
  check(theirs[0] == 1 && theirs[1] == (size > 3 ? 3 : 0), "MPI_Group_translate_ranks");
  MPI_Comm part;
  MPI_Comm_create(MPI_COMM_WORLD, odd, &part);
  check((part == MPI_COMM_NULL) == (rank % 2 == 0), "MPI_Comm_create");
  if (part != MPI_COMM_NULL) {
    int sum, wanted = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
    for (int r = 1; r < size; r += 2) wanted += r;
    check(sum == wanted, "MPI_Allreduce in a group's communicator");
    MPI_Comm_free(&part);
  }
  MPI_Group_free(&world);
  MPI_Group_free(&even);
  MPI_Group_free(&odd);
  MPI_Group_free(&both);
  if (none != MPI_GROUP_EMPTY) MPI_Group_free(&none);
}

/* A process that a rank starts is no rank, and passes real time. */
static void children(void) {
  check(system("exit 3") / 256 == 3, "system()");
  const double before = MPI_Wtime();
  check(system("sleep 0.01") == 0, "system() of a program");
  check(MPI_Wtime() - before < 1, "the time of a program");
}

/* Two seconds of sleep pass in simulated time only. */
static void time_passes(void) {
  const double before = MPI_Wtime();
  usleep(2000000);
  const double passed = MPI_Wtime() - before;
  check(passed > 1.999 && passed < 2.1, "usleep");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  blocking();
  wildcards();
  MPI_Barrier(MPI_COMM_WORLD); /* what follows would match the wildcards, too */
  completion();
  persistent();
  reductions();
  movements();
  types();
  communicators();
  groups();
  children();
  if (argc > 1 && strcmp(argv[1], "sleep") == 0) time_passes();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
