#include "receiver.h"

/* Transports within a host are faster; what takes longer was not looked at. */
static uint64_t longest_transport_ns(size_t length) {
  return 500 + length / 4;
}

static struct message_costs* costs_of(struct receiver* receiver, size_t length) {
  size_t class = 0;
  for (size_t rest = length; rest > 0 && class < kReceiverClasses - 1; rest >>= 1) ++class;
  struct message_costs* costs = &receiver->costs[class];
  if (!costs->seen) costs->transport_ns = costs->queue_ns = costs->hand_on_ns = UINT64_MAX;
  costs->seen = 1;
  return costs;
}

static void note_least(uint64_t* least, uint64_t ns) {
  if (ns < *least) *least = ns;
}

static uint64_t if_known(uint64_t least) {
  return least == UINT64_MAX ? 0 : least;
}

/* The least that is known of messages of that class, or else of shorter ones. */
static uint64_t transport_of(const struct receiver* receiver, const struct message_costs* costs) {
  while (costs > receiver->costs && (!costs->seen || costs->transport_ns == UINT64_MAX)) --costs;
  return costs->seen ? if_known(costs->transport_ns) : 0;
}

uint64_t receiver_takes(struct receiver* receiver, size_t length, uint64_t sent_ns,
                        uint64_t now_ns) {
  struct message_costs* costs = costs_of(receiver, length);
  const uint64_t longest = longest_transport_ns(length) + receiver->beyond_memory_ns;
  uint64_t transport = now_ns > sent_ns ? now_ns - sent_ns : 0;
  if (receiver->beyond_memory_ns == 0) {
    note_least(&costs->transport_ns, transport < longest ? transport : longest);
  } else if (transport <= longest && sent_ns <= receiver->polled_ns) {
    note_least(&costs->transport_ns, transport);
  }
  uint64_t begin = sent_ns + transport_of(receiver, costs);
  if (begin < receiver->free_ns) begin = receiver->free_ns;
  const uint64_t taken = begin + if_known(costs->queue_ns);
  receiver->free_ns = taken + if_known(costs->hand_on_ns);
  return taken;
}

void receiver_queued(struct receiver* receiver, size_t length, uint64_t ns) {
  note_least(&costs_of(receiver, length)->queue_ns, ns);
}

void receiver_handed_on(struct receiver* receiver, size_t length, uint64_t ns) {
  note_least(&costs_of(receiver, length)->hand_on_ns, ns);
}
