#ifndef SLACKLINE_INJECT_COMMAND_H
#define SLACKLINE_INJECT_COMMAND_H
#include <stdint.h>

#include "link.h"

/* What `slackline inject` asks for, by environment variables:
 * SLACKLINE_INJECT_INTRA, SLACKLINE_INJECT_INTER: "latency_ns,bytes_per_second,jitter_ns" for
 * pairs that talk through shared memory and through a network; absent: left alone;
 * SLACKLINE_INJECT_EAGER: the largest message without a rendezvous;
 * SLACKLINE_INJECT_DIR: the folder into which each rank writes its counts. */
struct inject_settings {
  int on; /* either of the two is there */
  int has_intra;
  int has_inter;
  struct link_settings intra;
  struct link_settings inter;
  uint64_t eager_limit;
};

const struct inject_settings* inject_settings(void);

/* Whether the transport, by UCX's name of it, stays within a host. */
int is_shared_memory(const char* transport);

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

enum { kNameBytes = 64 };

/* What one transport took, eager [0] and with a rendezvous [1]. */
struct transport_counts {
  char name[kNameBytes];
  char device[kNameBytes];
  uint64_t messages[2];
  uint64_t bytes[2];
};

/* Those of a transport and a device, by their library's names, cut and made words. Never NULL:
 * the last are shared. */
struct transport_counts* transport_counts(const char* transport, const char* device);

void count_message(struct transport_counts* counts, int rendezvous, size_t bytes);

/* Writes them to a file of this process in $SLACKLINE_INJECT_DIR, replacing what is there.
 * `ended`: whether the process is at its end. Failure is silent: the job goes on. */
void write_counts(int ended);

/* Says why nothing can be injected, in the same file. */
void write_obstacle(const char* why);

#endif
