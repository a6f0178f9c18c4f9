/* waiting KIND: rank 0 comes 50 ms late three times, and rank 1 waits for it in that kind of call.
 */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kTimes = 3, kLate = 50000, kMissing = 77 };

static int rank;
static int data[4];
static MPI_Win window;
static MPI_File file;
static MPI_Comm between;
static MPI_Comm line;

static int is(const char* kind, const char* name) {
  return strcmp(kind, name) == 0;
}

static void late(void) {
  if (rank == 0) usleep(kLate);
}

static void message(const char* kind) {
  if (rank == 0) {
    MPI_Send(data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int found = 0;
  int which = 0;
  if (is(kind, "probe")) {
    MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
  } else if (is(kind, "iprobe")) {
    while (!found) MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, &status);
  } else {
    MPI_Irecv(data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
    while (!found) {
      if (is(kind, "test")) MPI_Test(&request, &found, &status);
      if (is(kind, "testsome")) MPI_Testsome(1, &request, &found, &which, &status);
    }
    return;
  }
  MPI_Recv(data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
}

static void epoch(void) {
  MPI_Group all;
  MPI_Group other;
  const int peer = 1 - rank;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  if (rank == 0) {
    MPI_Win_post(other, 0, window);
    MPI_Win_wait(window);
  } else {
    MPI_Win_start(other, 0, window);
    MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
  }
  MPI_Group_free(&other);
  MPI_Group_free(&all);
}

static void create(const char* kind) {
  MPI_Comm made;
  if (is(kind, "dup")) MPI_Comm_dup(MPI_COMM_WORLD, &made);
  if (is(kind, "split")) MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &made);
  if (is(kind, "cart")) {
    const int two = 2;
    const int periodic = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &periodic, 0, &made);
  }
  if (is(kind, "win")) {
    void* base;
    MPI_Win other;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &other);
    MPI_Win_free(&other);
    return;
  }
  if (is(kind, "open")) {
    MPI_File other;
    MPI_File_open(MPI_COMM_WORLD, "waiting.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &other);
    MPI_File_close(&other);
    return;
  }
  MPI_Comm_free(&made);
}

static void plan(void) {
#if MPI_VERSION >= 4
  static MPI_Request request = MPI_REQUEST_NULL;
  if (request == MPI_REQUEST_NULL) {
    MPI_Allreduce_init(data, data + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
  }
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
}

static void neighbours(const char* kind) {
  int from[2];
  if (is(kind, "neighbours")) {
    MPI_Neighbor_allgather(data, 1, MPI_INT, from, 1, MPI_INT, line);
    return;
  }
  MPI_Request request;
  MPI_Ineighbor_allgather(data, 1, MPI_INT, from, 1, MPI_INT, line, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void meet(const char* kind) {
  const int root = rank == 0 ? MPI_ROOT : 0;
  if (is(kind, "fence")) {
    MPI_Win_fence(0, window);
  } else if (is(kind, "epoch")) {
    epoch();
  } else if (is(kind, "write_all")) {
    MPI_File_write_at_all(file, 4 * rank, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  } else if (is(kind, "write_ordered")) {
    MPI_File_write_ordered(file, data, 1, MPI_INT, MPI_STATUS_IGNORE);
  } else if (is(kind, "plan")) {
    plan();
  } else if (is(kind, "between")) {
    MPI_Bcast(data, 1, MPI_INT, root, between);
  } else if (strstr(kind, "neighbours") != NULL) {
    neighbours(kind);
  } else if (strstr("probe iprobe test testsome", kind) != NULL) {
    message(kind);
  } else {
    create(kind);
  }
}

int main(int argc, char** argv) {
  const char* kind = argc > 1 ? argv[1] : "probe";
  MPI_Init(&argc, &argv);
#if MPI_VERSION < 4
  if (is(kind, "plan")) {
    MPI_Finalize();
    return kMissing;
  }
#endif
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void* base;
  MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Comm own;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, 1 - rank, 9, &between);
  const int two = 2;
  const int periodic = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &periodic, 0, &line);
  MPI_File_open(MPI_COMM_WORLD, "waiting.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                &file);
  for (int i = 0; i < kTimes; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    late();
    meet(kind);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
  MPI_Comm_free(&line);
  MPI_Comm_free(&between);
  MPI_Comm_free(&own);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
