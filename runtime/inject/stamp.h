#ifndef SLACKLINE_INJECT_STAMP_H
#define SLACKLINE_INJECT_STAMP_H
#include <stddef.h>
#include <stdint.h>

#include "link.h"
#include "receiver.h"

/* What travels with every message that is delayed. */
struct stamp {
  uint64_t due_ns;   /* by the sender's clock */
  uint32_t delay_ns; /* due_ns less the time of sending */
  uint32_t host;     /* of the sender */
};

/* A message that is about to be sent. */
struct departure {
  struct link link;
  struct stamp stamp;
};

uint64_t now_ns(void);

/* The stamp of a message of `bytes` that is sent to `peer` now. */
struct departure depart(struct links* links, const void* peer, const struct link_settings* settings,
                        size_t bytes);

/* The transport took it. */
void departed(struct links* links, const void* peer, const struct departure* departure);

/* When a message that arrived at now_ns is due by this host's clock: the latency begins when it has
 * left the link and would have been handed on without it. */
uint64_t due_here(struct receiver* receiver, const struct link_settings* settings,
                  const struct stamp* stamp, size_t length, uint64_t now);

/* A message was due then, and is first looked at now. */
void count_if_late(uint64_t due, uint64_t now);

/* With more ranks than processors, one that polls without success keeps the one it waits for from
 * running. `empty_polls` counts the caller's in succession. */
void yield_when_idle(int* empty_polls);

#endif
