/* Blocks that are sampled: argv[1] says how. Each rank executes a block of 10 ms 40 times, if it is
 * not skipped; rank 0 prints how often all ranks together did. */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
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

/* A block without work whose name the program has made. */
static int ran(const char* name) {
  struct slackline_sample sample = slackline_sample_begin(SLACKLINE_SAMPLE_BEGIN_LOCAL, name, 4, 0);
  if (!sample.run) return 0;
  slackline_sample_end(&sample);
  return 1;
}

/* Two that differ at the end only, and one without. */
static int long_names(void) {
  enum { kLength = 400 };
  char names[2][kLength + 1];
  for (int i = 0; i < 2; ++i) {
    memset(names[i], 'n', kLength);
    names[i][kLength - 1] = (char)('0' + i);
    names[i][kLength] = '\0';
  }
  return ran(names[0]) + ran(names[1]) + ran("");
}

static int many_blocks(void) {
  enum { kBlocks = 300, kName = 20 };
  char name[kName];
  int executed = 0;
  for (int i = 0; i < kBlocks; ++i) {
    snprintf(name, sizeof name, "block %d", i);
    executed += ran(name);
  }
  return executed;
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
    } else if (strcmp(what, "later") == 0) {
      SLACKLINE_SAMPLE_LOCAL(rank == 0 ? 0 : 4, 0) {
        if (i == 10 && rank == 0)
          MPI_Recv(&all, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i == 10 && rank == 1) MPI_Send(&all, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      }
    } else if (strcmp(what, "names") == 0) {
      executed += long_names();
    } else if (strcmp(what, "many") == 0) {
      executed += many_blocks();
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
