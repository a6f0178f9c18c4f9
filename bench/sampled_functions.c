/* Ten programs in one, argv[1], for sampled_functions.py: none has a mark. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline, noclone))
enum { kSteps = 150 };
static int rank, ranks;

static double* numbers(int n) {
  double* made = malloc((size_t)n * sizeof *made);
  for (int i = 0; i < n; ++i) made[i] = i % 11;
  return made;
}

/* Both neighbours on a ring. */
static void exchange(double* a, int n) {
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Sendrecv(a + 1, 1, MPI_DOUBLE, left, 1, a + n - 1, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(a + n - 2, 1, MPI_DOUBLE, right, 2, a, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

OWN void multiply(double* c, const double* a, const double* b, int n) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
static void matrix_product(void) {
  enum { kN = 160, kAll = kN * kN };
  double *a = numbers(kAll), *b = numbers(kAll), *c = numbers(kAll);
  for (int s = 0; s < kSteps; ++s) {
    multiply(c, a, b, kN);
    MPI_Sendrecv_replace(b, kAll, MPI_DOUBLE, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

OWN void relax(double* to, const double* from, int n) {
  for (int y = 1; y < n - 1; ++y)
    for (int x = 1; x < n - 1; ++x)
      to[y * n + x] = 0.25 * (from[y * n + x - 1] + from[y * n + x + 1] + from[(y - 1) * n + x] +
                              from[(y + 1) * n + x]);
}
static void jacobi(void) {
  enum { kN = 500 };
  double *a = numbers(kN * kN), *b = numbers(kN * kN);
  for (int s = 0; s < 2 * kSteps; ++s) {
    relax(s % 2 ? a : b, s % 2 ? b : a, kN);
    exchange(s % 2 ? a : b, kN * kN);
  }
}

OWN void forces(double* f, const double* x, int n) {
  for (int i = 0; i < n; ++i) {
    f[i] = 0;
    for (int j = 0; j < n; ++j) f[i] += 1 / ((x[i] - x[j]) * (x[i] - x[j]) + 1e-2);
  }
}
OWN void move(double* x, const double* f, int n) {
  for (int k = 0; k < 200; ++k)
    for (int i = 0; i < n; ++i) x[i] += 1e-9 * f[i];
}
static void particles(void) {
  enum { kN = 700 };
  double *x = numbers(kN), *f = numbers(kN), *all = numbers(kN * ranks);
  for (int s = 0; s < kSteps; ++s) {
    forces(f, x, kN);
    move(x, f, kN);
    MPI_Allgather(x, kN, MPI_DOUBLE, all, kN, MPI_DOUBLE, MPI_COMM_WORLD);
  }
}

OWN void work(double* a, int times) {
  for (int k = 0; k < times; ++k)
    for (int i = 0; i < 1000; ++i) a[i] = a[i] * 1.0000001 + 1e-7;
}
static void unequal(void) {
  double* a = numbers(1000);
  for (int s = 0; s < kSteps; ++s) {
    work(a, 800 + 200 * rank);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
static void two_sites(void) {
  double *a = numbers(1000), sum = 0;
  for (int s = 0; s < kSteps; ++s) {
    work(a, 1500);
    MPI_Allreduce(a, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    work(a, 500);
    MPI_Allreduce(a, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

OWN void stage(double* a, int n) {
  for (int k = 0; k < 12; ++k)
    for (int i = 1; i < n; ++i) a[i] = 0.5 * (a[i] + a[i - 1]);
}
static void pipeline(void) {
  enum { kN = 20000 };
  double* a = numbers(kN);
  for (int s = 0; s < 2 * kSteps; ++s) {
    if (rank > 0) MPI_Recv(a, 64, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    stage(a, kN);
    if (rank + 1 < ranks) MPI_Send(a, 64, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  }
}

OWN void combine(double* a, int n) {
  for (int length = 1; length < n; length *= 2)
    for (int i = 0; i < n - length; ++i) a[i] = 0.5 * (a[i] + a[i + length]);
}
OWN void reorder(double* to, const double* from, int n) {
  for (int i = 0; i < n; ++i) to[i] = from[(i * 17) % n];
}
static void transpose(void) {
  enum { kN = 65536 };
  double *a = numbers(kN), *b = numbers(kN);
  for (int s = 0; s < kSteps; ++s) {
    combine(a, kN);
    reorder(b, a, kN);
    MPI_Alltoall(b, kN / ranks, MPI_DOUBLE, a, kN / ranks, MPI_DOUBLE, MPI_COMM_WORLD);
  }
}

static void master_and_workers(void) {
  enum { kTasks = 400 };
  double* a = numbers(1000);
  int more = 1;
  MPI_Status status;
  for (int s = 0; rank == 0 && s < kTasks + ranks - 1; ++s) {
    MPI_Recv(&more, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    more = s < kTasks;
    MPI_Send(&more, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
  }
  while (rank > 0) {
    MPI_Send(&more, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&more, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!more) break;
    work(a, 1000);
  }
}

OWN void apply(double* to, const double* from, int n) {
  for (int k = 0; k < 6; ++k)
    for (int i = 2; i < n - 2; ++i)
      to[i] = 4.5 * from[i] - from[i - 2] - from[i - 1] - from[i + 1] - from[i + 2];
}
OWN double product(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}
static void solver(void) {
  enum { kN = 60000 };
  double *p = numbers(kN), *q = numbers(kN), all = 0;
  for (int s = 0; s < kSteps; ++s) {
    exchange(p, kN);
    apply(q, p, kN);
    const double own = product(p, q, kN);
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    p[s] += 1e-3 / (1 + fabs(all));
  }
}

OWN void irregular(double* a, int step) {
  work(a, 50 + step * 7919 % 400);
}
static void mixed(void) {
  double* a = numbers(1000);
  for (int s = 0; s < kSteps; ++s) {
    work(a, 1500);
    irregular(a, s);
    MPI_Bcast(a, 1000, MPI_DOUBLE, s % ranks, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } programs[] = {{"matrix_product", matrix_product},
                  {"jacobi", jacobi},
                  {"particles", particles},
                  {"unequal", unequal},
                  {"two_sites", two_sites},
                  {"pipeline", pipeline},
                  {"transpose", transpose},
                  {"master_and_workers", master_and_workers},
                  {"solver", solver},
                  {"mixed", mixed}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; ++i) {
    if (strcmp(programs[i].name, argv[1]) == 0) programs[i].run();
  }
  MPI_Finalize();
  return 0;
}
