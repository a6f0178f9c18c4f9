/* What `slackline replay` hands to the processes that re-enact a trace (runtime/replay). C11 and
 * C++. Beside wire.h the only header of src/ that runtime/ sees. doc/replay.md describes the file.
 *
 * One file for all ranks: slk_replay_file, then a slk_replay_part for each rank, then the parts, of
 * which a process reads only its own. A part is a slk_replay_head and a stream of variable-length
 * integers (LEB128; signed ones in zigzag form, marked s below):
 *
 *   communicators of the rank, from index 2 (0 and 1 are MPI_COMM_WORLD and MPI_COMM_SELF):
 *     flags (enum slk_replay_comm_flag), members of the own group, of the remote group: each as
 *     number of runs, (first world rank, stride s, count)*; with a topology n_out, ranks s*, n_in,
 *     ranks s* in the communicator
 *   shapes, the different calls of the rank:
 *     operation, flags (enum slk_replay_flag), peer s, tag s, communicator, bytes, request,
 *     n_args, args s*
 *   steps, in the order of the program:
 *     gap, index of the shape, and if that has SLK_REPLAY_POLLED: polls, period
 *
 * Gap and period are computation before the call, and between the begins of polls, in units of
 * SLK_REPLAY_UNIT_NS. Ranks are those of the communicator (of its other side, if it has two);
 * requests are places in a table, from 1, of which 0 means none. */
#ifndef SLACKLINE_TRACE_REPLAY_WIRE_H
#define SLACKLINE_TRACE_REPLAY_WIRE_H

#include <stdint.h>

#include "trace/wire.h"

#define SLK_REPLAY_MAGIC 0x315950524b4c53ull /* "SLKRPY1", little-endian */
#define SLK_REPLAY_VERSION 3u
#define SLK_REPLAY_UNIT_NS 8
#define SLK_REPLAY_NO_COMM 0u /* in the arguments of a maker: index of the new one, plus 1 */
/* Level of MPI_Pcontrol right before and after what stands for a call of MPI-IO. */
#define SLK_REPLAY_FILE_LEVEL (-1)

struct slk_replay_file {
  uint64_t magic;
  uint32_t version;
  uint32_t ranks;
};
struct slk_replay_part {
  uint64_t offset;
  uint64_t bytes;
};
struct slk_replay_head {
  uint64_t steps;
  uint32_t shapes;
  uint32_t comms;    /* without the first two */
  uint32_t requests; /* places, without 0 */
  uint32_t messages; /* places of matched probes, without 0 */
  uint32_t windows;  /* places, without 0 */
  uint32_t none;
  int64_t start_ns;     /* computation starts this long after the barrier */
  uint64_t received;    /* bytes of the largest message that the rank receives */
  uint64_t buffer;      /* bytes of the largest buffer of any of its calls */
  uint64_t attached;    /* bytes for buffered sends */
  uint64_t exposed;     /* bytes of the largest window for which MPI allocates no memory */
  uint64_t cpu_time;    /* 1: gaps are CPU time; time off the processor comes on top of them */
  uint64_t memory_rate; /* bytes a second that computation moves in memory; 0: it only waits */
};

enum slk_replay_comm_flag {
  SLK_REPLAY_COMM_PREMADE = 1 << 0, /* no call of the program makes it: made before the start */
  SLK_REPLAY_COMM_INTER = 1 << 1,
  SLK_REPLAY_COMM_TOPOLOGY = 1 << 2
};

/* Flags of a shape: those of enum slk_flag that matter to it, and these in the place of others. */
enum slk_replay_flag {
  SLK_REPLAY_ANY_SOURCE = SLK_FLAG_ANY_SOURCE, /* post the wildcard */
  SLK_REPLAY_ANY_TAG = SLK_FLAG_ANY_TAG,
  SLK_REPLAY_READS = SLK_FLAG_ANY_SOURCE,    /* of MPI-IO: `bytes` from a file */
  SLK_REPLAY_WRITES = SLK_FLAG_ANY_TAG,      /* of MPI-IO: `bytes` to a file */
  SLK_REPLAY_FAILED = SLK_FLAG_FAILED,       /* polls that find nothing, as many as the step says */
  SLK_REPLAY_CANCELLED = SLK_FLAG_CANCELLED, /* a receive that nothing matches */
  SLK_REPLAY_IN_PLACE = SLK_FLAG_IN_PLACE,
  SLK_REPLAY_NON_COMMUTATIVE = SLK_FLAG_NON_COMMUTATIVE,
  SLK_REPLAY_POLLED = SLK_FLAG_UNFINISHED, /* the step has polls and period; of MPI-IO the period
                                              is what it takes */
  SLK_REPLAY_HIGH = SLK_FLAG_INTERCOMM     /* intercomm_merge: the own group comes second */
};

/* Arguments of shapes, where they differ from those of wire.h:
 *   sendrecv*             source, receive tag, flags of the receive
 *   start, startall       requests
 *   waitall, waitsome, testall, testsome
 *                         requests
 *   imrecv                `tag` is the place of the matched probe; of mprobe, improbe and mrecv
 *                         `request` is
 *   neighbor_*            n_out, bytes*, n_in, bytes*
 *   comm_* and the like   index of the new communicator plus 1. `tag` is the colour of a split (-1:
 *                         none), `peer` the key. intercomm_create: `peer` is the remote leader's
 *                         rank in MPI_COMM_WORLD, `tag` the tag. cart_create and other topologies:
 *                         `request` 1 with neighbours, else `bytes` members from the first on, or
 *                         0. comm_split_type: `bytes` 1 if all members of the old one stay together
 *   win_create*, win_allocate*
 *                         place of the window, bytes of the rank's part
 *   other win_*, put, get and the like
 *                         place of the window; of post and start then the group, as ranks of the
 *                         window. `tag` of win_lock: 1 shared, 0 exclusive
 *   file_*                1 if the members of the communicator wait for each other first; `bytes`
 * where files are accessed
 */

#endif
