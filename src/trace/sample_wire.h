/* Files of samples: what the recorder writes beside a raw file, of the same layout (trace/wire.h),
 * with records of its own kinds. C11 and C++. A change raises SLK_SAMPLES_VERSION;
 * doc/formats/raw.md describes the file. */
#ifndef SLACKLINE_TRACE_SAMPLE_WIRE_H
#define SLACKLINE_TRACE_SAMPLE_WIRE_H

#include "trace/wire.h"

#define SLK_SAMPLES_VERSION 5u
#define SLK_SAMPLES_OLDEST                                                 \
  1u /* has no SLK_REC_BLOCKED_AT; 2: no Python frames; 3: no alive_ns; 4: \
      * no SLK_REC_BLOCKING_CALLS */

/* Beside SLK_REC_MODULE, SLK_REC_CALL_PATH and those of Python: begin_ns: the thread was found
 * computing, outside of recorded calls; request = id of the call path; bytes = CPU time that it
 * stands for. */
#define SLK_REC_SAMPLE 252
/* The thread has been off its processor in a function of the C library that waits for time, files
 * or other processes, called outside of recorded calls; begin_ns: when that returned; request = id
 * of the call path; bytes = time off the processor. */
#define SLK_REC_BLOCKED_AT 253

/* Calls of one function that may block, outside of recorded calls, from one place, about one file:
 * several records of the same add up. begin_ns: when it was written; request = id of the call path;
 * tag = enum slk_blocking; bytes = read or written; args: calls, time in them, of that time off the
 * processor, then the function's name and the file's path, each with a NUL, NUL-padded to whole
 * arguments. Those that are neither I/O nor waits for a device are only written if they were off
 * the processor. */
#define SLK_REC_BLOCKING_CALLS 254
#define SLK_BLOCKING_TEXT_AT 3u

/* What a thread waits for. */
enum slk_blocking {
  SLK_BLOCKING_IO = 1,  /* files: reading, writing, opening, closing, synchronising */
  SLK_BLOCKING_SLEEP,   /* time */
  SLK_BLOCKING_LOCK,    /* another thread: semaphores, condition variables, joining */
  SLK_BLOCKING_PROCESS, /* other processes: sockets, pipes, children, signals */
  SLK_BLOCKING_DEVICE   /* a GPU or another device, at work or not */
};

/* `bytes` of SLK_REC_CALL_PATH. */
enum slk_path_flag {
  SLK_PATH_WHOLE = 1 << 0, /* all frames out to the thread's first function; else it is cut */
  SLK_PATH_EXACT = 1 << 1  /* the first address is the instruction itself, of a sample */
};

/* In a call path, in place of frames that are left out where it is deeper than the limit; those
 * after it are the outermost ones. */
#define SLK_PATH_OMITTED 0u

/* How far a thread was sampled. */
enum slk_sampling {
  SLK_SAMPLING_ON = 1,      /* to its end */
  SLK_SAMPLING_NO_SIGNAL,   /* not: the program uses all signals that could be used */
  SLK_SAMPLING_NO_TIMER,    /* not: the system gave no timer */
  SLK_SAMPLING_TAKEN_OVER,  /* until the program set a handler for the signal */
  SLK_SAMPLING_TIMER_CLOSED /* until the program closed the timer's file descriptor */
};

/* At SLK_SAMPLING_HEADER_AT of the file, in the page of its header. */
#define SLK_SAMPLING_HEADER_AT 3072u
struct slk_sampling_header {
  uint32_t version;
  uint32_t state;       /* enum slk_sampling */
  uint64_t interval_ns; /* CPU time between samples */
  uint64_t skipped;     /* samples that could not be taken */
  uint64_t alive_ns;    /* when the thread last computed, in calls of MPI or outside, about */
};

#endif
