/* Collectives, by their arguments. */
#ifndef SLACKLINE_RUNTIME_ONLINE_COLLECTIVES_H
#define SLACKLINE_RUNTIME_ONLINE_COLLECTIVES_H

#include "online.h"

/* As the program gives them; what an operation does not have is 0. */
typedef struct CollectiveArguments {
  enum slk_operation operation; /* the blocking form */
  MPI_Comm comm;
  int root; /* -1: it has none */
  const void* sent;
  int send_count;
  const int* send_counts;
  const int* send_places;
  MPI_Datatype send_type;
  const MPI_Datatype* send_types;
  void* received; /* also of MPI_Bcast */
  int count;
  const int* counts;
  const int* places;
  MPI_Datatype type;
  const MPI_Datatype* types;
  MPI_Op op;
} CollectiveArguments;

/* Blocking if `request` is null. */
int start_collective(const CollectiveArguments* a, MPI_Request* request);
/* The same between the groups of an intercommunicator; it blocks. */
int inter_collective(const CollectiveArguments* a);

#endif
