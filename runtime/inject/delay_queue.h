#ifndef SLACKLINE_INJECT_DELAY_QUEUE_H
#define SLACKLINE_INJECT_DELAY_QUEUE_H
#include <stddef.h>
#include <stdint.h>

/* A message that has arrived and is not due yet, with a copy of its bytes behind it. */
struct delayed_message {
  uint64_t due_ns;
  uint64_t order;  /* of arrival; decides between equal times, so that a sender's order stays */
  void* receiver;  /* whatever the caller needs to hand the message on */
  void* interface; /* where it arrived */
  size_t length;
  unsigned flags;
  unsigned char bytes[] __attribute__((aligned(16)));
};

/* Messages by the time at which they are due: a binary heap. Zero-initialised is empty. */
struct delay_queue {
  struct delayed_message** heap;
  size_t count;
  size_t capacity;
  uint64_t arrivals;
};

/* Copies a message into the queue. Returns 0, or -1 when there is no memory. O(log count). */
int delay_queue_add(struct delay_queue* queue, uint64_t due_ns, void* receiver, void* interface,
                    const void* bytes, size_t length, unsigned flags);

/* Takes the earliest message if it is due at now_ns; else NULL. The caller frees it. */
struct delayed_message* delay_queue_take(struct delay_queue* queue, uint64_t now_ns);

/* Drops the messages of one interface, or all if it is NULL. */
void delay_queue_drop(struct delay_queue* queue, const void* interface);

#endif
