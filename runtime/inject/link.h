#ifndef SLACKLINE_INJECT_LINK_H
#define SLACKLINE_INJECT_LINK_H
#include <stddef.h>
#include <stdint.h>

/* What is injected between two ranks. */
struct link_settings {
  uint64_t latency_ns;
  double ns_per_byte; /* of the paced bandwidth; 0: unlimited */
  uint64_t jitter_ns; /* each message takes up to this much longer, evenly distributed */
};

/* One direction of a connection, as its sender sees it. Zero-initialised: nothing was sent. */
struct link {
  uint64_t free_ns; /* when the last byte sent so far leaves a link of that bandwidth */
  uint64_t due_ns;  /* of the last message: none overtakes another */
};

/* When a message of `bytes` that leaves now is due at its receiver. The caller keeps `link`, and
 * puts the result of link_after into it once the message was really sent. */
struct link link_after(const struct link* link, const struct link_settings* settings,
                       uint64_t now_ns, size_t bytes, uint64_t* random_state);

/* The links of an interface, by endpoint: a hash table with open addressing. Endpoints are never
 * taken out; one that reuses another's address starts with a link that is idle by then. */
struct links {
  const void** endpoints;
  struct link* links;
  size_t count;
  size_t capacity;    /* a power of two, or 0 */
  struct link shared; /* what all others use when there is no memory */
};

/* The endpoint's link, valid until the next call. Never NULL. Amortised O(1). */
struct link* links_find(struct links* table, const void* endpoint);

void links_free(struct links* table);

#endif
