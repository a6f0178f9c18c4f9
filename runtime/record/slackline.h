/* What a program can say to Slackline. C, C++; no library to link: the marks travel through
 * MPI_Pcontrol, which does nothing unless the program runs under `slackline record` or
 * `slackline simulate`.
 *
 * Regions:
 *
 *   #include <mpi.h>
 *   #include <slackline.h>
 *   slackline_region_begin("solve");
 *   ...
 *   slackline_region_end("solve");
 *
 * Fortran, by iso_c_binding:
 *
 *   interface
 *     subroutine slackline_region(level, name) bind(C, name="MPI_Pcontrol")
 *       use iso_c_binding
 *       integer(c_int), value :: level
 *       character(kind=c_char), intent(in) :: name(*)
 *     end subroutine
 *   end interface
 *   call slackline_region(1397509953, "solve" // c_null_char)   ! begin
 *   call slackline_region(1397509954, "solve" // c_null_char)   ! end
 *
 * Without any header, MPI_Pcontrol(k) with k >= 2 begins the region "pcontrol k" and
 * MPI_Pcontrol(-k) ends it; MPI_Pcontrol(0) switches recording off and MPI_Pcontrol(1) on.
 *
 * Sampling, for programs that `slackline simulate -- ./app` runs: a block that computes is executed
 * N times at most, by each rank or by all together, or until the standard error of its mean time is
 * below PRECISION times the mean (0: N times). After that it is skipped, and its mean time is
 * charged. What the program computes is wrong then; do so where its messages do not depend on it.
 *
 *   SLACKLINE_SAMPLE_LOCAL(10, 0.01) {
 *     ...
 *   }
 *
 * LOCAL: each rank has its own count and mean. GLOBAL: all ranks share one count and mean, for
 * blocks that take all of them equally long. With N of 0 the block is executed always.
 *
 * A block is its line of source: calls with other arguments and instances of a template share one
 * mean. A block that calls MPI in any of its first N executions is executed always. One that calls
 * MPI only later is skipped, with its messages, so that other ranks may wait forever. A rank can
 * sample 256 blocks, and all ranks together 256; the others are executed always.
 *
 * Leave a block by its end or by `continue`, which ends the block and not a loop around it; where
 * it is left by other ways, the execution does not count. Without Slackline, and where <mpi.h> is
 * not included before, the block is executed always.
 *
 * Memory folding: what slackline_shared_malloc() gives, for slackline_shared_free() alone, lies on
 * one copy in memory with that of all other ranks under `slackline simulate -- ./app`, so whatever
 * is written there is overwritten. It costs nothing then, however large. Elsewhere it is memory of
 * malloc().
 *
 * Outside of MPI_Init and MPI_Finalize regions and samples do nothing, and memory is not shared;
 * it may be freed at any time, by any thread.
 *
 * Fortran, with the interface above and this one; `run` tells whether to execute the block:
 *
 *     subroutine slackline_sample(level, name, n, precision, run) bind(C, name="MPI_Pcontrol")
 *       use iso_c_binding
 *       integer(c_int), value :: level, n
 *       character(kind=c_char), intent(in) :: name(*)
 *       real(c_double), intent(in) :: precision
 *       integer(c_int), intent(inout) :: run
 *     end subroutine
 *
 *   run = 1
 *   call slackline_sample(1397509955, "update" // c_null_char, 10, 0.01d0, run)  ! ...956: global
 *   if (run /= 0) then
 *     ...
 *     call slackline_region(1397509957, "update" // c_null_char)
 *   end if */
#ifndef SLACKLINE_H
#define SLACKLINE_H

#define SLACKLINE_REGION_BEGIN 1397509953
#define SLACKLINE_REGION_END 1397509954
#define SLACKLINE_SAMPLE_BEGIN_LOCAL 1397509955
#define SLACKLINE_SAMPLE_BEGIN_GLOBAL 1397509956
#define SLACKLINE_SAMPLE_END 1397509957
#define SLACKLINE_SHARED_MALLOC 1397509958
#define SLACKLINE_SHARED_FREE 1397509959

/* Bytes in front of each allocation of slackline_shared_malloc(), which begin with an int:
 * SLACKLINE_SHARED_MALLOC of those that the simulator's library gave, which is there to free them
 * even after MPI_Finalize; else 0. */
#define SLACKLINE_SHARED_HEAD 16

#include <stdlib.h>

/* The program's warnings are not for what the macros below leave in it. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

#define SLACKLINE_JOINED_(a, b) a##b
#define SLACKLINE_JOIN_(a, b) SLACKLINE_JOINED_(a, b)

#ifdef MPI_VERSION
/* Elsewhere MPI_Pcontrol ends the program. */
static inline int slackline_mpi_is_up_(void) {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  if (begun) MPI_Finalized(&ended);
  return begun && !ended;
}

static inline void slackline_region_begin(const char* name) {
  if (slackline_mpi_is_up_()) MPI_Pcontrol(SLACKLINE_REGION_BEGIN, name);
}
static inline void slackline_region_end(const char* name) {
  if (slackline_mpi_is_up_()) MPI_Pcontrol(SLACKLINE_REGION_END, name);
}

struct slackline_sample {
  const char* name; /* null: not sampled */
  int run;
};
static inline struct slackline_sample slackline_sample_begin(int level, const char* name, int n,
                                                             double precision) {
  struct slackline_sample sample = {0, 1};
  if (n <= 0 || !slackline_mpi_is_up_()) return sample;
  sample.name = name;
  MPI_Pcontrol(level, name, n, &precision, &sample.run);
  return sample;
}
static inline void slackline_sample_end(struct slackline_sample* sample) {
  if (sample->name && slackline_mpi_is_up_()) MPI_Pcontrol(SLACKLINE_SAMPLE_END, sample->name);
  sample->run = 0;
}

static inline void* slackline_shared_malloc(size_t bytes) {
  void* at = 0;
  if (slackline_mpi_is_up_()) MPI_Pcontrol(SLACKLINE_SHARED_MALLOC, (const char*)0, bytes, &at);
  if (at) return at;
  if (bytes + SLACKLINE_SHARED_HEAD < bytes) return 0;
  at = malloc(bytes + SLACKLINE_SHARED_HEAD);
  if (!at) return 0;
  *(int*)at = 0;
  return (char*)at + SLACKLINE_SHARED_HEAD;
}
static inline void slackline_shared_free(void* at) {
  void* const head = (char*)at - SLACKLINE_SHARED_HEAD;
  int freed = 0;
  if (!at) return;
  if (*(int*)head == SLACKLINE_SHARED_MALLOC) {
    MPI_Pcontrol(SLACKLINE_SHARED_FREE, (const char*)0, at, &freed);
  } else {
    free(head);
  }
}

#define SLACKLINE_QUOTED_(a) #a
#define SLACKLINE_QUOTE_(a) SLACKLINE_QUOTED_(a)
#define SLACKLINE_SAMPLE_(level, n, precision, sample)                                           \
  for (struct slackline_sample sample =                                                          \
           slackline_sample_begin(level, __FILE__ ":" SLACKLINE_QUOTE_(__LINE__), n, precision); \
       sample.run; slackline_sample_end(&sample))
#else
#define SLACKLINE_SAMPLE_(level, n, precision, sample) \
  for (int sample = ((void)(n), (void)(precision), 1); sample; sample = 0)
#endif
#define SLACKLINE_SAMPLE_LOCAL(n, precision)                    \
  SLACKLINE_SAMPLE_(SLACKLINE_SAMPLE_BEGIN_LOCAL, n, precision, \
                    SLACKLINE_JOIN_(slackline_sample_, __LINE__))
#define SLACKLINE_SAMPLE_GLOBAL(n, precision)                    \
  SLACKLINE_SAMPLE_(SLACKLINE_SAMPLE_BEGIN_GLOBAL, n, precision, \
                    SLACKLINE_JOIN_(slackline_sample_, __LINE__))

#endif
