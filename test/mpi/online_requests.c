/* Requests beyond sending and receiving: matched probes, cancelling, freeing, persistent
 * collectives. Prints "ok" from rank 0. */
#include "online_checks.h"

static void matched(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int values[3] = {rank, rank, rank}, got[3] = {-1, -1, -1}, count = 0, found = 0;
  MPI_Request request;
  MPI_Message first, second;
  MPI_Status status;
  MPI_Isend(values, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Isend(values, 3, MPI_INT, next, 5, MPI_COMM_WORLD, &request);
  MPI_Mprobe(before, 5, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
  while (!found) MPI_Improbe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &second, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  check(count == 3 && status.MPI_TAG == 5, "MPI_Improbe after MPI_Mprobe");
  MPI_Mrecv(got, 3, MPI_INT, &second, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  check(count == 3 && got[2] == before && second == MPI_MESSAGE_NULL, "MPI_Mrecv");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Imrecv(got, 1, MPI_INT, &first, &request);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  check(count == 1, "MPI_Imrecv");
}

static void cancelled(void) {
  int got = -1, flag = 0, value = rank;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  check(flag && got == -1, "MPI_Cancel of a receive");
  MPI_Issend(&value, 1, MPI_INT, (rank + 1) % size, 98, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  check(flag, "MPI_Cancel of a send");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Iprobe(MPI_ANY_SOURCE, 98, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  check(!flag, "a cancelled message");
}

static void freed(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int got = -1;
  MPI_Request request;
  MPI_Irecv(&got, 1, MPI_INT, before, 6, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Send(&rank, 1, MPI_INT, next, 6, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 1000 && got != before; ++i) {
    int flag;
    MPI_Iprobe(before, 60, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
  check(got == before, "a receive whose request is freed");
  MPI_Datatype pair;
  int two[2] = {-1, -1}, flag = 0;
  MPI_Type_vector(2, 1, 1, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Irecv(two, 1, pair, before, 7, MPI_COMM_WORLD, &request);
  const int sent[2] = {rank, rank};
  MPI_Send(sent, 1, pair, next, 7, MPI_COMM_WORLD);
  MPI_Type_free(&pair);
  MPI_Status status;
  while (!flag) MPI_Request_get_status(request, &flag, &status);
  check(status.MPI_SOURCE == before && request != MPI_REQUEST_NULL, "MPI_Request_get_status");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(two[0] == before && two[1] == before, "a receive whose type is freed");
}

/* A message may end in the middle of an element. */
static void partial(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size, counts[2] = {2, 2},
            places[2] = {0, 3}, sent[3] = {rank, rank + 1, rank + 2};
  int got[5] = {-1, -1, -1, -1, -1}, elements = 0;
  MPI_Datatype type;
  MPI_Status status;
  MPI_Type_indexed(2, counts, places, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(sent, 3, MPI_INT, next, 8, got, 1, type, before, 8, MPI_COMM_WORLD, &status);
  MPI_Get_elements(&status, type, &elements);
  check(
      elements == 3 && got[1] == before + 1 && got[2] == -1 && got[3] == before + 2 && got[4] == -1,
      "part of an element");
  MPI_Type_free(&type);
}

#if MPI_VERSION >= 4
static void persistent(void) {
  int value, sum, flag = 0, root_value = 0;
  MPI_Request requests[3];
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[0]);
  MPI_Bcast_init(&root_value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  for (int i = 1; i < 4; ++i) {
    value = i * rank;
    if (rank == 0) root_value = i;
    MPI_Startall(3, requests);
    while (!flag) MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    flag = 0;
    check(sum == i * size * (size - 1) / 2 && root_value == i, "a persistent collective");
  }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
}

static void exchanged(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int got = -1, both = rank;
  MPI_Request requests[2];
  MPI_Isendrecv(&rank, 1, MPI_INT, next, 7, &got, 1, MPI_INT, before, 7, MPI_COMM_WORLD,
                &requests[0]);
  MPI_Isendrecv_replace(&both, 1, MPI_INT, next, 8, before, 8, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(got == before && both == before, "MPI_Isendrecv and MPI_Isendrecv_replace");
}
#else
static void persistent(void) {}
static void exchanged(void) {}
#endif

int main(int argc, char** argv) {
  begin(&argc, &argv);
  matched();
  cancelled();
  freed();
  partial();
  persistent();
  exchanged();
  return end();
}
