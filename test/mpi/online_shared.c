/* Ranks that may share a process: each has its own variables, of all kinds, and its own end.
 * argv[1]: "child", rank 1 has one that writes to them; "thread", it starts one; "leave", it exits
 * before MPI_Finalize. Rank 1 ends with status 3. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kLarge = 100000 };
static int zero[kLarge];
static int first = 7;
static int* to_own = &zero[kLarge - 1];
static const char* what = "";

static int counted(void) {
  static int times;
  return ++times;
}

static void check(int condition, const char* of) {
  if (condition) return;
  printf("wrong: %s\n", of);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 4);
}

static void* nothing(void* unused) {
  return unused;
}

static void child_writes(int rank) {
  const pid_t child = fork();
  if (child == 0) {
    const int same = *to_own == rank && first == 7 + rank;
    memset(zero, 1, sizeof zero);
    first = 0;
    _exit(same ? 0 : 1);
  }
  int status = 1;
  check(waitpid(child, &status, 0) == child && status == 0, "a child has its parent's variables");
}

int main(int argc, char** argv) {
  int flag = 1, rank, ranks;
  what = argc > 1 ? argv[1] : "";
  check(MPI_Initialized(&flag) == MPI_SUCCESS && !flag, "MPI_Initialized before MPI_Init");
  check(counted() == 1 && first == 7 && *to_own == 0, "variables as they are compiled");
  check(argv[0][0] != '!', "arguments of its own");
  argv[0][0] = '!';
  check(getopt(argc, argv, "x") == -1 && optind == 1, "getopt() begins anew");
  MPI_Init(&argc, &argv);
  check(MPI_Initialized(&flag) == MPI_SUCCESS && flag, "MPI_Initialized");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  first += rank;
  *to_own = rank;
  for (int i = 0; i < 5; ++i) {
    int from = -1;
    zero[i] = 100 * rank + i;
    MPI_Sendrecv(&zero[i], 1, MPI_INT, (rank + 1) % ranks, 0, &from, 1, MPI_INT,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(from == 100 * ((rank + ranks - 1) % ranks) + i, "messages from variables");
    check(counted() == i + 2, "variables of a function");
  }
  if (rank == 1 && strcmp(what, "child") == 0) child_writes(rank);
  if (rank == 1 && strcmp(what, "leave") == 0) exit(5);
  pthread_t thread;
  if (rank == 1 && strcmp(what, "thread") == 0) pthread_create(&thread, NULL, nothing, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  check(first == 7 + rank && *to_own == rank && zero[4] == 100 * rank + 4, "variables at the end");
  check(MPI_Finalized(&flag) == MPI_SUCCESS && !flag, "MPI_Finalized before");
  MPI_Finalize();
  check(MPI_Finalized(&flag) == MPI_SUCCESS && flag, "MPI_Finalized");
  if (rank == 1) exit(3);
  return 0;
}
