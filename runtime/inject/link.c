#include "link.h"

#include <stdlib.h>

/* xorshift64: reproducible, and good enough to spread messages. */
static uint64_t next_random(uint64_t* state) {
  uint64_t x = *state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return *state = x;
}

struct link link_after(const struct link* link, const struct link_settings* settings,
                       uint64_t now_ns, size_t bytes, uint64_t* random_state) {
  struct link after;
  after.free_ns = link->free_ns > now_ns ? link->free_ns : now_ns;
  after.free_ns += (uint64_t)((double)bytes * settings->ns_per_byte);
  after.due_ns = after.free_ns + settings->latency_ns;
  if (settings->jitter_ns > 0)
    after.due_ns += next_random(random_state) % (settings->jitter_ns + 1);
  if (after.due_ns < link->due_ns) after.due_ns = link->due_ns;
  return after;
}

static size_t slot_of(const struct links* table, const void* endpoint) {
  const uint64_t hash = (uint64_t)(uintptr_t)endpoint * 0x9e3779b97f4a7c15u;
  size_t at = (size_t)(hash >> 32) & (table->capacity - 1);
  while (table->endpoints[at] != NULL && table->endpoints[at] != endpoint) {
    at = (at + 1) & (table->capacity - 1);
  }
  return at;
}

static int grow(struct links* table) {
  struct links larger = *table;
  larger.capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
  larger.endpoints = calloc(larger.capacity, sizeof *larger.endpoints);
  larger.links = calloc(larger.capacity, sizeof *larger.links);
  if (larger.endpoints == NULL || larger.links == NULL) {
    free(larger.endpoints);
    free(larger.links);
    return -1;
  }
  for (size_t i = 0; i < table->capacity; ++i) {
    if (table->endpoints[i] == NULL) continue;
    const size_t at = slot_of(&larger, table->endpoints[i]);
    larger.endpoints[at] = table->endpoints[i];
    larger.links[at] = table->links[i];
  }
  links_free(table);
  *table = larger;
  return 0;
}

struct link* links_find(struct links* table, const void* endpoint) {
  if (table->capacity > 0) {
    const size_t at = slot_of(table, endpoint);
    if (table->endpoints[at] == endpoint) return &table->links[at];
  }
  if (2 * (table->count + 1) > table->capacity && grow(table) != 0) return &table->shared;
  const size_t at = slot_of(table, endpoint);
  table->endpoints[at] = endpoint;
  ++table->count;
  return &table->links[at];
}

void links_free(struct links* table) {
  free(table->endpoints);
  free(table->links);
  const struct links empty = {0};
  *table = empty;
}
