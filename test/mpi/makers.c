/* makers MAKER: makes communicators in one way, by those who have to make them together, between
 * computations of which rank 3's is the longest. The ranks disagree about how many communicators
 * they make, wherever MPI lets them, and call collectives of the new communicator and of
 * MPI_COMM_WORLD. Exit status 77: this MPI does not have it. Runs with 4 ranks. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { kRounds = 6, kSize = 4, kSkipped = 77 };

static int rank, size;

/* Sleeps, so that a crowded machine gives the same shares. */
static void compute(int units) {
  const struct timespec t = {0, units * 1000000L};
  nanosleep(&t, NULL);
}

/* What the members do on a communicator that was just made. */
static void use(MPI_Comm c, int sum_of_world_ranks) {
  int inter, sum = 0, mine = rank;
  if (c == MPI_COMM_NULL) return;
  MPI_Comm_test_inter(c, &inter);
  MPI_Barrier(c);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, c);
  if (sum != sum_of_world_ranks) {
    fprintf(stderr, "rank %d: the members' ranks sum up to %d and not %d\n", rank, sum,
            sum_of_world_ranks);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* What all ranks do in between: one exchange that tells the ranks' order, one that all wait for. */
static void together(void) {
  int all[kSize];
  compute(rank == 3 ? 60 : 1);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_Group group_of(int n, const int* ranks) {
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, n, ranks, &group);
  MPI_Group_free(&world);
  return group;
}

static void free_if_made(MPI_Comm* c) {
  if (*c != MPI_COMM_NULL) MPI_Comm_free(c);
}

/* The lower or the upper half of the ranks. */
static MPI_Comm half(void) {
  MPI_Comm c;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &c);
  return c;
}
static int other_half(void) {
  return rank < 2 ? 5 : 1;
}
static int own_half(void) {
  return rank < 2 ? 1 : 5;
}

static void plain_dup(void) {
  MPI_Comm c;
  MPI_Comm_dup(MPI_COMM_WORLD, &c);
  use(c, 6);
  MPI_Comm_free(&c);
}

static void dup_with_info(void) {
  MPI_Comm c;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &c);
  use(c, 6);
  MPI_Comm_free(&c);
}

static void idup(void) {
  MPI_Comm c[2];
  MPI_Request r[2];
  MPI_Status s[2];
  MPI_Comm_idup(MPI_COMM_WORLD, &c[0], &r[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &c[1], &r[1]);
  MPI_Waitall(2, r, s);
  use(c[1], 6);
  use(c[0], 6);
  MPI_Comm_free(&c[0]);
  MPI_Comm_free(&c[1]);
}

static void idup_with_info(void) {
#if MPI_VERSION >= 4
  MPI_Comm c;
  MPI_Request r;
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &c, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  use(c, 6);
  MPI_Comm_free(&c);
#endif
}

static void split(void) {
  MPI_Comm c;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : rank % 2, -rank, &c);
  use(c, rank == 3 ? 3 : 2);
  free_if_made(&c);
}

static void split_type(void) {
  MPI_Comm c;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &c);
  use(c, 6);
  MPI_Comm_free(&c);
}

static void create(void) {
  const int members[] = {3, 1};
  MPI_Group group = group_of(2, members);
  MPI_Comm c;
  MPI_Comm_create(MPI_COMM_WORLD, group, &c);
  use(c, 4);
  free_if_made(&c);
  MPI_Group_free(&group);
}

/* Rank 0 and 2 make one communicator more than rank 3, and rank 1 makes none. */
static void create_group(void) {
  const int pair[] = {2, 0}, three[] = {0, 2, 3};
  MPI_Comm c;
  MPI_Group group;
  if (rank == 0 || rank == 2) {
    group = group_of(2, pair);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &c);
    use(c, 2);
    MPI_Comm_free(&c);
    MPI_Group_free(&group);
  }
  if (rank != 1) {
    group = group_of(3, three);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 6, &c);
    use(c, 5);
    MPI_Comm_free(&c);
    MPI_Group_free(&group);
  }
}

static void create_from_group(void) {
#if MPI_VERSION >= 4
  const int members[] = {3, 0};
  MPI_Comm c;
  if (rank != 3 && rank != 0) return;
  MPI_Group group = group_of(2, members);
  MPI_Comm_create_from_group(group, "makers", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
  use(c, 3);
  MPI_Comm_free(&c);
  MPI_Group_free(&group);
#endif
}

/* Ranks 1 and 2 alone: the leaders of communicators that hold nobody else. */
static void intercomm_create(void) {
  MPI_Comm own, c;
  if (rank == 1 || rank == 2) {
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 3 - rank, 3, &c);
    use(c, 3 - rank);
    MPI_Comm_free(&c);
  }
  own = half();
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 4, &c);
  use(c, other_half());
  MPI_Comm_free(&c);
  use(own, own_half());
  MPI_Comm_free(&own);
}

static void intercomm_create_from_groups(void) {
#if MPI_VERSION >= 4
  const int low[] = {0}, high[] = {2, 3};
  MPI_Comm c;
  if (rank == 1) return;
  MPI_Group a = group_of(1, low), b = group_of(2, high);
  MPI_Intercomm_create_from_groups(rank == 0 ? a : b, 0, rank == 0 ? b : a, 0, "makers",
                                   MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
  use(c, rank == 0 ? 5 : 0);
  MPI_Comm_free(&c);
  MPI_Group_free(&a);
  MPI_Group_free(&b);
#endif
}

static void intercomm_merge(void) {
  MPI_Comm own = half(), inter, c;
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 4, &inter);
  MPI_Intercomm_merge(inter, rank < 2, &c);
  use(c, 6);
  MPI_Comm_free(&c);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&own);
}

static void cart_create(void) {
  const int dims[] = {3}, periods[] = {1};
  MPI_Comm c;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &c);
  use(c, 3);
  free_if_made(&c);
}

static void cart_sub(void) {
  const int dims[] = {2, 2}, periods[] = {0, 0}, remain[] = {0, 1};
  MPI_Comm grid, c;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, remain, &c);
  use(c, own_half());
  MPI_Comm_free(&c);
  MPI_Comm_free(&grid);
}

static void graph_create(void) {
  const int index[] = {1, 2, 2}, edges[] = {1, 0};
  MPI_Comm c;
  MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &c);
  use(c, 3);
  free_if_made(&c);
}

static void dist_graph_create(void) {
  const int degree = 1, weight = 1, to = (rank + 1) % kSize;
  MPI_Comm c;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &to, &weight, MPI_INFO_NULL, 0, &c);
  use(c, 6);
  MPI_Comm_free(&c);
}

static void dist_graph_create_adjacent(void) {
  const int weight = 1, to = (rank + 1) % kSize, from = (rank + kSize - 1) % kSize;
  MPI_Comm c;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &weight, 1, &to, &weight, MPI_INFO_NULL,
                                 0, &c);
  use(c, 6);
  MPI_Comm_free(&c);
}

/* Ranks 0 and 1 are connected to 2 and 3. */
static void accept_connect(void) {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm own = half(), c;
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 2, 9, MPI_COMM_WORLD);
  }
  if (rank == 2) {
    MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank < 2) {
    MPI_Comm_accept(port, MPI_INFO_NULL, 0, own, &c);
  } else {
    MPI_Comm_connect(port, MPI_INFO_NULL, 0, own, &c);
  }
  use(c, other_half());
  MPI_Comm_disconnect(&c);
  if (rank == 0) MPI_Close_port(port);
  MPI_Comm_free(&own);
}

/* Ranks 1 and 2 over a socket. */
static void join(void) {
  static int round;
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0), listening;
  MPI_Comm c;
  snprintf(name.sun_path, sizeof name.sun_path, "join.%d", round++);
  if (rank == 1) {
    listening = fd;
    unlink(name.sun_path);
    if (bind(listening, (struct sockaddr*)&name, sizeof name) != 0 || listen(listening, 1) != 0) {
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Send(NULL, 0, MPI_INT, 2, 9, MPI_COMM_WORLD);
    fd = accept(listening, NULL, NULL);
    close(listening);
  } else if (rank == 2) {
    MPI_Recv(NULL, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (connect(fd, (struct sockaddr*)&name, sizeof name) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 1 || rank == 2) {
    MPI_Comm_join(fd, &c);
    use(c, 3 - rank);
    MPI_Comm_disconnect(&c);
  }
  close(fd);
}

static const struct {
  const char* name;
  void (*make)(void);
  int version; /* of MPI, that has it */
} makers[] = {
    {"comm_dup", plain_dup, 1},
    {"comm_dup_with_info", dup_with_info, 3},
    {"comm_idup", idup, 3},
    {"comm_idup_with_info", idup_with_info, 4},
    {"comm_split", split, 1},
    {"comm_split_type", split_type, 3},
    {"comm_create", create, 1},
    {"comm_create_group", create_group, 3},
    {"comm_create_from_group", create_from_group, 4},
    {"intercomm_create", intercomm_create, 1},
    {"intercomm_create_from_groups", intercomm_create_from_groups, 4},
    {"intercomm_merge", intercomm_merge, 1},
    {"cart_create", cart_create, 1},
    {"cart_sub", cart_sub, 1},
    {"graph_create", graph_create, 1},
    {"dist_graph_create", dist_graph_create, 2},
    {"dist_graph_create_adjacent", dist_graph_create_adjacent, 2},
    {"comm_accept", accept_connect, 2},
    {"comm_join", join, 2},
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int status = 1;
  for (size_t m = 0; m < sizeof makers / sizeof *makers; ++m) {
    if (argc < 2 || strcmp(argv[1], makers[m].name) != 0) continue;
    status = makers[m].version > MPI_VERSION ? kSkipped : size != kSize;
    for (int i = 0; status == 0 && i < kRounds; ++i) {
      makers[m].make();
      together();
    }
  }
  MPI_Finalize();
  return status;
}
