/* Completions of libfabric: those of receives, and of sends with a rendezvous, get to the program
 * when they are due. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric.h"

struct completion {
  struct fi_cq_tagged_entry entry;
  fi_addr_t from;
};

static struct delayed_queue* queue_of(const struct fid_cq* cq) {
  return (struct delayed_queue*)(uintptr_t)((const char*)cq->ops -
                                            offsetof(struct delayed_queue, ops));
}

/* Copies what has arrived to where the program wants it, and returns its length. */
static size_t scatter(const struct operation* o, size_t length) {
  const unsigned char* from = o->bytes + sizeof(struct header);
  size_t left = length;
  for (size_t i = 0; i < o->count && left > 0; ++i) {
    const size_t here = left < o->pieces[i].iov_len ? left : o->pieces[i].iov_len;
    if (here > 0) memcpy(o->pieces[i].iov_base, from, here);
    from += here;
    left -= here;
  }
  return length;
}

static uint64_t due_receive(struct delayed_queue* self, const struct operation* o,
                            const struct header* header, size_t length, uint64_t now) {
  if (header->process == own_process()) {
    o->endpoint->self = header->to;
    return now;
  }
  ++inject_counts.delayed;
  const struct link_settings* settings = &o->endpoint->settings;
  uint64_t due = due_here(&self->receiver, settings, &header->stamp, length, now);
  if (due < o->time_ns) due = o->time_ns;
  /* When message and receive are there, a message goes back, and the data come. */
  if (header->rendezvous) due += 2 * settings->latency_ns;
  if (due > o->time_ns) count_if_late(due, now); /* else it waited for the receive */
  return due;
}

/* The sender has its message back when the receiver's answer has arrived. The receiver took the
 * message at some time since the provider was last asked. */
static uint64_t due_send(const struct delayed_queue* self, const struct operation* o,
                         uint64_t now) {
  if (!o->rendezvous || o->to == o->endpoint->self) return now;
  const uint64_t begun =
      o->time_ns > self->receiver.polled_ns ? o->time_ns : self->receiver.polled_ns;
  return begun + o->endpoint->settings.latency_ns;
}

/* Whether the provider has done with it by a completion of these flags. */
static int is_over(const struct operation* o, uint64_t flags) {
  return o->kind != kReceiveMany || (flags & FI_MULTI_RECV);
}

/* Makes the provider's entry the program's, and returns when it is due; UINT64_MAX: never. */
static uint64_t translate(struct delayed_queue* self, struct fi_cq_tagged_entry* entry,
                          uint64_t now) {
  struct operation* o = operation_of(entry->op_context);
  if (o == NULL) {
    if (entry->flags & (FI_RMA | FI_ATOMIC)) inject_counts.not_one_sided = 1;
    return now;
  }
  const int silent = o->silent && !(entry->flags & FI_MULTI_RECV);
  uint64_t due = now;
  entry->op_context = o->context;
  if (o->kind == kSend) {
    due = due_send(self, o, now);
  } else if (entry->len >= sizeof(struct header)) { /* a released buffer comes without */
    entry->len -= sizeof(struct header);
    const unsigned char* at = o->kind == kReceive ? o->bytes : entry->buf;
    struct header header;
    if (o->kind == kReceive || o->kind == kReceiveMany) {
      memcpy(&header, at, sizeof header);
      due = due_receive(self, o, &header, entry->len, now);
    }
    if (o->kind == kReceive) scatter(o, entry->len);
    if (o->kind == kReceive) entry->buf = o->count > 0 ? o->pieces[0].iov_base : NULL;
    if (o->kind == kReceiveMany) entry->buf = (unsigned char*)entry->buf + sizeof header;
  }
  if (o->kind == kReceiveMany) { /* the program has its buffer back after all messages in it */
    if (due > o->latest_due) o->latest_due = due;
    if (entry->flags & FI_MULTI_RECV) due = o->latest_due;
  }
  if (o->kind == kClaiming) {
    o->kind = kClaimed;
  } else if (is_over(o, entry->flags)) {
    free_operation(o);
  }
  return silent ? UINT64_MAX : due;
}

/* Takes what the provider has, and returns how many entries, or its error. */
static ssize_t take_completions(struct fid_cq* cq, int with_source) {
  enum { kAtOnce = 64 };
  struct delayed_queue* self = queue_of(cq);
  ssize_t status = 0;
  int taken = 0;
  struct completion c = {.from = FI_ADDR_NOTAVAIL};
  while (taken < kAtOnce) {
    status = with_source ? self->next->readfrom(cq, &c.entry, 1, &c.from)
                         : self->next->read(cq, &c.entry, 1);
    if (status != 1) break;
    ++taken;
    const uint64_t due = translate(self, &c.entry, now_ns());
    if (due == UINT64_MAX) continue;
    if (delay_queue_add(&self->queue, due, NULL, NULL, &c, sizeof c, 0) != 0) {
      fprintf(stderr, "slackline: there is no memory for a message\n");
      abort();
    }
  }
  self->receiver.polled_ns = now_ns();
  return taken > 0 ? taken : status;
}

static ssize_t read_locked(struct fid_cq* cq, void* buffer, size_t count, fi_addr_t* from) {
  struct delayed_queue* self = queue_of(cq);
  const ssize_t taken = take_completions(cq, from != NULL);
  size_t given = 0;
  struct delayed_message* m;
  const uint64_t now = self->receiver.polled_ns;
  while (given < count && (m = delay_queue_take(&self->queue, now)) != NULL) {
    const struct completion* c = (const struct completion*)(const void*)m->bytes;
    memcpy((unsigned char*)buffer + given * self->entry_bytes, &c->entry, self->entry_bytes);
    if (from != NULL) from[given] = c->from;
    ++given;
    delay_queue_give_back(&self->queue, m);
  }
  if (given > 0) return (ssize_t)given;
  return taken > 0 ? -FI_EAGAIN : taken;
}

static ssize_t delayed_readfrom(struct fid_cq* cq, void* buffer, size_t count, fi_addr_t* from) {
  if (!fabric_enter()) return queue_of(cq)->next->readfrom(cq, buffer, count, from);
  const ssize_t status = read_locked(cq, buffer, count, from);
  fabric_leave();
  static __thread int empty_polls;
  if (status > 0) {
    empty_polls = 0;
  } else {
    yield_when_idle(&empty_polls);
  }
  return status;
}

static ssize_t delayed_read(struct fid_cq* cq, void* buffer, size_t count) {
  return delayed_readfrom(cq, buffer, count, NULL);
}

/* The provider does not know when the next one is due, so it cannot wait for it. */
static ssize_t delayed_sreadfrom(struct fid_cq* cq, void* buffer, size_t count, fi_addr_t* from,
                                 const void* condition, int timeout_ms) {
  (void)condition;
  const uint64_t begin = now_ns();
  for (;;) {
    const ssize_t status = delayed_readfrom(cq, buffer, count, from);
    if (status != -FI_EAGAIN) return status;
    if (timeout_ms >= 0 && now_ns() - begin >= (uint64_t)timeout_ms * 1000000u) return status;
    sched_yield();
  }
}

static ssize_t delayed_sread(struct fid_cq* cq, void* buffer, size_t count, const void* condition,
                             int timeout_ms) {
  return delayed_sreadfrom(cq, buffer, count, NULL, condition, timeout_ms);
}

/* Errors are not delayed. */
static ssize_t delayed_readerr(struct fid_cq* cq, struct fi_cq_err_entry* error, uint64_t flags) {
  const int entered = fabric_enter();
  const ssize_t status = queue_of(cq)->next->readerr(cq, error, flags);
  struct operation* o = entered && status == 1 ? operation_of(error->op_context) : NULL;
  if (o != NULL) {
    error->op_context = o->context;
    if (o->kind == kReceive && error->len >= sizeof(struct header)) {
      error->len = scatter(o, error->len - sizeof(struct header));
    }
    if (error->err == FI_ECANCELED || is_over(o, error->flags)) free_operation(o);
  }
  if (entered) fabric_leave();
  return status;
}

void delay_completions(struct delayed_queue* queue) {
  queue->ops.read = delayed_read;
  queue->ops.readfrom = delayed_readfrom;
  queue->ops.sread = delayed_sread;
  queue->ops.sreadfrom = delayed_sreadfrom;
  queue->ops.readerr = delayed_readerr;
}
