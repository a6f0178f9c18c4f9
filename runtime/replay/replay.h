/* slackline_replay_MPI FILE REPORT [SCRATCH]: one process re-enacts one rank of a trace
 * (doc/replay.md).
 *
 * Its part of the program is in memory before the start; then computation elapses on the clock, and
 * every call is made for real. What the process needs for itself goes through PMPI, so that a
 * recorder does not see it. */
#ifndef SLACKLINE_RUNTIME_REPLAY_REPLAY_H
#define SLACKLINE_RUNTIME_REPLAY_REPLAY_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "trace/replay_wire.h"

/* Blocks of a collective, one behind the other. They stay as they are, since nonblocking calls look
 * at them later. */
struct block_list {
  int* bytes;
  int* at;
  MPI_Aint* address;
  MPI_Datatype* types;
  uint32_t n;
};
struct blocks {
  struct block_list sent; /* or those of the root, or of all members */
  struct block_list received;
};

/* A call of the program, of which there are fewer different ones than calls. */
struct replay;
struct shape;
typedef void maker(struct replay* r, const struct shape* s);
struct shape {
  maker* make;
  struct blocks* blocks; /* of collectives with sizes for each rank */
  uint64_t bytes;
  const int64_t* args;
  int32_t peer;
  int32_t tag;
  uint32_t comm;
  uint32_t request;
  uint32_t n_args;
  uint8_t op;
  uint8_t flags;
};

struct topology {
  int* out;
  int* in;
  uint32_t n_out, n_in;
};

struct comm_plan {
  int* own; /* world ranks */
  int* other;
  uint32_t n_own, n_other;
  uint8_t flags;
  struct topology topology;
};

struct window {
  MPI_Win win;
  MPI_Aint* at; /* where the memory of each rank begins, of a dynamic one */
};

/* How the process keeps to its times; clock.c. */
struct pace {
  int64_t returned_ns; /* when the last call returned */
  int64_t short_ns;    /* what lies between two recorded calls without any waiting */
  int64_t tail_ns;     /* what a wait adds to the time that it was asked for */
  int64_t debt_ns;     /* how late it is */
  int64_t debt_most_ns;
  uint64_t late_calls; /* that began later than they should have */
  int yields;          /* gives the processor to others while it waits */
};

/* What computation moves in memory, of which there is more than caches hold; clock.c. */
struct stream {
  unsigned char* memory; /* null: nothing is moved */
  size_t at;
  double wanted_bytes; /* rate times what was waited */
  double bytes;
};

struct replay {
  struct slk_replay_head head;
  int rank, ranks;
  int one_host;
  struct shape* shapes;
  struct comm_plan* plans; /* by index, from 2 */
  MPI_Comm* comms;
  MPI_Request* requests;
  MPI_Message* messages;
  MPI_Request never; /* a receive that nothing matches */
  char* send;        /* head.buffer bytes each */
  char* receive;
  char* exposed; /* head.exposed bytes, for windows */
  struct window* windows;
  void* attached;
  MPI_Request* listed; /* requests of one call */
  MPI_Status* statuses;
  int* indices;
  uint32_t listed_room;
  int unused_tag;
  MPI_Op sum; /* one that does not commute */
  const unsigned char* at;
  const unsigned char* end;
  uint64_t polls; /* of the step that is executed */
  int64_t period_ns;
  struct pace pace;
  struct stream stream;
  int scratch;            /* file for MPI-IO; -1: none */
  uint64_t file_calls[2]; /* that read and that wrote */
  uint64_t file_bytes[2];
};

/* Ends the job with a reason. */
void give_up(const char* format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* main.c: executes the next step. */
void step(struct replay* r);
/* Makes calls that are none of those below. */
void elsewhere(struct replay* r, const struct shape* s);

/* program.c */
uint64_t read_unsigned(struct replay* r);
int64_t read_signed(struct replay* r);
void* allocate(size_t count, size_t size);
/* Reads the rank's part of the file and makes its buffers. */
void load_program(struct replay* r, const char* path);

/* clock.c */
static inline int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1000000000 * (int64_t)t.tv_sec + t.tv_nsec;
}
/* Measures what the replay itself, and the recorder, take for a call. */
void calibrate(struct replay* r);
/* Lets the computation between two calls pass: begins after the last call's return. */
void compute(struct replay* r, int64_t ns);
/* Makes the memory that computation moves, if it moves any. */
void prepare_stream(struct replay* r);
/* Spins until the clock shows that time. */
void spin_until(const struct replay* r, int64_t ns);

/* files.c */
/* Makes the process's file in that folder; null: files are not accessed. */
void open_scratch(struct replay* r, const char* folder);

/* communicators.c */
void make_comms(struct replay* r);
void make_comm(struct replay* r, const struct shape* s);
void free_comm(struct replay* r, const struct shape* s);

/* Generated from the table of calls (calls/replay.py): the makers of all operations, one of which
 * makes each call, and call(), which does so with the arguments that they give it. */
#include "arguments.inc"
void call(uint8_t op, const struct arguments* a);
maker* maker_of(uint8_t op);
int is_warmed_up(uint8_t op);

/* collectives.c */
/* Makes the lists of blocks that the calls of this shape take. */
void prepare_blocks(struct shape* s);

#endif
