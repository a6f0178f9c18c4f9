/* Graph topologies, and what all topologies share. Ranks are never reordered. */
#include <stdlib.h>
#include <string.h>

#include "collectives.h"

void copy_topology(const Comm* from, Comm* to) {
  to->topology = from->topology;
  to->dimensions = from->dimensions;
  to->extents = from->extents; /* never freed, as they are small */
  to->periodic = from->periodic;
  to->n_in = from->n_in;
  to->n_out = from->n_out;
  to->in = from->in;
  to->out = from->out;
  to->in_weight = from->in_weight;
  to->weight = from->weight;
  to->nodes = from->nodes;
  to->index = from->index;
  to->edges = from->edges;
}

void simulate_topo_test(MPI_Comm comm, int* status) {
  *status = find_comm(comm)->topology;
}

static const Comm* find_graph(MPI_Comm handle, int topology, const char* function) {
  const Comm* graph = find_comm(handle);
  if (graph->topology != topology) refuse(function, "the communicator has no such topology");
  return graph;
}

/* MPI_Graph_create: all ranks know all edges. */

void simulate_graph_create(MPI_Comm comm, int nodes, const int* index, const int* edges,
                           MPI_Comm* result) {
  const Comm* parent = find_comm(comm);
  if (nodes > parent->size) refuse("MPI_Graph_create", "the graph is larger than the communicator");
  Comm* graph = make_comm(SLK_OP_graph_create, parent, parent->rank < nodes ? 0 : -1, parent->rank);
  *result = MPI_COMM_NULL;
  if (graph != NULL) {
    const int begin = graph->rank == 0 ? 0 : index[graph->rank - 1];
    graph->topology = MPI_GRAPH;
    graph->nodes = nodes;
    graph->index = copied(index, nodes);
    graph->edges = copied(edges, index[nodes - 1]);
    graph->in = graph->out = graph->edges + begin;
    graph->n_in = graph->n_out = index[graph->rank] - begin;
    *result = graph->handle;
  }
}

void simulate_graphdims_get(MPI_Comm comm, int* nodes, int* edges) {
  const Comm* graph = find_graph(comm, MPI_GRAPH, "MPI_Graphdims_get");
  *nodes = graph->nodes;
  *edges = graph->index[graph->nodes - 1];
}

static void store(const int* from, int n, int* to, int room) {
  for (int i = 0; i < n && i < room; ++i) to[i] = from[i];
}

void simulate_graph_get(MPI_Comm comm, int most_nodes, int most_edges, int* index, int* edges) {
  const Comm* graph = find_graph(comm, MPI_GRAPH, "MPI_Graph_get");
  store(graph->index, graph->nodes, index, most_nodes);
  store(graph->edges, graph->index[graph->nodes - 1], edges, most_edges);
}

static int first_edge(const Comm* graph, int rank) {
  return rank == 0 ? 0 : graph->index[rank - 1];
}

void simulate_graph_neighbors_count(MPI_Comm comm, int rank, int* n) {
  const Comm* graph = find_graph(comm, MPI_GRAPH, "MPI_Graph_neighbors_count");
  *n = graph->index[rank] - first_edge(graph, rank);
}

void simulate_graph_neighbors(MPI_Comm comm, int rank, int most, int* of) {
  const Comm* graph = find_graph(comm, MPI_GRAPH, "MPI_Graph_neighbors");
  const int begin = first_edge(graph, rank);
  store(graph->edges + begin, graph->index[rank] - begin, of, most);
}

void simulate_graph_map(MPI_Comm comm, int nodes, int* rank) {
  const int own = find_comm(comm)->rank;
  *rank = own < nodes ? own : MPI_UNDEFINED;
}

/* MPI_Dist_graph_create: ranks know edges of each other. */

static int* weights_of(const int* weights, int n) {
  return weights == MPI_UNWEIGHTED ? NULL
                                   : copied(weights == MPI_WEIGHTS_EMPTY ? NULL : weights, n);
}

static Comm* new_graph(enum slk_operation operation, const Comm* parent) {
  Comm* graph = make_comm(operation, parent, 0, parent->rank);
  graph->topology = MPI_DIST_GRAPH;
  return graph;
}

void simulate_dist_graph_create_adjacent(MPI_Comm comm, int n_in, const int* in,
                                         const int* in_weights, int n_out, const int* out,
                                         const int* out_weights, MPI_Comm* result) {
  Comm* graph = new_graph(SLK_OP_dist_graph_create_adjacent, find_comm(comm));
  graph->n_in = n_in;
  graph->n_out = n_out;
  graph->in = copied(in, n_in);
  graph->out = copied(out, n_out);
  graph->in_weight = weights_of(in_weights, n_in);
  graph->weight = weights_of(out_weights, n_out);
  *result = graph->handle;
}

typedef struct {
  int from, to, weight;
} Edge;

/* The edges that this rank was told of, as all ranks have to hear them. */
static Edge* told_edges(int n, const int* sources, const int* degrees, const int* destinations,
                        const int* weights, int* total) {
  *total = 0;
  for (int i = 0; i < n; ++i) *total += degrees[i];
  Edge* edges = room("MPI_Dist_graph_create", sizeof *edges * (size_t)(*total + 1));
  const int weighted = weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
  int at = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < degrees[i]; ++k, ++at) {
      edges[at] = (Edge){sources[i], destinations[at], weighted ? weights[at] : 1};
    }
  }
  return edges;
}

static Edge* all_edges(MPI_Comm comm, const Edge* own, int n_own, int* total) {
  const int size = find_comm(comm)->size, words = (int)(sizeof(Edge) / sizeof(int));
  int* counts = room("MPI_Dist_graph_create", sizeof(int) * 2 * (size_t)size);
  const int n = n_own * words;
  MPI_Allgather(&n, 1, MPI_INT, counts, 1, MPI_INT, comm);
  int* places = counts + size;
  int sum = 0;
  for (int r = 0; r < size; ++r) {
    places[r] = sum;
    sum += counts[r];
  }
  Edge* all = room("MPI_Dist_graph_create", sizeof(int) * (size_t)(sum + 1));
  MPI_Allgatherv(own, n, MPI_INT, all, counts, places, MPI_INT, comm);
  free(counts);
  *total = sum / words;
  return all;
}

void simulate_dist_graph_create(MPI_Comm comm, int n, const int* sources, const int* degrees,
                                const int* destinations, const int* weights, MPI_Comm* result) {
  int n_own, total;
  Edge* own = told_edges(n, sources, degrees, destinations, weights, &n_own);
  Edge* edges = all_edges(comm, own, n_own, &total);
  Comm* graph = new_graph(SLK_OP_dist_graph_create, find_comm(comm));
  int* lists_of_ranks = room("MPI_Dist_graph_create", sizeof(int) * 4 * (size_t)(total + 1));
  graph->in = lists_of_ranks;
  graph->out = graph->in + total;
  int* in_weight = graph->out + total;
  int* out_weight = in_weight + total;
  for (int i = 0; i < total; ++i) {
    if (edges[i].to == graph->rank) {
      in_weight[graph->n_in] = edges[i].weight;
      graph->in[graph->n_in++] = edges[i].from;
    }
    if (edges[i].from == graph->rank) {
      out_weight[graph->n_out] = edges[i].weight;
      graph->out[graph->n_out++] = edges[i].to;
    }
  }
  if (weights != MPI_UNWEIGHTED) {
    graph->in_weight = in_weight;
    graph->weight = out_weight;
  }
  free(own);
  free(edges);
  *result = graph->handle;
}

void simulate_dist_graph_neighbors_count(MPI_Comm comm, int* n_in, int* n_out, int* weighted) {
  const Comm* graph = find_graph(comm, MPI_DIST_GRAPH, "MPI_Dist_graph_neighbors_count");
  *n_in = graph->n_in;
  *n_out = graph->n_out;
  *weighted = graph->weight != NULL || graph->in_weight != NULL;
}

void simulate_dist_graph_neighbors(MPI_Comm comm, int most_in, int* in, int* in_weights,
                                   int most_out, int* out, int* out_weights) {
  const Comm* graph = find_graph(comm, MPI_DIST_GRAPH, "MPI_Dist_graph_neighbors");
  store(graph->in, graph->n_in, in, most_in);
  store(graph->out, graph->n_out, out, most_out);
  if (in_weights != MPI_UNWEIGHTED && graph->in_weight != NULL)
    store(graph->in_weight, graph->n_in, in_weights, most_in);
  if (out_weights != MPI_UNWEIGHTED && graph->weight != NULL)
    store(graph->weight, graph->n_out, out_weights, most_out);
}

/* Those whom a neighbourhood collective receives from and sends to, as ranks or MPI_PROC_NULL. In a
 * grid, the message to place 2 i is for the neighbour's place 2 i + 1, and the other way round. */
typedef struct {
  int n_in, n_out;
  const int *in, *out;
  int is_grid; /* and `in`, which is `out`, is to be freed */
} Neighbours;

static Neighbours neighbours_of(MPI_Comm handle) {
  const Comm* comm = find_comm(handle);
  if (comm->topology == MPI_UNDEFINED)
    refuse("a neighbourhood collective", "the communicator has no topology");
  Neighbours found = {.n_in = comm->n_in, .n_out = comm->n_out, .in = comm->in, .out = comm->out};
  if (comm->topology != MPI_CART) return found;
  found.is_grid = 1;
  found.n_in = found.n_out = 2 * comm->dimensions;
  found.in = found.out = grid_neighbours(comm);
  return found;
}

/* Neighbourhood collectives: a message for each edge, under a tag of this library's own. In a grid
 * the tag tells the place, as both neighbours along a dimension may be the same rank. */
int simulate_neighbours(const Arguments* a, MPI_Request* request) {
  const Neighbours of = neighbours_of(a->c);
  Side out = sent_side(a), in = received_side(a);
  out.is_same =
      a->operation == SLK_OP_neighbor_allgather || a->operation == SLK_OP_neighbor_allgatherv;
  MPI_Request* each =
      room("a neighbourhood collective", sizeof *each * (size_t)(of.n_in + of.n_out + 1));
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
