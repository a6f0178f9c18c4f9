#include "link.h"

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
