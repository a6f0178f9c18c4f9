#ifndef SLACKLINE_INJECT_LINKS_H
#define SLACKLINE_INJECT_LINKS_H
#include <stddef.h>

#include "link.h"

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
