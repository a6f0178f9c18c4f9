/* What `slackline inject` is measured with: patterns of messages between ranks, timed by the clock
 * that all processes of a host share. Each line of rank 0 is "NAME BYTES REPETITION VALUE_NS". */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, ranks;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void compute_until(uint64_t end_ns) {
  while (now_ns() < end_ns) continue;
}

static void result(const char* name, int bytes, int repetition, uint64_t value) {
  if (rank == 0) printf("%s %d %d %llu\n", name, bytes, repetition, (unsigned long long)value);
}

/* Both begin at the same time, which is far enough away that the messages about it are over. */
static void meet(void) {
  uint64_t begin = now_ns() + 3000000;
  MPI_Bcast(&begin, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  compute_until(begin);
}

/* Half of a round trip, the time of the send, and from a send's begin to its receive's end. */
static void ping_pong(char* buffer, int bytes, int repetitions) {
  for (int i = 0; i < repetitions; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 1) continue;
    const uint64_t begin = now_ns();
    uint64_t stamp = begin;
    uint64_t one_way = 0, sent = begin;
    if (rank == 0) {
      memcpy(buffer, &stamp, sizeof stamp);
      MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      sent = now_ns();
      MPI_Recv(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      stamp = now_ns();
      memcpy(buffer, &stamp, sizeof stamp);
      MPI_Send(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    const uint64_t end = now_ns();
    memcpy(&stamp, buffer, sizeof stamp);
    one_way = end - stamp;
    result("round", bytes, i, (end - begin) / 2);
    result("send", bytes, i, sent - begin);
    if (rank == 0) result("one_way", bytes, i, one_way);
  }
}

/* Two messages in a row: the delays overlap, and the sender does not wait for them. */
static void two_sends(int repetitions) {
  for (int i = 0; i < repetitions; ++i) {
    uint64_t times[3] = {0, 0, 0};
    meet();
    if (rank == 1) {
      uint64_t stamp = now_ns();
      MPI_Send(&stamp, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
      MPI_Send(&stamp, 8, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
      times[2] = now_ns() - stamp;
      MPI_Send(&times[2], 8, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
    } else if (rank == 0) {
      uint64_t stamp;
      MPI_Recv(&stamp, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      times[0] = now_ns() - stamp;
      MPI_Recv(&stamp, 8, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      times[1] = now_ns() - stamp;
      MPI_Recv(&times[2], 8, MPI_CHAR, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    result("first", 8, i, times[0]);
    result("second", 8, i, times[1]);
    result("sender", 8, i, times[2]);
  }
}

/* The receiver computes while the message is under way: that time is not added. */
static void overlap(int repetitions, uint64_t compute_ns) {
  for (int i = 0; i < repetitions; ++i) {
    uint64_t stamp = 0;
    meet();
    if (rank == 1) {
      stamp = now_ns();
      MPI_Send(&stamp, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    } else if (rank == 0) {
      compute_until(now_ns() + compute_ns);
      MPI_Recv(&stamp, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      result("overlap", 8, i, now_ns() - stamp);
    }
  }
}

/* The receive is posted 300 ms after the send of a message with a rendezvous. */
static void posted_late(char* buffer, int repetitions) {
  for (int i = 0; i < repetitions; ++i) {
    meet();
    const uint64_t posted = now_ns() + 300000000;
    if (rank == 1) MPI_Send(buffer, 1000000, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
    if (rank != 0) continue;
    compute_until(posted);
    MPI_Recv(buffer, 1000000, MPI_CHAR, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    result("posted_late", 1000000, i, now_ns() - posted);
  }
}

/* From the first of 50 sends to the last receive; the sender computes for 30 ms after them. */
static void stream(int repetitions) {
  enum { kMessages = 50 };
  static uint64_t stamps[kMessages];
  static MPI_Request requests[kMessages];
  for (int i = 0; i < repetitions; ++i) {
    meet();
    if (rank > 1) continue;
    const uint64_t begin = now_ns();
    for (int k = 0; k < kMessages; ++k) {
      stamps[k] = begin;
      if (rank == 1) MPI_Isend(&stamps[k], 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[k]);
      if (rank == 0) MPI_Irecv(&stamps[k], 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[k]);
    }
    if (rank == 1) compute_until(now_ns() + 30000000);
    MPI_Waitall(kMessages, requests, MPI_STATUSES_IGNORE);
    result("stream", 8, i, now_ns() - stamps[0]);
  }
}

/* A message of rank 0 to itself, and one that is found by a probe before it is received. */
static void itself(int repetitions) {
  for (int i = 0; i < repetitions; ++i) {
    uint64_t stamp = now_ns(), in;
    MPI_Sendrecv(&stamp, 8, MPI_CHAR, rank, 2, &in, 8, MPI_CHAR, rank, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    result("itself", 8, i, now_ns() - in);
    meet();
    stamp = now_ns();
    if (rank == 1) MPI_Send(&stamp, 8, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
    if (rank != 0) continue;
    MPI_Message message;
    MPI_Status status;
    int bytes;
    MPI_Mprobe(1, 3, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    MPI_Mrecv(&in, bytes, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    result("claimed", bytes, i, now_ns() - in);
  }
}

static void allreduce(int repetitions) {
  for (int i = 0; i < repetitions; ++i) {
    double value = rank, sum;
    meet();
    const uint64_t begin = now_ns();
    for (int k = 0; k < 4; ++k) {
      MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    result("allreduce", 8, i, (now_ns() - begin) / 4);
  }
}

/* From the lock of another rank's memory to the return from its unlock, and from fence to fence. */
static void one_sided(int repetitions) {
  char* memory;
  MPI_Win window;
  MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int i = 0; i < repetitions; ++i) {
    const uint64_t value = 1;
    meet();
    uint64_t begin = now_ns();
    if (rank == 0) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
      MPI_Put(&value, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, window);
      MPI_Win_unlock(1, window);
      result("lock", 8, i, now_ns() - begin);
    }
    MPI_Win_fence(0, window);
    begin = now_ns();
    if (rank == 0) MPI_Put(&value, 8, MPI_CHAR, 1, 0, 8, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    result("fence", 8, i, now_ns() - begin);
  }
  MPI_Win_free(&window);
}

/* Messages of all sizes, most of them unexpected: none may be lost, change or overtake another. */
static int check_order(char* buffer) {
  const int sizes[] = {0, 1, 8, 100, 500, 600, 5000, 9000, 40000, 70000, 300000};
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
    MPI_Request requests[32];
    int count = 0;
    for (int k = 0; k < 11; ++k) {
      const int bytes = sizes[(k * 7 + round) % 11];
      const int peer = (rank + 1) % ranks;
      const int from = (rank + ranks - 1) % ranks;
      char* out = buffer + (size_t)k * 600000;
      char* in = out + 300000;
      memset(out, (rank * 31 + k + round) & 127, (size_t)bytes);
      memset(in, 0x7f, (size_t)bytes);
      MPI_Isend(out, bytes, MPI_CHAR, peer, 5, MPI_COMM_WORLD, &requests[count++]);
      MPI_Irecv(in, 300000, MPI_CHAR, from, 5, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    const int from = (rank + ranks - 1) % ranks;
    for (int k = 0; k < 11; ++k) {
      const int bytes = sizes[(k * 7 + round) % 11];
      const char* in = buffer + (size_t)k * 600000 + 300000;
      for (int b = 0; b < bytes; ++b) wrong += in[b] != ((from * 31 + k + round) & 127);
    }
  }
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "all";
  const int repetitions = argc > 2 ? atoi(argv[2]) : 100;
  const int status = argc > 3 ? atoi(argv[3]) : 0;
  const int multiple = strcmp(what, "one_sided_multiple") == 0;
  int threads;
  if (multiple) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* buffer = calloc(11, 600000);
  const int all = strcmp(what, "all") == 0;
  if (all || strcmp(what, "ping_pong") == 0) {
    ping_pong(buffer, 8, repetitions);
    ping_pong(buffer, 4000, repetitions);
    ping_pong(buffer, 64000, repetitions);
    ping_pong(buffer, 1000000, repetitions / 4 + 1);
  }
  if (all || strcmp(what, "two_sends") == 0) two_sends(repetitions);
  if (all || strcmp(what, "stream") == 0) stream(repetitions);
  if (strcmp(what, "posted_late") == 0) posted_late(buffer, repetitions);
  if (all || strcmp(what, "itself") == 0) itself(repetitions);
  if (all || strcmp(what, "overlap") == 0) overlap(repetitions, 60000);
  if (all || strcmp(what, "allreduce") == 0) allreduce(repetitions);
  if (all || multiple || strcmp(what, "one_sided") == 0) one_sided(repetitions);
  if (all || strcmp(what, "order") == 0) {
    result("wrong_bytes", 0, 0, (uint64_t)check_order(buffer));
  }
  free(buffer);
  MPI_Finalize();
  return status;
}
