/* Between slackline and libslackline_parallel_<mpi>.so, the library by which the processes that a
 * launcher has started exchange bytes. Plain C: slackline itself is linked to no MPI, and loads the
 * library of the MPI that its launcher belongs to. */
#ifndef SLACKLINE_PARALLEL_PROCESS_INTERFACE_H
#define SLACKLINE_PARALLEL_PROCESS_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

/* Both sides have to be of one version. */
enum { SLK_PROCESSES_VERSION = 2 };

/* What a process gives to another one: first this, of which the last bytes may be left out. Most of
 * what is exchanged is no longer than `first`, and then that is all. */
enum { SLK_FIRST_BYTES = 4088 };
struct slk_process_message {
  int64_t bytes; /* of all; negative says that there will be none */
  unsigned char first[SLK_FIRST_BYTES];
};

struct slk_processes {
  int rank;
  int size;
  /* Gives mine[p] to each process p, and gets theirs[p]. All processes call it together. What a
   * process has for itself is not moved, here and below. */
  void (*exchange_first)(const struct slk_process_message* mine,
                         struct slk_process_message* theirs);
  /* Gives bytes_out[p] bytes at out[p] to each process p, and gets bytes_in[p] bytes at in[p]; both
   * agree on these numbers. */
  void (*exchange_bytes)(const void* const* out, const int64_t* bytes_out, void* const* in,
                         const int64_t* bytes_in);
  /* Ends MPI. All processes call it together, and nothing afterwards. */
  void (*close)(void);
};

/* Joins the job, once in a process: MPI_Init. Fills in `processes` and returns 0, or returns 1 and
 * says why in `why`. An error of MPI itself ends the job, as is usual. */
typedef int (*slk_processes_open)(int version, struct slk_processes* processes, char* why,
                                  size_t why_bytes);
#define SLK_PROCESSES_OPEN "slackline_processes_open"

/* Processes that ranks of a job have started beside themselves (`record --analyse`) are told by
 * SLACKLINE_PARALLEL=relay:SOCKET,RANK,SIZE. For an exchange each writes to the socket, for SIZE
 * processes, how many bytes (int64_t) it has for each, then these bytes but for its own, in order
 * of rank; and reads the same of what the others have for it. Instead of its own number of bytes
 * there may be: */
enum {
  SLK_RELAY_FAILED =
      -1, /* from a process, to all: it cannot go on; to a process: one of them cannot */
  SLK_RELAY_GONE = -2 /* to a process: another one has ended, and there are no more exchanges */
};

#endif
