#ifndef SLACKLINE_INJECT_SETTINGS_H
#define SLACKLINE_INJECT_SETTINGS_H
#include "link.h"

/* What `slackline inject` asks for, by environment variables:
 * SLACKLINE_INJECT_INTRA, SLACKLINE_INJECT_INTER: "latency_ns,bytes_per_second,jitter_ns" for
 * pairs that talk through shared memory and through a network; absent: left alone;
 * SLACKLINE_INJECT_DIR: the folder into which each rank writes its counts. */
struct inject_settings {
  int on; /* either of the two is there */
  int has_intra;
  int has_inter;
  struct link_settings intra;
  struct link_settings inter;
};

const struct inject_settings* inject_settings(void);

/* Whether the transport, by UCX's name of it, stays within a host. */
int is_shared_memory(const char* transport);

#endif
