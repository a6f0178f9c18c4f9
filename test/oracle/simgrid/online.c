/* Performs a time-independent trace by real MPI calls, to be run under SimGrid's smpirun: its
   replay crashes with many collective algorithms, its on-line simulation does not.

   usage: online TRACE   (all ranks' lines in one file)
   Prints "date|rank action" when an action ends, as the replay does. */
#include <mpi.h>
#include <simgrid/engine.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kWords = 600, kRequests = 4096 };

static char** words;
static int count;
static int size_of_all;
static MPI_Request requests[kRequests];
static int keys[kRequests][3];
static int open_requests;
static char* send_buffer;
static char* receive_buffer;

static int number(int i) {
  return i < count ? (int)atof(words[i]) : 0;
}

static MPI_Datatype type(int i) {
  if (i >= count) return MPI_BYTE;
  switch (number(i)) {
    case 0:
      return MPI_DOUBLE;
    case 1:
      return MPI_INT;
    default:
      return MPI_BYTE;
  }
}

static MPI_Op operation(MPI_Datatype t) {
  return t == MPI_BYTE ? MPI_BOR : MPI_MAX;
}

/* Not commutative, so that scans wait in the order of ranks, as the replay's do. */
static void keep(void* in, void* inout, int* length, MPI_Datatype* t) {
  (void)in, (void)inout, (void)length, (void)t;
}

static MPI_Op ordered(void) {
  static MPI_Op op = MPI_OP_NULL;
  if (op == MPI_OP_NULL) MPI_Op_create(keep, 0, &op);
  return op;
}

static void flops(double amount) {
  if (amount > 0) smpi_execute_flops(amount);
}

static void remember(int source, int destination, int tag) {
  keys[open_requests][0] = source;
  keys[open_requests][1] = destination;
  keys[open_requests][2] = tag;
  ++open_requests;
}

static void forget(int at) {
  --open_requests;
  for (int i = at; i < open_requests; ++i) {
    requests[i] = requests[i + 1];
    memcpy(keys[i], keys[i + 1], sizeof keys[i]);
  }
}

static void wait_one(void) {
  for (int i = 0; i < open_requests; ++i) {
    if (keys[i][0] != number(2) || keys[i][1] != number(3) || keys[i][2] != number(4)) continue;
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    return forget(i);
  }
}

static int* numbers(int first, int n) {
  int* list = malloc((size_t)n * sizeof *list);
  for (int i = 0; i < n; ++i) list[i] = number(first + i);
  return list;
}

static int* displacements(const int* counts, int n) {
  int* list = malloc((size_t)n * sizeof *list);
  for (int i = 0, sum = 0; i < n; sum += counts[i++]) list[i] = sum;
  return list;
}

static void vectors(const char* verb, int P) {
  if (strcmp(verb, "alltoallv") == 0) {
    int* sent = numbers(3, P);
    int* received = numbers(4 + P, P);
    MPI_Alltoallv(send_buffer, sent, displacements(sent, P), MPI_BYTE, receive_buffer, received,
                  displacements(received, P), MPI_BYTE, MPI_COMM_WORLD);
  } else if (strcmp(verb, "gatherv") == 0) {
    int* counts = numbers(3, P);
    MPI_Gatherv(send_buffer, number(2), MPI_BYTE, receive_buffer, counts, displacements(counts, P),
                MPI_BYTE, number(3 + P), MPI_COMM_WORLD);
  } else if (strcmp(verb, "scatterv") == 0) {
    int* counts = numbers(2, P);
    MPI_Scatterv(send_buffer, counts, displacements(counts, P), MPI_BYTE, receive_buffer,
                 number(2 + P), MPI_BYTE, number(3 + P), MPI_COMM_WORLD);
  } else if (strcmp(verb, "allgatherv") == 0) {
    int* counts = numbers(3, P);
    MPI_Allgatherv(send_buffer, number(2), MPI_BYTE, receive_buffer, counts,
                   displacements(counts, P), MPI_BYTE, MPI_COMM_WORLD);
  } else {
    int* counts = numbers(2, P);
    MPI_Reduce_scatter(send_buffer, receive_buffer, counts, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    flops(atof(words[2 + P]));
  }
}

static void collective(const char* verb, int P) {
  if (strcmp(verb, "barrier") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(verb, "bcast") == 0) {
    MPI_Bcast(send_buffer, number(2), type(4), number(3), MPI_COMM_WORLD);
  } else if (strcmp(verb, "reduce") == 0) {
    MPI_Reduce(send_buffer, receive_buffer, number(2), type(5), operation(type(5)), number(4),
               MPI_COMM_WORLD);
    flops(atof(words[3]));
  } else if (strcmp(verb, "allreduce") == 0) {
    MPI_Allreduce(send_buffer, receive_buffer, number(2), type(4), operation(type(4)),
                  MPI_COMM_WORLD);
    flops(atof(words[3]));
  } else if (strcmp(verb, "alltoall") == 0) {
    MPI_Alltoall(send_buffer, number(2), type(4), receive_buffer, number(3), type(5),
                 MPI_COMM_WORLD);
  } else if (strcmp(verb, "allgather") == 0) {
    MPI_Allgather(send_buffer, number(2), type(4), receive_buffer, number(3), type(5),
                  MPI_COMM_WORLD);
  } else if (strcmp(verb, "gather") == 0) {
    MPI_Gather(send_buffer, number(2), type(5), receive_buffer, number(3), type(6), number(4),
               MPI_COMM_WORLD);
  } else if (strcmp(verb, "scatter") == 0) {
    MPI_Scatter(send_buffer, number(2), type(5), receive_buffer, number(3), type(6), number(4),
                MPI_COMM_WORLD);
  } else if (strcmp(verb, "scan") == 0) {
    MPI_Scan(send_buffer, receive_buffer, number(2), type(4), ordered(), MPI_COMM_WORLD);
    flops(atof(words[3]));
  } else if (strcmp(verb, "exscan") == 0) {
    MPI_Exscan(send_buffer, receive_buffer, number(2), type(4), ordered(), MPI_COMM_WORLD);
    flops(atof(words[3]));
  } else {
    vectors(verb, P);
  }
}

static void act(int P, int rank) {
  const char* verb = words[1];
  if (strcmp(verb, "compute") == 0) {
    flops(atof(words[2]));
  } else if (strcmp(verb, "sleep") == 0) {
    smpi_usleep((useconds_t)(atof(words[2]) * 1e6 + 0.5));
  } else if (strcmp(verb, "send") == 0) {
    MPI_Send(send_buffer, number(4), type(5), number(2), number(3), MPI_COMM_WORLD);
  } else if (strcmp(verb, "recv") == 0) {
    MPI_Recv(receive_buffer, number(4), type(5), number(2), number(3), MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  } else if (strcmp(verb, "isend") == 0) {
    MPI_Isend(send_buffer, number(4), type(5), number(2), number(3), MPI_COMM_WORLD,
              &requests[open_requests]);
    remember(rank, number(2), number(3));
  } else if (strcmp(verb, "irecv") == 0) {
    MPI_Irecv(receive_buffer, number(4), type(5), number(2), number(3), MPI_COMM_WORLD,
              &requests[open_requests]);
    remember(number(2), rank, number(3));
  } else if (strcmp(verb, "wait") == 0) {
    wait_one();
  } else if (strcmp(verb, "waitall") == 0) {
    MPI_Waitall(open_requests, requests, MPI_STATUSES_IGNORE);
    open_requests = 0;
  } else if (strcmp(verb, "sendRecv") == 0) {
    MPI_Sendrecv(send_buffer, number(2), type(6), number(3), 0, receive_buffer, number(4), type(7),
                 number(5), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    collective(verb, P);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size_of_all);
  words = malloc(kWords * sizeof *words);
  const size_t bytes = (size_t)64 << 20;
  send_buffer = calloc(bytes, 1);
  receive_buffer = calloc(bytes, 1);
  FILE* trace = fopen(argv[1], "r");
  static char line[16384];
  while (trace != NULL && fgets(line, sizeof line, trace) != NULL) {
    count = 0;
    for (char* word = strtok(line, " \n"); word != NULL && count < kWords;
         word = strtok(NULL, " \n")) {
      words[count++] = word;
    }
    if (count < 2 || atoi(words[0]) != rank) continue;
    if (strcmp(words[1], "init") == 0 || strcmp(words[1], "finalize") == 0) continue;
    act(size_of_all, rank);
    printf("%.12f|%d %s\n", simgrid_get_clock(), rank, words[1]);
  }
  fclose(trace);
  MPI_Finalize();
  return 0;
}
