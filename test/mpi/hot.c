/* Computes in functions whose shares of CPU time are known: sampling_test.py finds them in the
 * recording. What a program may do with signals, stacks and libraries meanwhile are its modes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static volatile double sink = 1;
static volatile sig_atomic_t signals;

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* A macro, so that the time is that of the function and line where it stands. */
#define BURN(ms)                                      \
  for (double end = cpu_ms() + (ms); cpu_ms() < end;) \
    for (int i = 0; i < 30000; ++i) sink = sink * 1.0000001

__attribute__((noinline)) static void half(double ms) {
  BURN(0.5 * ms); /* half's line */
  sink += 1;
}
__attribute__((noinline)) static void three_tenths(double ms) {
  BURN(0.3 * ms);
  sink += 2;
}
__attribute__((noinline)) static void a_fifth(double ms) {
  BURN(0.2 * ms);
  sink += 3;
}

static void shares(double ms) {
  const int rounds = 10;
  for (int i = 0; i < rounds; ++i) {
    half(ms / rounds);
    three_tenths(ms / rounds);
    a_fifth(ms / rounds);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((noinline)) static void assemble(void) {
  BURN(60);
  sink += 1;
}
__attribute__((noinline)) static void force_pairs(void) {
  BURN(rank == 0 ? 90 : 10); /* the late line */
  sink += 1;
}

/* All ranks compute; each waits for the one before it, and all of that for force_pairs on rank 0.
 */
static void late(void) {
  int token = 0;
  for (int step = 0; step < 8; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
    assemble();
    force_pairs();
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank + 1 < size) MPI_Send(&token, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
  }
}

/* Short computation between long waits in MPI: on shared processors, a rank computes when it has
 * just got one. */
static void turns(void) {
  for (int step = 0; step < 250; ++step) {
    a_fifth(5);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* The descriptor of the recorder's timer, if it has one; -1. */
static int timer_descriptor(void) {
  for (int fd = 3; fd < 4096; ++fd) {
    char path[64], target[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, "perf_event") != NULL)
      return fd;
  }
  return -1;
}

/* As programs do that close what they have not opened; a file of its own then has that number. */
static int own_file = -1;
static int closes(void) {
  shares(200);
  const int timer = timer_descriptor();
  if (timer < 0) return 1;
  own_file = open("/dev/zero", O_RDONLY);
  dup2(own_file, timer);
  close(own_file);
  own_file = timer;
  shares(200);
  return 0;
}

static void count_signal(int number) {
  (void)number;
  ++signals;
}

/* Own profiling and alarms: they go on as without the recorder. */
static int timers(void) {
  const struct itimerval every = {{0, 10000}, {0, 10000}};
  signal(SIGPROF, count_signal);
  signal(SIGALRM, count_signal);
  setitimer(ITIMER_PROF, &every, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  shares(500);
  setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
  setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
  return signals > 20 ? 0 : 1;
}

/* Takes every signal that there is; only those that it raises itself may come. */
static int all_signals(void) {
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) signal(number, count_signal);
  signals = 0;
  shares(300);
  raise(SIGRTMAX - 1);
  return signals == 1 ? 0 : 1;
}

static jmp_buf back;
__attribute__((noinline)) static void jump_out(int depth) {
  volatile char room[64];
  memset((char*)room, depth, sizeof room);
  if (depth > 0) jump_out(depth - 1);
  if (depth > 0) return;
  MPI_Barrier(MPI_COMM_WORLD);
  longjmp(back, 1);
}
static int jumps(void) {
  for (volatile int i = 0; i < 200; ++i) {
    if (setjmp(back) == 0) jump_out(i % 7);
    BURN(1);
  }
  return 0;
}

static int children(void) {
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      BURN(30);
      _exit(7);
    }
    BURN(30);
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
      return 1;
    }
    if (system("exit 3") >> 8 != 3) return 1;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return 0;
}

static void burn_here(int number) {
  (void)number;
  BURN(100);
  ++signals;
}
/* Computes on an alternate stack. */
static int alternate_stack(void) {
  static char memory[65536];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  struct sigaction action = {.sa_handler = burn_here, .sa_flags = SA_ONSTACK};
  sigaltstack(&stack, NULL);
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  MPI_Barrier(MPI_COMM_WORLD);
  return signals == 1 ? 0 : 1;
}

/* A library that computes, is closed, and gives way to another one. What a library does before the
 * first call of MPI after it was opened is not seen. */
static int libraries(const char* names[2]) {
  for (int i = 0; i < 4; ++i) {
    void* library = dlopen(names[i % 2], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    void (*compute)(double) = NULL;
    *(void**)&compute = dlsym(library, "compute_in_library");
    for (int step = 0; step < 4; ++step) {
      compute(40);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    dlclose(library);
    BURN(20);
  }
  return 0;
}

/* System calls that a signal may interrupt. */
static int blocking(void) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  char data[512] = {0};
  for (int i = 0; i < 2000; ++i) {
    if (write(ends[1], data, sizeof data) != (ssize_t)sizeof data) return 1;
    if (read(ends[0], data, sizeof data) != (ssize_t)sizeof data) return 1;
    BURN(0.2);
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "shares";
  int status = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(mode, "shares") == 0) shares(2000);
  if (strcmp(mode, "late") == 0) late();
  if (strcmp(mode, "turns") == 0) turns();
  if (strcmp(mode, "closes") == 0) status = closes();
  if (strcmp(mode, "timers") == 0) status = timers();
  if (strcmp(mode, "all_signals") == 0) status = all_signals();
  if (strcmp(mode, "jumps") == 0) status = jumps();
  if (strcmp(mode, "children") == 0) status = children();
  if (strcmp(mode, "alternate_stack") == 0) status = alternate_stack();
  if (strcmp(mode, "blocking") == 0) status = blocking();
  if (strcmp(mode, "libraries") == 0) status = libraries((const char*[]){argv[2], argv[3]});
  MPI_Finalize();
  char byte;
  if (own_file >= 0 && read(own_file, &byte, 1) != 1) status = 1;
  return status == 0 ? 0 : 9;
}
