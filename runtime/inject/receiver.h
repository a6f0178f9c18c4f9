#ifndef SLACKLINE_INJECT_RECEIVER_H
#define SLACKLINE_INJECT_RECEIVER_H
#include <stddef.h>
#include <stdint.h>

enum { kReceiverClasses = 32 }; /* of lengths: by the number of their bits */

/* The least that messages of a class were seen to take, in ns. */
struct message_costs {
  uint64_t transport_ns; /* from sending to arriving */
  uint64_t queue_ns;     /* copied into the queue */
  uint64_t hand_on_ns;   /* taken by the MPI library */
  int seen;
};

/* Without latency, a receiver that polls without pause takes messages one after the other, each
 * after its transport. Latency comes on top of that: it does not overlap with the transport. What
 * the receiver computes while a message is under way is no transport. */
struct receiver {
  struct message_costs costs[kReceiverClasses];
  /* Not 0: the transport is a network, which takes at most so much longer than shared memory. It
   * is learned only from messages that were under way when the receiver looked before. */
  uint64_t beyond_memory_ns;
  uint64_t polled_ns; /* when that was */
  uint64_t free_ns;   /* when it would be done with all messages so far */
};

/* When a message of `length` bytes that was sent at `sent_ns` and arrived at `now_ns` would be
 * handed on without latency. Never before sent_ns. */
uint64_t receiver_takes(struct receiver* receiver, size_t length, uint64_t sent_ns,
                        uint64_t now_ns);

/* What a message took here. */
void receiver_queued(struct receiver* receiver, size_t length, uint64_t ns);
void receiver_handed_on(struct receiver* receiver, size_t length, uint64_t ns);

#endif
