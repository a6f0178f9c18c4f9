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
  struct delayed_message* next_spare;
  unsigned flags;
  unsigned char bytes[] __attribute__((aligned(16)));
};

enum { kSpareClasses = 64 }; /* of lengths: by the number of their bits */

/* Messages by the time at which they are due: a binary heap. Zero-initialised is empty. Memory of
 * messages is used again: malloc would give it back to the system whenever the queue is empty, and
 * each page of the next burst would fault anew. */
struct delay_queue {
  struct delayed_message** heap;
  size_t count;
  size_t capacity;
  uint64_t arrivals;
  struct delayed_message* spare[kSpareClasses];
};

/* Copies a message into the queue. Returns 0, or -1 when there is no memory. O(log count). */
int delay_queue_add(struct delay_queue* queue, uint64_t due_ns, void* receiver, void* interface,
                    const void* bytes, size_t length, unsigned flags);

/* Takes the earliest message if it is due at now_ns; else NULL. The caller gives it back. */
struct delayed_message* delay_queue_take(struct delay_queue* queue, uint64_t now_ns);

/* The caller is done with a message that it has taken from the queue. */
void delay_queue_give_back(struct delay_queue* queue, struct delayed_message* message);

/* Drops the messages of one interface, or all if it is NULL. */
void delay_queue_drop(struct delay_queue* queue, const void* interface);

/* Drops all messages, and the queue's memory. */
void delay_queue_free(struct delay_queue* queue);

#endif
