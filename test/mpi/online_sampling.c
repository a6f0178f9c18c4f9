/* Blocks that are sampled: argv[1] says how. Each rank executes a block of 10 ms 40 times, if it is
 * not skipped; rank 0 prints how often all ranks together did. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <slackline.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { kTimes = 40 };

static double cpu_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void work(double ms) {
  const double end = cpu_ms() + ms;
  while (cpu_ms() < end) {
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int executed = 0, all = 0, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double begin = MPI_Wtime();
  for (int i = 0; i < kTimes; ++i) {
    if (strcmp(what, "local") == 0) {
      SLACKLINE_SAMPLE_LOCAL(4, 0) {
        work(10);
        ++executed;
        if (i >= 0) continue;
        ++executed;
      }
    } else if (strcmp(what, "global") == 0) {
      SLACKLINE_SAMPLE_GLOBAL(5, 0) {
        work(10);
        ++executed;
      }
    } else if (strcmp(what, "precise") == 0) {
      SLACKLINE_SAMPLE_LOCAL(1000, 0.1) {
        work(10);
        ++executed;
      }
    } else if (strcmp(what, "calls") == 0) {
      SLACKLINE_SAMPLE_LOCAL(4, 0) {
        work(1);
        MPI_Barrier(MPI_COMM_WORLD);
        ++executed;
      }
    } else if (strcmp(what, "nested") == 0) {
      SLACKLINE_SAMPLE_LOCAL(20, 0) {
        SLACKLINE_SAMPLE_LOCAL(5, 0) {
          work(5);
          ++executed;
        }
        work(5);
      }
    } else if (strcmp(what, "left") == 0) {
      for (;;) {
        SLACKLINE_SAMPLE_LOCAL(4, 0) {
          work(1);
          ++executed;
          goto out;
        }
        break;
      }
    out:;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const double passed = MPI_Wtime() - begin;
  MPI_Reduce(&executed, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("executed %d in %.6f s\n", all, passed);
  MPI_Finalize();
  return 0;
}
