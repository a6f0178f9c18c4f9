#ifndef SLACKLINE_INJECT_COUNTS_H
#define SLACKLINE_INJECT_COUNTS_H
#include <stdint.h>

/* What injection did in this process. */
struct inject_counts {
  uint64_t interfaces; /* transports that are delayed */
  uint64_t sent;       /* messages stamped */
  uint64_t delayed;    /* messages that waited for their time and were released */
  uint64_t late;       /* messages that were due when the receiver first looked */
  uint64_t late_ns;    /* by how much together */
  uint64_t yields;     /* times the processor was given to another rank */
  uint64_t foreign;    /* messages from another host, whose clock says nothing here */
  int not_one_sided;   /* whether one-sided communication goes another way */
};

extern struct inject_counts inject_counts;

/* Writes them to a file of this process in $SLACKLINE_INJECT_DIR, replacing what is there.
 * `ended`: whether the process is at its end. Failure is silent: the job goes on. */
void write_counts(int ended);

/* Says why nothing can be injected, in the same file. */
void write_obstacle(const char* why);

#endif
