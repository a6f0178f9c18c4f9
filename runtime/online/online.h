/* One process of an on-line simulation: what its MPI calls share. */
#ifndef SLACKLINE_RUNTIME_ONLINE_ONLINE_H
#define SLACKLINE_RUNTIME_ONLINE_ONLINE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/online_wire.h"

#define EXPORT __attribute__((visibility("default")))

/* A communicator as the simulated world has it; `handle` is a real one of this process alone. */
typedef struct Comm {
  struct Comm* next;
  MPI_Comm handle;
  uint32_t id;
  int rank;
  int size;
  int* members;   /* world ranks */
  int* rank_of;   /* by world rank; -1: no member */
  int dimensions; /* of a Cartesian one; -1: not Cartesian */
  int* extents;
  int* periodic;
} Comm;

/* session.c: the way to the simulator. */
int simulated(void);     /* 0: the library stays out of the way */
int is_of_program(void); /* simulated, and in a thread that calls MPI */
int world_rank(void);
int world_size(void);
void attach(void); /* from MPI_Init on the process is a rank */
void detach(void); /* after MPI_Finalize it is none any more */
struct slk_online_call* new_call(enum slk_operation operation, const Comm* comm);
const struct slk_online_answer* ask(void); /* hands the call over and waits for its answer */
void defer(void); /* hands the call over together with the next one; for calls without an answer */
void enter_call(void); /* computation ends here; of calls within calls the outermost counts */
void leave_call(void);
double simulated_now(void); /* seconds */
int64_t* lists(void);
struct slk_online_request* request_at(uint32_t place);
uint32_t new_request(void);         /* a free place, with its own serial */
void renew_request(uint32_t place); /* of a persistent request: a new serial */
void name_request(struct slk_online_call* call, uint32_t place); /* that it starts */
void free_request(uint32_t place);
const char* host_name(void);
_Noreturn void refuse(const char* name, const char* why);

/* clock.c */
void pass(uint64_t ns); /* of simulated time */

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
/* The place of element `index` in a buffer of that type. */
void* element(const void* buffer, int64_t index, MPI_Datatype type);

/* communicators.c */
Comm* find_comm(MPI_Comm handle);
int rank_in(const Comm* comm, int world);
int world_of(const Comm* comm,
             int rank); /* wildcards and MPI_PROC_NULL as the simulator has them */
/* The communicators of those of the same color, ordered by key; none for a negative color. */
int split_comm(enum slk_operation operation, MPI_Comm comm, int color, int key, MPI_Comm* result);

/* groups.c: numbers of groups in Fortran. */
MPI_Fint number_of_group(MPI_Group group);
MPI_Group group_of(MPI_Fint number);

/* point_to_point.c */
void fill_status(MPI_Status* status, const Comm* comm, int source, int tag, uint64_t bytes);
MPI_Request start_send(enum slk_operation operation, const void* buffer, int count,
                       MPI_Datatype type, int peer, int tag, MPI_Comm comm);
MPI_Request start_receive(void* buffer, int count, MPI_Datatype type, int peer, int tag,
                          MPI_Comm comm);

/* requests.c: what a handle of this library stands for. */
typedef enum { REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE, REQUEST_NONE } RequestKind;
struct Collective;
typedef struct {
  RequestKind kind;
  int active; /* started, not completed */
  int persistent;
  int null_peer; /* complete at once, with an empty status */
  enum slk_operation operation;
  const Comm* comm;
  void* buffer;
  int count;
  MPI_Datatype type;
  int peer;
  int tag;
  struct Collective* collective;
} Pending;
Pending* pending(uint32_t place);
MPI_Request handle_of(uint32_t place);
int is_ours(MPI_Request request);
uint32_t place_of(MPI_Request request);
MPI_Fint number_of_request(MPI_Request request); /* in Fortran */

/* collectives.c */
void finish_collective(struct Collective* collective, uint64_t board, uint64_t result);

#endif
