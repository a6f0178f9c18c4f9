/* scenario MODE: small programs that end, or live, in ways a recording must stand.
 *   kill       rank 1 is killed in the middle of a ring of messages
 *   abort      rank 1 calls MPI_Abort(3)
 *   leave      all ranks return from main without MPI_Finalize
 *   status     ends with exit status 5
 *   many N     a ring of N messages; prints a checksum
 *   limit N    the same, with no file larger than 512 KiB
 *   threads    MPI_THREAD_MULTIPLE: two threads a rank exchange messages
 *   children   starts programs that are no MPI programs
 *   paused     MPI_Pcontrol switches recording off and on, and marks regions
 *   large      a message count whose bytes do not fit into 32 bits
 *   errors     probes with a wrong argument, which return an error and find nothing
 *   closed     closes its standard input and output before MPI_Finalize
 *   cleared    removes its environment before MPI_Finalize
 *   refused    calls with wrong arguments on rank 0, and one that fails after its message came
 *   abandoned  calls that an error handler leaves by longjmp, and one whose callback calls MPI
 *   compute    10 times 20 ms of CPU time, however long that takes, and a barrier
 *   nothing    no MPI call at all */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <slackline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static int ring(int rounds) {
  int value = rank;
  for (int i = 0; i < rounds; ++i) {
    MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return value;
}

static void many(int rounds) {
  long sum = 0, mine = ring(rounds);
  MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %ld\n", sum);
}

static void* exchange(void* argument) {
  const int tag = *(int*)argument;
  for (int i = 0; i < 50; ++i) {
    int out = i, in = -1;
    MPI_Request r[2];
    MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    if (in != i) abort();
  }
  return NULL;
}

static void threads(void) {
  pthread_t other;
  int tags[2] = {1, 2};
  pthread_create(&other, NULL, exchange, &tags[1]);
  exchange(&tags[0]);
  pthread_join(other, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void children(void) {
  if (system("test \"$(echo child)\" = child") != 0) exit(9);
  FILE* p = popen("cat /proc/self/cmdline | wc -c", "r");
  int n = 0;
  if (p == NULL || fscanf(p, "%d", &n) != 1 || n == 0) exit(9);
  pclose(p);
  ring(3);
}

static void paused(void) {
  slackline_region_begin("solve");
  ring(2);
  MPI_Pcontrol(0);
  ring(5);
  MPI_Pcontrol(1);
  ring(1);
  slackline_region_end("solve");
  MPI_Pcontrol(7);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(-7);
}

static void large(void) {
  /* 3 GiB by a datatype of which nothing but two bytes is touched. */
  MPI_Datatype big;
  MPI_Request r;
  MPI_Type_contiguous(1 << 20, MPI_CHAR, &big);
  MPI_Type_commit(&big);
  MPI_Recv_init(NULL, 3 << 10, big, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r);
  MPI_Request_free(&r);
  MPI_Type_free(&big);
}

static void errors(void) {
  int found = 1;
  MPI_Message message;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Iprobe(size, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE) == MPI_SUCCESS) exit(9);
  found = 1;
  if (MPI_Improbe(0, -7, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS)
    exit(9);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void returned(int error) {
  if (error == MPI_SUCCESS) exit(9);
}

static void refused(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  int values[2] = {rank, rank};
  MPI_Request request;
  MPI_Comm made;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  if (rank == 0) {
    returned(MPI_Bcast(values, -1, MPI_INT, 0, world));
    returned(MPI_Bcast(values, 1, MPI_INT, size, world));
    returned(MPI_Ibcast(values, 1, MPI_INT, size, world, &request));
    returned(MPI_Gather(values, 1, MPI_INT, values, 1, MPI_DATATYPE_NULL, 0, world));
    returned(MPI_Cart_create(world, -1, values, values, 0, &made));
    returned(MPI_Send(values, 1, MPI_INT, size, 1, world));
    returned(MPI_Isend(values, 1, MPI_INT, size, 1, world, &request));
    returned(MPI_Sendrecv(values, 1, MPI_INT, size, 1, values, 1, MPI_INT, 1, 1, world,
                          MPI_STATUS_IGNORE));
    returned(MPI_Recv(values, 1, MPI_INT, size, 1, world, MPI_STATUS_IGNORE));
    returned(MPI_Recv(values, 1, MPI_INT, 1, 2, world, MPI_STATUS_IGNORE));
  } else if (rank == 1) {
    MPI_Send(values, 2, MPI_INT, 0, 2, world);
  }
  MPI_Bcast(values, 1, MPI_INT, 0, world);
  many(3);
}

static jmp_buf back;

static void leave(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  longjmp(back, 1);
}

static int probing_copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)keyval;
  (void)extra;
  (void)in;
  (void)out;
  *flag = 0;
  int found;
  return MPI_Iprobe(MPI_ANY_SOURCE, 7, comm, &found, MPI_STATUS_IGNORE);
}

/* This many frames below the caller's. */
static void send_to_nobody(int depth) {
  volatile char room[256] = {0};
  if (depth > 0) {
    send_to_nobody(depth - 1);
    room[1] = room[0];
  } else {
    MPI_Send(&rank, 1, MPI_INT, size, 1, MPI_COMM_WORLD);
  }
}

/* Until every rank has come, without MPI: a launcher ends the others as soon as one has left. */
static void wait_for_all(void) {
  char name[32];
  snprintf(name, sizeof name, "left.%d", rank);
  fclose(fopen(name, "w"));
  for (int other = 0; other < size; ++other) {
    snprintf(name, sizeof name, "left.%d", other);
    while (access(name, F_OK) != 0) usleep(1000);
  }
}

static void ring_below(int depth) {
  volatile char room[256] = {0};
  if (depth > 0) {
    ring_below(depth - 1);
    room[1] = room[0];
  } else {
    ring(2);
  }
}

static void abandoned(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (volatile int i = 0; i < 6; ++i) {
    const int depth = i % 3;
    if (setjmp(back) == 0) send_to_nobody(2 * depth);
    ring_below(5 - 2 * depth);
  }
  int keyval;
  MPI_Comm copy;
  MPI_Comm_create_keyval(probing_copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  many(3);
}

static long cpu_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void compute(void) {
  for (int i = 0; i < 10; ++i) {
    for (const long end = cpu_us() + 20000; cpu_us() < end;) continue;
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "nothing") == 0) return 0;
  int provided;
  if (strcmp(mode, "threads") == 0) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
      MPI_Finalize();
      return 77;
    }
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int status = 0;
  if (strcmp(mode, "kill") == 0) {
    ring(20);
    if (rank == 1) kill(getpid(), SIGKILL);
    ring(20);
  } else if (strcmp(mode, "abort") == 0) {
    ring(20);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
    ring(20);
  } else if (strcmp(mode, "leave") == 0) {
    ring(20);
    wait_for_all();
    _exit(0);
  } else if (strcmp(mode, "status") == 0) {
    status = 5;
  } else if (strcmp(mode, "many") == 0) {
    many(atoi(argv[2]));
  } else if (strcmp(mode, "limit") == 0) {
    const struct rlimit limit = {512 << 10, 512 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    many(atoi(argv[2]));
  } else if (strcmp(mode, "closed") == 0) {
    many(3);
    fclose(stdin);
    fclose(stdout);
  } else if (strcmp(mode, "cleared") == 0) {
    many(3);
    clearenv();
  } else if (strcmp(mode, "threads") == 0) {
    threads();
  } else if (strcmp(mode, "children") == 0) {
    children();
  } else if (strcmp(mode, "paused") == 0) {
    paused();
  } else if (strcmp(mode, "compute") == 0) {
    compute();
  } else if (strcmp(mode, "errors") == 0) {
    errors();
  } else if (strcmp(mode, "abandoned") == 0) {
    abandoned();
  } else if (strcmp(mode, "refused") == 0) {
    refused();
  } else if (strcmp(mode, "large") == 0) {
    large();
  }
  MPI_Finalize();
  return status;
}
