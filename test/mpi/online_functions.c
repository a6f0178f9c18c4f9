/* Functions that are sampled without a mark: each is called kTimes times by each rank. Rank 0
 * prints how often it executed each. */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kTimes = 60, kKinds = 14 };
#define OWN __attribute__((noinline, noclone))

static int executed[kKinds];
static volatile double sink;
static jmp_buf out;

/* By a number of steps, as its CPU time is. */
static inline void compute(int steps) {
  for (int i = 0; i < steps; ++i) sink = sink * 0.999 + 1e-3;
}
enum { kSteps = 400000, kFew = 100 };

OWN void steady(void) {
  ++executed[0];
  compute(kSteps);
}
OWN int status(void) {
  ++executed[1];
  compute(kSteps);
  return 7;
}
OWN double residual(int i) {
  ++executed[2];
  compute(kSteps);
  return 1.0 / (i + 1);
}
OWN int next_state(int i) {
  ++executed[3];
  compute(kSteps);
  return i + 1;
}
OWN void allocates(void** kept) {
  ++executed[4];
  compute(kSteps);
  *kept = malloc(100000);
}
OWN void prints(int i) {
  ++executed[5];
  compute(kSteps);
  if (i < kTimes) fputc('.', stderr);
}
OWN void exchanges(void) {
  ++executed[6];
  compute(kSteps);
  MPI_Barrier(MPI_COMM_WORLD);
}
OWN void varies(int i) {
  ++executed[7];
  compute(kSteps + i % 4 * kSteps / 2);
}
OWN void brief(void) {
  ++executed[8];
  compute(kFew);
}
OWN int recursive(int deep) {
  if (deep == 0) {
    ++executed[9];
    compute(kSteps);
    return 1;
  }
  return recursive(deep - 1) * 1;
}
OWN void jumps_out(void) {
  ++executed[10];
  compute(kSteps);
  longjmp(out, 1);
}
OWN void inner(void) {
  compute(kSteps / 2);
}
OWN void outer(void) {
  ++executed[11];
  inner();
  inner();
}
OWN double* address(void) {
  ++executed[12];
  compute(kSteps);
  return calloc(1, sizeof(double));
}

OWN long double wide(int i) {
  ++executed[13];
  compute(kSteps);
  return 1.5L + (i > kTimes);
}

/* A compiler that sees it may have values in all registers that it does not use. */
OWN void few_registers(void) {
  compute(kSteps / 2);
}
OWN unsigned many_values(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f) {
  unsigned g = a * 3, h = b * 5, k = c * 7, l = d * 11, m = e * 13, n = f * 17;
  few_registers();
  g += l, h ^= m, k += n, l ^= a, m += b, n ^= c;
  few_registers();
  return a + 3 * b + 5 * c + 7 * d + 9 * e + 11 * f + 13 * g + 17 * h + 19 * k + 23 * l + 29 * m +
         31 * n;
}
static unsigned expected_values(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e,
                                unsigned f) {
  const unsigned g = a * 3 + d * 11, h = (b * 5) ^ (e * 13), k = c * 7 + f * 17, l = (d * 11) ^ a,
                 m = e * 13 + b, n = (f * 17) ^ c;
  return a + 3 * b + 5 * c + 7 * d + 9 * e + 11 * f + 13 * g + 17 * h + 19 * k + 23 * l + 29 * m +
         31 * n;
}

static void own_handler(int number) {
  _exit(number);
}

/* What debuggers' signal is to the program. */
static void take_signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  signal(SIGTRAP, own_handler);
}

static void* of_thread(void* unused) {
  steady();
  return unused;
}

/* Also in a thread and in a child, which are not sampled. */
static int elsewhere(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, of_thread, NULL);
  pthread_join(thread, NULL);
  const pid_t child = fork();
  if (child == 0) {
    outer();
    _exit(status() == 7 ? 0 : 1);
  }
  int ended = 1;
  waitpid(child, &ended, 0);
  return ended == 0;
}

int main(int argc, char** argv) {
  int rank;
  static int right = 1; /* longjmp keeps it */
  void* kept = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  take_signals();
  for (unsigned i = 0; i < kTimes; ++i) {
    right &= many_values(i, i + 1, i + 2, i + 3, i + 4, i + 5) ==
             expected_values(i, i + 1, i + 2, i + 3, i + 4, i + 5);
  }
  for (int i = 0; i < kTimes; ++i) {
    steady();
    right &= status() == 7;
    right &= residual(i) == 1.0 / (i + 1);
    right &= next_state(i) == i + 1;
    allocates(&kept);
    free(kept);
    prints(i);
    exchanges();
    varies(i);
    brief();
    right &= recursive(3) == 1;
    if (setjmp(out) == 0) jumps_out();
    outer();
    double* own = address();
    right &= own != NULL && wide(i) == 1.5L;
    free(own);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) {
    for (int i = 0; i < kKinds; ++i) printf("%d ", executed[i]);
    printf("%s\n", right && elsewhere() ? "ok" : "wrong");
  }
  MPI_Finalize();
  return 0;
}
