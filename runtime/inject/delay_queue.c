#include "delay_queue.h"

#include <stdlib.h>
#include <string.h>

static int before(const struct delayed_message* a, const struct delayed_message* b) {
  return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static int grow(struct delay_queue* queue) {
  const size_t capacity = queue->capacity == 0 ? 64 : 2 * queue->capacity;
  struct delayed_message** heap = realloc(queue->heap, capacity * sizeof *heap);
  if (heap == NULL) return -1;
  queue->heap = heap;
  queue->capacity = capacity;
  return 0;
}

static void sift_up(struct delay_queue* queue, size_t at) {
  struct delayed_message* message = queue->heap[at];
  while (at > 0 && before(message, queue->heap[(at - 1) / 2])) {
    queue->heap[at] = queue->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  queue->heap[at] = message;
}

static void sift_down(struct delay_queue* queue, size_t at) {
  struct delayed_message* message = queue->heap[at];
  for (size_t child; (child = 2 * at + 1) < queue->count; at = child) {
    if (child + 1 < queue->count && before(queue->heap[child + 1], queue->heap[child])) ++child;
    if (!before(queue->heap[child], message)) break;
    queue->heap[at] = queue->heap[child];
  }
  queue->heap[at] = message;
}

static size_t class_of(size_t length) {
  size_t class = 0;
  while (length >> class > 0) ++class;
  return class;
}

/* A message with room for at least that length. */
static struct delayed_message* new_message(struct delay_queue* queue, size_t length) {
  const size_t class = class_of(length);
  struct delayed_message* message = queue->spare[class];
  if (message == NULL) return malloc(sizeof *message + ((size_t)1 << class));
  queue->spare[class] = message->next_spare;
  return message;
}

void delay_queue_give_back(struct delay_queue* queue, struct delayed_message* message) {
  const size_t class = class_of(message->length);
  message->next_spare = queue->spare[class];
  queue->spare[class] = message;
}

int delay_queue_add(struct delay_queue* queue, uint64_t due_ns, void* receiver, void* interface,
                    const void* bytes, size_t length, unsigned flags) {
  if (queue->count == queue->capacity && grow(queue) != 0) return -1;
  struct delayed_message* message = new_message(queue, length);
  if (message == NULL) return -1;
  message->due_ns = due_ns;
  message->order = queue->arrivals++;
  message->receiver = receiver;
  message->interface = interface;
  message->length = length;
  message->flags = flags;
  memcpy(message->bytes, bytes, length);
  queue->heap[queue->count++] = message;
  sift_up(queue, queue->count - 1);
  return 0;
}

struct delayed_message* delay_queue_take(struct delay_queue* queue, uint64_t now_ns) {
  if (queue->count == 0 || queue->heap[0]->due_ns > now_ns) return NULL;
  struct delayed_message* first = queue->heap[0];
  queue->heap[0] = queue->heap[--queue->count];
  if (queue->count > 0) sift_down(queue, 0);
  return first;
}

void delay_queue_drop(struct delay_queue* queue, const void* interface) {
  size_t kept = 0;
  for (size_t i = 0; i < queue->count; ++i) {
    if (interface == NULL || queue->heap[i]->interface == interface) {
      delay_queue_give_back(queue, queue->heap[i]);
    } else {
      queue->heap[kept++] = queue->heap[i];
    }
  }
  queue->count = kept;
  for (size_t i = kept / 2; i-- > 0;) sift_down(queue, i);
}

void delay_queue_free(struct delay_queue* queue) {
  delay_queue_drop(queue, NULL);
  for (size_t class = 0; class < kSpareClasses; ++class) {
    for (struct delayed_message* m; (m = queue->spare[class]) != NULL;) {
      queue->spare[class] = m->next_spare;
      free(m);
    }
  }
  free(queue->heap);
  memset(queue, 0, sizeof *queue);
}
