/* Communicators that some make without the others, and those of two groups; on 2 ranks and more.
 * Prints "ok" from rank 0. */
#include "online_checks.h"

static void by_members(void) {
  const int n = (size + 1) / 2; /* even ranks */
  int* ranks = malloc(sizeof(int) * (size_t)n);
  for (int i = 0; i < n; ++i) ranks[i] = 2 * (n - 1 - i);
  MPI_Group world, even;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, n, ranks, &even);
  for (int round = 0; round < 2 && rank % 2 == 0; ++round) {
    MPI_Comm comm;
    int own, sum = 0, one = rank;
    MPI_Comm_create_group(MPI_COMM_WORLD, even, 7, &comm);
    MPI_Comm_rank(comm, &own);
    check(own == n - 1 - rank / 2, "the order of MPI_Comm_create_group");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    check(sum == n * (n - 1), "MPI_Allreduce of MPI_Comm_create_group");
    MPI_Comm_free(&comm);
  }
  /* All make communicators of their own groups at once. */
  MPI_Group own;
  MPI_Comm half;
  int members = 0;
  if (rank % 2 == 0) {
    MPI_Group_incl(world, n, ranks, &own);
  } else {
    MPI_Group_excl(world, n, ranks, &own);
  }
  MPI_Comm_create(MPI_COMM_WORLD, own, &half);
  MPI_Comm_size(half, &members);
  check(members == (rank % 2 == 0 ? n : size - n), "MPI_Comm_create of several groups");
  MPI_Comm_free(&half);
  MPI_Group_free(&own);
  MPI_Group_free(&even);
  MPI_Group_free(&world);
  free(ranks);
}

static int copies;
static int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  ++copies;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static void duplicates(void) {
  int key, flag, value = 5, got = -1;
  void* found;
  MPI_Comm copy, beside;
  MPI_Request request;
  MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_attr(copy, key, &value);
  MPI_Comm_idup(copy, &beside, &request);
  /* Not all are in it yet. */
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, size - 1, 3, copy);
  if (rank == size - 1) MPI_Recv(&got, 1, MPI_INT, 0, 3, copy, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_get_attr(beside, key, &found, &flag);
  check(flag && found == &value && copies == 1, "attributes of a duplicate");
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 4, &got, 1, MPI_INT, (rank + size - 1) % size,
               4, beside, MPI_STATUS_IGNORE);
  check(got == (rank + size - 1) % size, "MPI_Comm_idup");
  MPI_Comm_free(&beside);
  MPI_Comm_free(&copy);
  MPI_Comm_free_keyval(&key);
}

/* Collectives between ranks 0 to `low` - 1 and the others. */
static void between(MPI_Comm inter, int is_low, int low) {
  const int high = size - low, others = is_low ? high : low;
  const int own = is_low ? rank : rank - low;
  const int sum_of_others = is_low ? (low + size - 1) * high / 2 : (low - 1) * low / 2;
  int sum = -1, value = rank;
  MPI_Barrier(inter);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter);
  check(sum == sum_of_others, "MPI_Allreduce between groups");
  int root = is_low ? (own == low - 1 ? MPI_ROOT : MPI_PROC_NULL) : low - 1;
  if (root == MPI_ROOT) value = 77;
  MPI_Bcast(&value, 1, MPI_INT, root, inter);
  check(!is_low ? value == 77 : 1, "MPI_Bcast between groups");
  value = rank;
  sum = -1;
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, inter);
  check(root != MPI_ROOT || sum == sum_of_others, "MPI_Reduce between groups");
  int* of = malloc(sizeof(int) * (size_t)size);
  MPI_Allgather(&rank, 1, MPI_INT, of, 1, MPI_INT, inter);
  for (int r = 0; r < others; ++r) check(of[r] == (is_low ? low + r : r), "MPI_Allgather between");
  MPI_Gather(&rank, 1, MPI_INT, of, 1, MPI_INT, root, inter);
  for (int r = 0; r < others && root == MPI_ROOT; ++r)
    check(of[r] == low + r, "MPI_Gather between");
  for (int r = 0; r < others; ++r) of[r] = 100 * rank + r;
  int* got = malloc(sizeof(int) * (size_t)size);
  MPI_Alltoall(of, 1, MPI_INT, got, 1, MPI_INT, inter);
  for (int r = 0; r < others; ++r)
    check(got[r] == 100 * (is_low ? low + r : r) + own, "MPI_Alltoall between");
  MPI_Scatter(of, 1, MPI_INT, &value, 1, MPI_INT, root, inter);
  check(is_low || value == 100 * (low - 1) + own, "MPI_Scatter between");
  free(got);
  free(of);
}

static void two_groups(void) {
  const int low = (size + 1) / 2 > size - 1 ? size - 1 : (size + 1) / 2;
  const int is_low = rank < low;
  MPI_Comm local, inter, merged, copy;
  int flag, remote, own, got = -1;
  MPI_Status status;
  MPI_Comm_split(MPI_COMM_WORLD, is_low, rank, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, is_low ? low : 0, 9, &inter);
  MPI_Comm_test_inter(inter, &flag);
  MPI_Comm_remote_size(inter, &remote);
  MPI_Comm_rank(inter, &own);
  check(flag && remote == (is_low ? size - low : low), "MPI_Comm_remote_size");
  check(own == (is_low ? rank : rank - low), "the rank in an intercommunicator");
  if (own == 0) {
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 2, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter,
                 &status);
    check(got == (is_low ? low : 0) && status.MPI_SOURCE == 0, "messages between groups");
  }
  between(inter, is_low, low);
  MPI_Comm_dup(inter, &copy);
  between(copy, is_low, low);
  MPI_Intercomm_merge(copy, is_low, &merged);
  MPI_Comm_rank(merged, &own);
  check(own == (is_low ? size - low + rank : rank - low), "MPI_Intercomm_merge");
  MPI_Comm_free(&merged);
  MPI_Comm_split(inter, 0, 0, &merged);
  MPI_Comm_remote_size(merged, &remote);
  check(remote == (is_low ? size - low : low), "MPI_Comm_split of two groups");
  MPI_Comm_free(&merged);
  /* The first ranks of both groups. */
  MPI_Group all, first;
  const int zero = 0;
  MPI_Comm_group(inter, &all);
  MPI_Group_incl(all, 1, &zero, &first);
  MPI_Comm_create(inter, first, &merged);
  check((merged != MPI_COMM_NULL) == (rank == 0 || rank == low), "MPI_Comm_create of two groups");
  if (merged != MPI_COMM_NULL) {
    MPI_Comm_remote_size(merged, &remote);
    check(remote == 1, "the other group of MPI_Comm_create");
    MPI_Comm_free(&merged);
  }
  MPI_Group_free(&first);
  MPI_Group_free(&all);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  by_members();
  duplicates();
  two_groups();
  return end();
}
