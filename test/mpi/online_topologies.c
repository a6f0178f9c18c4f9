/* Graphs, and collectives of neighbours. Prints "ok" from rank 0. */
#include "online_checks.h"

/* Each rank has two out-edges to the next rank and one to itself. */
static void distributed_graph(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  const int out[3] = {next, rank, next}, in[3] = {before, rank, before};
  MPI_Comm graph, other;
  int* volatile unweighted = MPI_UNWEIGHTED; /* gcc takes it for an array of Open MPI's */
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, in, unweighted, 3, out, unweighted,
                                 MPI_INFO_NULL, 0, &graph);
  int n_in, n_out, weighted, kind, values[3], got[3] = {-1, -1, -1};
  MPI_Dist_graph_neighbors_count(graph, &n_in, &n_out, &weighted);
  MPI_Topo_test(graph, &kind);
  check(n_in == 3 && n_out == 3 && !weighted && kind == MPI_DIST_GRAPH, "MPI_Dist_graph_*");
  for (int i = 0; i < 3; ++i) values[i] = 10 * rank + i;
  MPI_Neighbor_alltoall(values, 1, MPI_INT, got, 1, MPI_INT, graph);
  check(got[0] == 10 * before && got[1] == 10 * rank + 1 && got[2] == 10 * before + 2,
        "MPI_Neighbor_alltoall");
  MPI_Request request;
  MPI_Ineighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, graph, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(got[0] == before && got[1] == rank && got[2] == before, "MPI_Ineighbor_allgather");
  /* Rank 0 tells all edges: r to r + 1 with weight r. */
  int* sources = malloc(sizeof(int) * 4 * (size_t)size);
  int *degrees = sources + size, *to = degrees + size, *weights = to + size;
  for (int r = 0; r < size; ++r) {
    sources[r] = weights[r] = r;
    degrees[r] = 1;
    to[r] = (r + 1) % size;
  }
  MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? size : 0, sources, degrees, to, weights,
                        MPI_INFO_NULL, 0, &other);
  int from, in_weight, target, out_weight;
  MPI_Dist_graph_neighbors(other, 1, &from, &in_weight, 1, &target, &out_weight);
  check(from == before && in_weight == before && target == next && out_weight == rank,
        "MPI_Dist_graph_create");
  free(sources);
  MPI_Comm_free(&other);
  MPI_Comm_free(&graph);
}

static void graph(void) {
  int* index = malloc(sizeof(int) * 2 * (size_t)size);
  int *edges = index + size, n = 0, got = -1;
  for (int r = 0; r < size; ++r) {
    index[r] = r + 1;
    edges[r] = size - 1 - r;
  }
  MPI_Comm comm;
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
  MPI_Graph_neighbors_count(comm, rank, &n);
  check(n == 1, "MPI_Graph_neighbors_count");
  MPI_Graph_neighbors(comm, rank, 1, &got);
  check(got == size - 1 - rank, "MPI_Graph_neighbors");
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, comm);
  check(got == size - 1 - rank, "MPI_Neighbor_allgather of a graph");
  MPI_Comm_free(&comm);
  free(index);
}

/* On two ranks both neighbours are the same one. */
static void grid(void) {
  const int periodic = 1, extent = size;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Comm comm, copy;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &periodic, 0, &comm);
  MPI_Comm_dup(comm, &copy);
  const int values[2] = {100 + rank, 200 + rank};
  int got[2];
  MPI_Neighbor_alltoall(values, 1, MPI_INT, got, 1, MPI_INT, copy);
  check(got[0] == 200 + before && got[1] == 100 + next, "MPI_Neighbor_alltoall of a grid");
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  const int closed = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &closed, 0, &comm);
  got[0] = got[1] = -1;
  const int counts[2] = {1, 1}, places[2] = {0, 1};
  MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, got, counts, places, MPI_INT, comm);
  check(got[0] == rank - 1 && got[1] == (rank + 1 < size ? rank + 1 : -1),
        "MPI_Neighbor_allgatherv at the border of a grid");
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  distributed_graph();
  graph();
  grid();
  return end();
}
