#include "processors.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static int local_ranks(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                      "SLURM_NTASKS_PER_NODE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char* text = getenv(names[i]);
    if (text != NULL) return atoi(text);
  }
  return 1;
}

int has_too_few_processors(void) {
  static int known;
  if (known == 0) known = local_ranks() > sysconf(_SC_NPROCESSORS_ONLN) ? 2 : 1;
  return known == 2;
}
