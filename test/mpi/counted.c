/* counted MODE: computation with planted events.
 *   system    rank 0, between barriers: touches FRESH new pages and sleeps; sleeps SLEEPS times;
 * moves to another processor hardware  as on a machine with hardware counters: the program is the
 * kernel's part, and its computation "executes" what is planted polls     the same with tests that
 * find nothing in between Exit status 77: not here. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FRESH = 3000, SLEEPS = 5, ROUNDS = 20 };

static int faked;
static struct perf_event_mmap_page* counter[3];

static long direct(long number, const long* a) {
  long result;
  register long r10 __asm__("r10") = a[3];
  register long r8 __asm__("r8") = a[4];
  register long r9 __asm__("r9") = a[5];
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (result >= 0 || result < -4095) return result;
  errno = (int)-result;
  return -1;
}

/* The file that stands for an event: its page counts what plant() adds. */
static int fake_event(int which) {
  const long size = sysconf(_SC_PAGESIZE);
  const int fd = memfd_create("event", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, size) != 0) return -1;
  counter[which] = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  counter[which]->cap_user_rdpmc = 1;
  return fd;
}

/* In place of the C library's, also for the recorder. */
long syscall(long number, ...) {
  long a[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_perf_event_open && faked) {
    struct perf_event_attr event;
    memcpy(&event, (const void*)a[0], sizeof event);
    if (event.type == PERF_TYPE_HARDWARE) {
      if (event.config == PERF_COUNT_HW_INSTRUCTIONS) return fake_event(0);
      if (event.config == PERF_COUNT_HW_CPU_CYCLES) return fake_event(1);
      errno = ENOENT;
      return -1;
    }
  }
  return direct(number, a);
}

static void plant(int instructions, int cycles) {
  if (counter[0] != NULL) counter[0]->offset += instructions;
  if (counter[1] != NULL) counter[1]->offset += cycles;
}

static void doze(void) {
  const struct timespec short_while = {0, 2000000};
  nanosleep(&short_while, NULL);
}

static void touch_pages(void) {
  const size_t size = (size_t)sysconf(_SC_PAGESIZE);
  char* at = mmap(NULL, FRESH * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) exit(77);
  madvise(at, FRESH * size, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < FRESH; ++i) ((volatile char*)at)[i * size] = 1;
  munmap(at, FRESH * size);
}

static void move(void) {
  cpu_set_t may, one;
  const int here = sched_getcpu();
  if (sched_getaffinity(0, sizeof may, &may) != 0) return;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &may) || i == here) continue;
    CPU_ZERO(&one);
    CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

static void system_events(int rank) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) touch_pages();
  if (rank == 0) doze(); /* so that the counters are read at the end of the stretch */
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < SLEEPS && rank == 0; ++i) doze();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) move();
  MPI_Barrier(MPI_COMM_WORLD);
}

static void hardware_events(void) {
  for (int i = 1; i <= ROUNDS; ++i) {
    plant(1000 * i, 2000 * i);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* A message to itself, awaited by tests; each stretch before one "executes" something. */
static void polls(int rank) {
  int in = 0, out = 1, done = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 1000; ++i) {
    plant(1, 1);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  MPI_Send(&out, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  int rank;
  faked = strcmp(mode, "system") != 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(mode, "system") == 0) {
    system_events(rank);
  } else if (strcmp(mode, "hardware") == 0) {
    hardware_events();
  } else {
    polls(rank);
  }
  MPI_Finalize();
  return 0;
}
