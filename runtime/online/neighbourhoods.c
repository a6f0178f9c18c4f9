/* Neighbourhood collectives: a message for each edge, under a tag of this library's own. In a grid
 * the tag tells the place, as both neighbours along a dimension may be the same rank. */
#include <stdlib.h>

#include "collectives.h"

int simulate_neighbours(const Arguments* a, MPI_Request* request) {
  const Neighbours of = neighbours_of(a->c);
  Side out = sent_side(a), in = received_side(a);
  out.is_same =
      a->operation == SLK_OP_neighbor_allgather || a->operation == SLK_OP_neighbor_allgatherv;
  MPI_Request* each = malloc(sizeof *each * (size_t)(of.n_in + of.n_out + 1));
  if (each == NULL) refuse("a neighbourhood collective", "no memory is left");
  int n = 0;
  for (int i = 0; i < of.n_in; ++i) {
    if (of.in[i] == MPI_PROC_NULL) continue;
    each[n++] = start_receive(part_at(&in, i), count_at(&in, i), type_at(&in, i), of.in[i],
                              kNeighbourTag + (of.is_grid ? i : 0), a->c);
  }
  for (int i = 0; i < of.n_out; ++i) {
    if (of.out[i] == MPI_PROC_NULL) continue;
    each[n++] = start_send(SLK_OP_isend, part_at(&out, i), count_at(&out, i), type_at(&out, i),
                           of.out[i], kNeighbourTag + (of.is_grid ? (i ^ 1) : 0), a->c);
  }
  if (of.is_grid) free((void*)(uintptr_t)of.in);
  if (request != NULL) {
    *request = together(n, each); /* owns the list */
    return MPI_SUCCESS;
  }
  MPI_Waitall(n, each, MPI_STATUSES_IGNORE);
  free(each);
  return MPI_SUCCESS;
}
