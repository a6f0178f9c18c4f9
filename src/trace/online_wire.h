/* What the simulator and the processes of an on-line simulation share (runtime/online, src/online).
 * C11 and C++. Besides wire.h and replay_wire.h the only header of src/ that runtime/ sees.
 *
 * One file in memory, which all inherit as an open descriptor: slk_online_file, then an area for
 * each rank, `stride` bytes apart: slk_online_rank, lists, heap. A process hands its calls to the
 * simulator (`turn`): one that needs an answer, after those before it that need none (`queue`).
 * Only one process computes at a time, so nothing else needs synchronisation. Message
 * data lie in the sender's heap until the receiver has copied them. Offsets count from the
 * beginning of the file; 0 is none. Ranks are world ranks, sizes bytes, times seconds of simulated
 * time unless they say otherwise. */
#ifndef SLACKLINE_TRACE_ONLINE_WIRE_H
#define SLACKLINE_TRACE_ONLINE_WIRE_H

#include <stdint.h>

#include "trace/wire.h"

/* "simulator's process:its descriptor:rank:ranks", of which the first one is named */
#define SLK_ONLINE_VARIABLE "SLACKLINE_ONLINE"
/* What the simulator sets for the processes beside it; what a variable was before has its name with
 * this in front. */
#define SLK_ONLINE_SET_VARIABLES                                                        \
  "LD_PRELOAD", "OMPI_MCA_ess_singleton_isolated", "OMPI_MCA_orte_create_session_dirs", \
      "OMPI_MCA_sharedfp", "OMPI_MCA_btl", "OMPI_MCA_pml", "UCX_TLS"
#define SLK_ONLINE_BEFORE "SLACKLINE_BEFORE_"
#define SLK_ONLINE_MAGIC 0x314c4e4f4b4c53ull /* "SLKONL1", little-endian */
#define SLK_ONLINE_REQUESTS 65536u
#define SLK_ONLINE_LISTS (1u << 21) /* 8-byte words */
#define SLK_ONLINE_NAME 256u
#define SLK_ONLINE_CODE (1u << 20)     /* 8-byte words */
#define SLK_ONLINE_OWN_TAGS 0x7f000000 /* this tag and above: of no program, and no wildcard's */
#define SLK_ONLINE_QUEUE 64u   /* calls without an answer that wait for the next one with one */
#define SLK_ONLINE_BLOCKS 256u /* that can be sampled, of a rank and of all together */
#define SLK_ONLINE_FUNCTIONS 65536u /* of the program's file that are watched */

/* What a function returns, by its debug information. */
enum slk_online_result { SLK_RESULT_none, SLK_RESULT_integer, SLK_RESULT_real, SLK_RESULT_address };

/* A function that may be sampled without a mark. */
struct slk_online_function {
  uint64_t begin;    /* address in the program's file */
  uint32_t result;   /* enum slk_online_result */
  uint32_t is_named; /* by the user: whatever it returns and however its time varies */
};

/* Why a function is always executed. */
enum slk_online_unsampled {
  SLK_UNSAMPLED_not,
  SLK_UNSAMPLED_calls,     /* MPI */
  SLK_UNSAMPLED_allocates, /* or frees memory */
  SLK_UNSAMPLED_writes,    /* files or output */
  SLK_UNSAMPLED_varies,    /* its time */
  SLK_UNSAMPLED_result     /* what it returns differs, or is memory's address */
};

/* Whether a rank watches functions. */
enum slk_online_watched {
  SLK_WATCHED_none,
  SLK_WATCHED_all,
  SLK_WATCHED_other_program, /* it runs another file than the command */
  SLK_WATCHED_refused        /* the system does not let a process change its code */
};

/* A block of the program that is sampled: a marked one (runtime/record/slackline.h), or a function
 * where it is called. Times of CPU in ns. */
struct slk_online_sampled {
  char name[SLK_ONLINE_NAME]; /* empty: none, and none after it */
  uint64_t runs;              /* that were timed */
  uint64_t skipped;
  double mean_ns;     /* of the runs */
  double squares;     /* sum of the squared differences from the mean */
  double charged_ns;  /* for those that were skipped */
  uint32_t calls_mpi; /* was seen to: it is not skipped */
  uint32_t untimed;   /* runs that do not count, as their memory may not have been in the caches */
  uint32_t function;  /* its index + 1; 0: a marked block */
  uint32_t unsampled; /* enum slk_online_unsampled, of functions */
  uint64_t site;      /* of functions: address in the program's file behind the call */
  double untimed_ns;
};

struct slk_online_file {
  uint64_t magic;
  uint64_t ranks;
  uint64_t stride;
  uint64_t first;            /* where the area of rank 0 is */
  double seconds_per_cpu_ns; /* of simulated time; 0: computation takes none */
  uint32_t colliding;        /* 1 + a rank of which two threads were in MPI at a time; 0: none */
  uint32_t keeps_paths;      /* calls have call paths */
  uint64_t device, inode;    /* of the file with the functions */
  uint64_t functions;        /* that are watched */
  struct slk_online_function function[SLK_ONLINE_FUNCTIONS]; /* by their begin */
  struct slk_online_sampled sampled[SLK_ONLINE_BLOCKS];      /* by all ranks together */
};

enum slk_online_kind {
  SLK_ONLINE_CALL = 1, /* an operation of enum slk_operation */
  SLK_ONLINE_SLEEP,    /* `bytes`: nanoseconds */
  SLK_ONLINE_FLUSH,    /* nothing but the queue, and the time is wanted */
  SLK_ONLINE_CANCEL,   /* the request at `place`, a send if `data` is its block */
  SLK_ONLINE_ABORT,    /* `peer`: the code */
  SLK_ONLINE_ENTER,    /* the region `name` begins */
  SLK_ONLINE_LEAVE,    /* and ends */
  SLK_ONLINE_REFUSED   /* `refused`: the function that cannot be simulated */
};

/* A request's place in the table of its rank. */
struct slk_online_request {
  uint32_t serial; /* of its start, from 1; never used again */
  uint32_t over;   /* the simulator has told of its completion */
  int32_t source;
  int32_t tag;
  uint64_t bytes;
  uint64_t data;  /* of a receive: the message's block */
  uint64_t board; /* of a collective: as in the answer; of a maker index + 1 of the communicator,
                     its number of members, and these */
};

struct slk_online_call {
  uint32_t kind;
  uint32_t operation;
  int32_t peer; /* or root; SLK_PEER_ANY as a wildcard */
  int32_t tag;  /* SLK_TAG_ANY as a wildcard; of collectives the element size */
  uint32_t comm;
  uint32_t flags; /* enum slk_flag */
  uint64_t bytes;
  uint32_t place;  /* of the request that it starts, or that takes a blocking receive's result */
  uint32_t serial; /* of that request */
  uint32_t n_args; /* words in `lists`, as wire.h has them for the operation; places of requests for
                      serials */
  int32_t source;  /* of a sendrecv */
  int32_t source_tag; /* of a sendrecv */
  int32_t color;      /* of MPI_Comm_split */
  int32_t key;
  uint64_t data;   /* block that is sent, or contributed to the collective */
  uint64_t back;   /* of one-sided operations: bytes that come back */
  uint64_t result; /* block with the result of the collective that was answered last */
  uint64_t cpu_ns; /* computed since the last answer */
  uint32_t path;   /* of the call, as SLK_REC_CALL_PATH in `code` has it; 0: not known */
  uint32_t unused;
  char name[SLK_ONLINE_NAME];
};

struct slk_online_answer {
  double now;
  int32_t found;  /* of tests, probes and cancelling */
  int32_t source; /* of probes */
  int32_t tag;
  uint32_t
      count;     /* places in `lists` that are complete; of makers the members, which stand there */
  uint32_t comm; /* new communicator; SLK_COMM_NULL none */
  uint32_t unused;
  uint64_t bytes;
  uint64_t
      board; /* index in `lists` of the blocks of the collective's members, in their order; +1 */
  uint64_t result; /* block that another member has computed */
};

/* Before each block in a heap. */
struct slk_online_block {
  uint64_t bytes; /* of the data */
  uint32_t order; /* 2^order bytes with this head */
  uint32_t free;  /* its owner may use it again */
};

/* A second file, for memory that all ranks share because its contents are of no use: slk_fold_file,
 * and from SLK_FOLD_FIRST on SLK_FOLD_BYTES of memory, of which only touched pages take memory. */
#define SLK_FOLD_VARIABLE "SLACKLINE_FOLD" /* "descriptor" */
#define SLK_FOLD_MAGIC 0x31444c464b4c53ull /* "SLKFLD1", little-endian */
#define SLK_FOLD_FIRST 4096u
#define SLK_FOLD_BYTES (1ull << 26)
struct slk_fold_file {
  uint64_t magic;
  uint64_t threshold; /* allocations from this many bytes on are folded; UINT64_MAX: none unasked */
  uint64_t own_bytes; /* in such allocations that a rank has of its own before others are folded */
  uint64_t allocations; /* folded, of all ranks */
  uint64_t live_bytes;  /* of those that have not been freed */
  uint64_t most_bytes;  /* that live_bytes has been */
  uint64_t failed;      /* allocations that could not be folded */
};

struct slk_online_rank {
  uint32_t turn; /* futex: 1 the process computes, 0 the simulator has to answer */
  uint32_t queued;
  uint32_t process;          /* that is this rank; 0: none yet */
  uint32_t threads_at_begin; /* of the process, behind MPI_Init */
  uint32_t threads_at_end;   /* before MPI_Finalize */
  double cores;              /* that its threads compute on at a time; 1 at least */
  uint64_t all_cpu_ns;       /* from MPI_Init to MPI_Finalize, of all threads */
  uint64_t others_cpu_ns;    /* of those that do not call MPI_Finalize */
  struct slk_online_call queue[SLK_ONLINE_QUEUE];
  struct slk_online_call call;
  char refused[SLK_ONLINE_NAME]; /* with SLK_ONLINE_REFUSED, or calls of colliding threads */
  struct slk_online_answer answer;
  char host[SLK_ONLINE_NAME];
  struct slk_online_sampled sampled[SLK_ONLINE_BLOCKS]; /* by this rank alone */
  uint64_t unsampled; /* executions of blocks for which no place was left */
  uint32_t watched;   /* enum slk_online_watched */
  uint32_t unused;
  struct slk_online_request requests[SLK_ONLINE_REQUESTS];
  int64_t lists[SLK_ONLINE_LISTS];
  /* Records of wire.h about call paths, each with its arguments behind it. */
  uint64_t code_words;
  int64_t code[SLK_ONLINE_CODE];
};

#endif
