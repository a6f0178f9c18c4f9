/* One process of an on-line simulation: what its MPI calls share. */
#ifndef SLACKLINE_RUNTIME_ONLINE_ONLINE_H
#define SLACKLINE_RUNTIME_ONLINE_ONLINE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "fold.h"
#include "trace/online_wire.h"

#include "simulated.inc"

/* A communicator as the simulated world has it; `handle` is a real one of this process alone. */
typedef struct Comm {
  struct Comm* next;
  MPI_Comm handle;
  uint32_t id;
  int rank;
  int size;
  int* members; /* world ranks */
  int* peers;   /* world ranks of those that can be sent to: the members, or the other group */
  int n_peers;
  int* rank_of;   /* by world rank, among the peers; -1: none of them */
  int is_inter;   /* an intercommunicator */
  int is_first;   /* and its own group the first one, the same on all */
  MPI_Comm local; /* of its own group */
  MPI_Comm both;  /* of both groups, the first one first, under the same id */
  int topology;   /* as MPI_Topo_test has it */
  int dimensions; /* of a Cartesian one */
  int* extents;
  int* periodic;
  int n_in, n_out;         /* of a graph: neighbours, as ranks */
  int *in, *out;           /* of MPI_Graph_create both are one */
  int *in_weight, *weight; /* null: without weights */
  int nodes;               /* of MPI_Graph_create: what the program gave */
  int *index, *edges;
} Comm;

/* session.c: the way to the simulator. */
int simulated(void);        /* 0: the library stays out of the way */
int is_rank(void);          /* simulated, or about to be */
int ranks_of_process(void); /* that are simulated in it, or about to be; 0: it is none */
int is_of_program(void);    /* simulated, and in a thread that calls MPI */
int is_computing(void);     /* this, and outside of calls */
int world_rank(void);
int world_size(void);
double cores(void); /* of its host, for its threads */
void attach(void);  /* from MPI_Init on the process is a rank */
void detach(void);  /* after MPI_Finalize it is none any more */
struct slk_online_call* new_call(enum slk_operation operation, const Comm* comm);
const struct slk_online_answer* last_answer(void);
const struct slk_online_answer* ask(void); /* hands the call over and waits for its answer */
void defer(void); /* hands the call over together with the next one; for calls without an answer */
/* Computation ends here; of calls within calls the outermost counts. `frame`: that of the function
 * that the program calls. */
void enter_call(const char* name, const void* frame);
void leave_call(void);
int try_enter_call(const char* name); /* 0: another thread is in a call */
void tell_threads(void);              /* at the end: who computed */
double simulated_now(void);           /* seconds */
uint64_t calls_made(void);            /* of MPI by the program, and what else needs the simulator */
uint64_t stop_clock(void); /* ns computed since the last answer; what follows does not count */
void start_clock(uint64_t charged_ns); /* it does again, and this is added */
struct slk_online_sampled* sampled_blocks(int of_all_ranks);
void count_unsampled(void); /* an execution of a block for which no place is left */
int64_t* lists(void);
struct slk_online_request* request_at(uint32_t place);
uint32_t new_request(void);         /* a free place, with its own serial */
void renew_request(uint32_t place); /* of a persistent request: a new serial */
void name_request(struct slk_online_call* call, uint32_t place); /* that it starts */
void free_request(uint32_t place);
const char* host_name(void);
_Noreturn void refuse(const char* name, const char* why);
void* room(const char* of, uint64_t bytes); /* from malloc, never null */

/* stretch.c: computation since begin_stretch(), as long as it takes on the simulated host. There is
 * none before the first stretch. */
void begin_stretch(void);
uint64_t stretch_ns(void);
uint64_t read_clock(clockid_t clock);
void begin_threads(void); /* the calling one is the first of its rank */

/* clock.c */
void pass(uint64_t ns); /* of simulated time */

/* sampling.c */
int sample_begin(int of_all_ranks, const char* name, int n, double precision); /* whether to run */
void sample_end(const char* name);
/* Its entry in the table; null if none is left. */
struct slk_online_sampled* sampled_block(int of_all_ranks, const char* name);
void add_run(struct slk_online_sampled* block, double ns); /* to mean and squares */

/* session.c: MPI's own allocations in this thread are not folded, its own threads not followed. */
int is_in_mpi(void);
void begin_mpi(void);
void end_mpi(void);

/* session.c: the memory shared with the simulator. */
char* shared_at(uint64_t offset);
uint64_t heap_begin(void); /* of this process's part of the heap */
uint64_t heap_end(void);
/* The block with the result of the collective that was answered last goes with the next call. */
void tell_result(uint64_t block);

/* heap.c: blocks that other processes read. */
uint64_t new_block(uint64_t bytes); /* offset */
char* block_data(uint64_t block);
uint64_t block_bytes(uint64_t block);
void release_block(uint64_t block);

/* layout.c: data of any type as plain bytes, and back. */
uint64_t packed_bytes(int count, MPI_Datatype type);
void pack(const void* from, int count, MPI_Datatype type, char* to);
void unpack(const char* from, uint64_t bytes, void* to, int count, MPI_Datatype type);
uint64_t packed_block(const void* from, int count, MPI_Datatype type);
MPI_Datatype kept_type(MPI_Datatype type); /* for a request, until drop_type */
void drop_type(MPI_Datatype type);
/* The place of element `index` in a buffer of that type. */
void* element(const void* buffer, int64_t index, MPI_Datatype type);

/* communicators.c */
Comm* find_comm(MPI_Comm handle);
Comm* add_comm(MPI_Comm handle, uint32_t id, int size, const int64_t* members);
int rank_in(const Comm* comm, int world);
int world_of(const Comm* comm,
             int rank); /* wildcards and MPI_PROC_NULL as the simulator has them */
/* The communicator that all members of `parent` with the same color get; null for a negative one.
 */
Comm* make_comm(enum slk_operation operation, const Comm* parent, int color, int key);
/* The communicator of these world ranks, which make it without the others of `parent`. */
Comm* make_comm_of(enum slk_operation operation, const Comm* parent, int tag, int n,
                   const int* members);
/* The communicators of those of the same color, ordered by key; none for a negative color. */
void split_comm(enum slk_operation operation, MPI_Comm comm, int color, int key, MPI_Comm* result);

/* intercommunicators.c */
Comm* duplicate_inter(const Comm* inter);
Comm* split_inter(const Comm* inter, int color, int key);

/* grids.c */
int* copied(const int* values, int n);
/* The two along each dimension, in the order of MPI 4.0, section 8.6; to be freed. */
int* grid_neighbours(const Comm* grid);

/* topologies.c */
void copy_topology(const Comm* from, Comm* to);

/* groups.c: numbers of groups in Fortran. */
MPI_Fint number_of_group(MPI_Group group);
MPI_Group group_of(MPI_Fint number);
const int* members_of_group(MPI_Group group, int* size); /* world ranks */
MPI_Group new_group_of(int size, const int* members);

/* Tags of this library's own messages. */
enum { kNeighbourTag = SLK_ONLINE_OWN_TAGS, kInterTag = SLK_ONLINE_OWN_TAGS + 0x10000, kWindowTag };

/* point_to_point.c */
void fill_status(MPI_Status* status, const Comm* comm, int source, int tag, uint64_t bytes);
int tag_of(int tag); /* as the simulator has it */
MPI_Request start_send(enum slk_operation operation, const void* buffer, int count,
                       MPI_Datatype type, int peer, int tag, MPI_Comm comm);
MPI_Request start_receive(void* buffer, int count, MPI_Datatype type, int peer, int tag,
                          MPI_Comm comm);
/* MPI_SUCCESS, or what the error handler of the communicator makes of a message that is longer than
 * the room for it. */
int check_room(const Comm* comm, uint64_t bytes, int count, MPI_Datatype type);

/* requests.c: what a handle of this library stands for. */
typedef enum {
  REQUEST_SEND,
  REQUEST_RECEIVE,
  REQUEST_COLLECTIVE,
  REQUEST_MAKER,    /* MPI_Comm_idup */
  REQUEST_TOGETHER, /* done when all its parts are */
  REQUEST_TRANSFER  /* one-sided */
} RequestKind;
typedef struct Collective Collective;
typedef struct {
  RequestKind kind;
  int active; /* started, not completed */
  int persistent;
  int null_peer; /* complete at once, with an empty status */
  int cancelled;
  enum slk_operation operation;
  const Comm* comm;
  void* buffer;
  int count;
  MPI_Datatype type;
  int peer;
  int tag;
  uint64_t block; /* of a send */
  Collective* collective;
  const Arguments* again; /* of a persistent collective: what each start does */
  MPI_Comm made;          /* of a maker */
  int n_parts;
  MPI_Request* parts;
  int main_part; /* whose status it has; -1: none */
} Pending;
Pending* pending(uint32_t place);
MPI_Request handle_of(uint32_t place);
int is_ours(MPI_Request request);
uint32_t place_of(MPI_Request request);
MPI_Fint number_of_request(MPI_Request request); /* in Fortran */
int is_active(MPI_Request request);
void complete_freed(void); /* what the program has freed before it was complete */
/* One request for several, in a list from malloc that it owns. */
MPI_Request together(int n, MPI_Request* parts);

/* collectives.c */
void finish_collective(Collective* collective, uint64_t board, uint64_t result);

#endif
