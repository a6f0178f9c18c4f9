/* One side of a collective: where the blocks for and from each peer are; and
 * collectives between the two groups of an intercommunicator. */
#ifndef SLACKLINE_RUNTIME_ONLINE_COLLECTIVES_H
#define SLACKLINE_RUNTIME_ONLINE_COLLECTIVES_H

#include "online.h"

typedef struct {
  const void* buffer;
  int count;
  const int* counts;     /* null: `count` each */
  const int* places;     /* in elements, with `types` in bytes; null: one after the other */
  const MPI_Aint* bytes; /* or in bytes */
  MPI_Datatype type;
  const MPI_Datatype* types;
  int is_same; /* all others get the same */
} Side;

Side sent_side(const Arguments* a);
Side received_side(const Arguments* a);
MPI_Datatype type_at(const Side* side, int i);
int count_at(const Side* side, int i);
uint64_t bytes_at(const Side* side, int i);
void* part_at(const Side* side, int i);

/* A collective between the groups of an intercommunicator; it blocks. */
int inter_collective(const Arguments* a);

#endif
