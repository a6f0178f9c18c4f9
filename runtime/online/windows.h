/* Windows of one-sided communication. */
#ifndef SLACKLINE_RUNTIME_ONLINE_WINDOWS_H
#define SLACKLINE_RUNTIME_ONLINE_WINDOWS_H

#include <sys/types.h>

#include "online.h"

/* A member's part, as all members know it. */
typedef struct {
  uint64_t base; /* address in its process */
  uint64_t bytes;
  uint64_t shared; /* offset in the memory of all processes; 0: its process's own */
  int64_t unit;
  int64_t process;
} Part;

typedef struct Window {
  struct Window* next;
  MPI_Win handle; /* a real one of this process alone, for attributes, names and error handlers */
  MPI_Comm hidden;
  const Comm* comm; /* that of `hidden` */
  int flavour;
  int model;
  int unit;
  MPI_Aint bytes;
  uint64_t block; /* that it has allocated */
  Part* parts;
  int n_targets, n_origins; /* of an epoch: ranks */
  int *targets, *origins;
  MPI_Request* completions; /* of the origins */
} Window;

Window* find_window(MPI_Win handle);

#endif
