/* Waiting with nothing but a timeout passes simulated time; run without computation, so that the
 * times are exact, and with 1 us of overhead for MPI_Isend. Prints "ok" from rank 0. */
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static double before;

/* In a trace, pauses between two calls are one, whose end may be rounded differently. */
static void begin(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  before = MPI_Wtime();
}

static void check_passed(double seconds, const char* what) {
  const double passed = MPI_Wtime() - before;
  if (passed > seconds - 1e-6 && passed < seconds + 1e-6) return;
  printf("%s passed %.9f s\n", what, passed);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void timeouts(void) {
  begin();
  struct timeval t = {.tv_sec = 1, .tv_usec = 500000};
  fd_set none;
  FD_ZERO(&none);
  check_passed(0, "nothing");
  if (select(8, &none, NULL, NULL, &t) != 0) MPI_Abort(MPI_COMM_WORLD, 4);
  check_passed(1.5, "select");
  begin();
  const struct timespec half = {.tv_sec = 0, .tv_nsec = 500000000};
  if (pselect(0, NULL, NULL, NULL, &half, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 4);
  check_passed(0.5, "pselect");
  begin();
  if (poll(NULL, 0, 2000) != 0) MPI_Abort(MPI_COMM_WORLD, 4);
  check_passed(2, "poll");
  begin();
  if (ppoll(NULL, 0, &half, NULL) != 0) MPI_Abort(MPI_COMM_WORLD, 4);
  check_passed(0.5, "ppoll");
}

static void descriptors(void) {
  const int set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  begin();
  if (epoll_wait(set, &event, 1, 3000) != 0) MPI_Abort(MPI_COMM_WORLD, 4);
  check_passed(3, "epoll_wait for nothing");
  int ends[2];
  if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1) MPI_Abort(MPI_COMM_WORLD, 4);
  epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
  struct pollfd of = {.fd = ends[0], .events = POLLIN};
  begin();
  if (epoll_wait(set, &event, 1, 3000) != 1 || poll(&of, 1, 3000) != 1) {
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  check_passed(0, "descriptors that are ready");
}

/* Calls that are handed over together take their time before the clock is read. */
static void clock_after_messages(void) {
  int size, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int got[200], own[200];
  MPI_Request requests[400];
  begin();
  for (int i = 0; i < 200; ++i) {
    own[i] = rank + i;
    MPI_Irecv(&got[i], 1, MPI_INT, (rank + size - 1) % size, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(&own[i], 1, MPI_INT, (rank + 1) % size, i, MPI_COMM_WORLD, &requests[200 + i]);
    own[i] = -1; /* it has been copied */
  }
  check_passed(200e-6, "200 messages of a microsecond of overhead each");
  MPI_Waitall(400, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 200; ++i) {
    if (got[i] != (rank + size - 1) % size + i) MPI_Abort(MPI_COMM_WORLD, 6);
  }
}

/* Computation takes no time, but waiting for a date ends. */
static void busy_waiting(void) {
  begin();
  const double began = MPI_Wtime();
  while (MPI_Wtime() < began + 1e-3) {
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  timeouts();
  descriptors();
  clock_after_messages();
  busy_waiting();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
