#include "interface.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "delay_queue.h"
#include "receiver.h"

enum {
  kMaxInterfaces = 32,
  kMaxShort = 512, /* bytes of the largest short message, as UCX sees it */
  kEmptyPollsToYield = 10,
};

/* The last bytes of every message. */
struct trailer {
  uint64_t due_ns;   /* by the sender's clock */
  uint32_t delay_ns; /* due_ns less the time of sending */
  uint32_t host;     /* of the sender */
};

struct handler {
  uct_am_callback_t callback;
  void* argument;
  struct interface* interface;
};

/* What the interfaces of one worker share, since they progress together. */
struct progress {
  uct_worker_h worker;
  unsigned interfaces;
  struct delay_queue queue;
  struct receiver receiver;
  uct_worker_cb_id_t callback;
  uint64_t arrivals;
  uint64_t arrivals_before;
  int empty_polls;
  int releasing;
};

struct interface {
  uct_iface_h iface; /* NULL: not in use */
  struct link_settings settings;
  struct links links;
  struct progress* progress;
  uct_ep_am_short_func_t am_short;
  uct_ep_am_short_iov_func_t am_short_iov;
  uct_ep_am_bcopy_func_t am_bcopy;
  struct handler handlers[UCT_AM_ID_MAX];
};

static struct interface interfaces[kMaxInterfaces];
static struct progress progresses[kMaxInterfaces];

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int local_ranks(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                      "SLURM_NTASKS_PER_NODE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char* text = getenv(names[i]);
    if (text != NULL) return atoi(text);
  }
  return 1;
}

/* Whether this host runs more ranks of the job than it has processors for them, as far as the
 * launcher says how many there are. Found out once. */
static int has_too_few_processors(void) {
  static int known;
  if (known == 0) known = local_ranks() > sysconf(_SC_NPROCESSORS_ONLN) ? 2 : 1;
  return known == 2;
}

static uint32_t own_host(void) {
  static uint32_t host;
  if (host == 0) {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    host = 2166136261u; /* FNV-1a */
    for (const char* c = name; *c != '\0'; ++c) host = (host ^ (unsigned char)*c) * 16777619u;
    if (host == 0) host = 1;
  }
  return host;
}

static struct interface* find_interface(uct_iface_h iface) {
  for (int i = 0; i < kMaxInterfaces; ++i) {
    if (interfaces[i].iface == iface) return &interfaces[i];
  }
  return NULL;
}

int is_delayed(uct_iface_h iface) {
  return iface != NULL && find_interface(iface) != NULL;
}

/* --- sending --- */

struct departure {
  struct link link;
  struct trailer trailer;
};

static struct departure depart(struct interface* self, uct_ep_h ep, size_t bytes) {
  static uint64_t random_state;
  if (random_state == 0) random_state = 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
  const uint64_t now = now_ns();
  struct departure d;
  d.link = link_after(links_find(&self->links, ep), &self->settings, now, bytes, &random_state);
  d.trailer.due_ns = d.link.due_ns;
  const uint64_t delay = d.link.due_ns - now;
  d.trailer.delay_ns = delay > UINT32_MAX ? UINT32_MAX : (uint32_t)delay;
  d.trailer.host = own_host();
  return d;
}

static void sent(struct interface* self, uct_ep_h ep, const struct departure* d) {
  *links_find(&self->links, ep) = d->link;
  ++inject_counts.sent;
}

static ucs_status_t delayed_am_short(uct_ep_h ep, uint8_t id, uint64_t header, const void* payload,
                                     unsigned length) {
  struct interface* self = find_interface(ep->iface);
  unsigned char bytes[kMaxShort + sizeof(struct trailer)];
  if (length > kMaxShort) return UCS_ERR_INVALID_PARAM;
  if (length > 0) memcpy(bytes, payload, length);
  const struct departure d = depart(self, ep, length + sizeof header);
  memcpy(bytes + length, &d.trailer, sizeof d.trailer);
  const ucs_status_t status =
      self->am_short(ep, id, header, bytes, length + (unsigned)sizeof d.trailer);
  if (status == UCS_OK) sent(self, ep, &d);
  return status;
}

static ucs_status_t delayed_am_short_iov(uct_ep_h ep, uint8_t id, const uct_iov_t* iov,
                                         size_t count) {
  enum { kMaxPieces = 64 };
  struct interface* self = find_interface(ep->iface);
  uct_iov_t pieces[kMaxPieces];
  if (count >= kMaxPieces) return UCS_ERR_INVALID_PARAM;
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) bytes += iov[i].length * iov[i].count;
  memcpy(pieces, iov, count * sizeof *iov);
  struct departure d = depart(self, ep, bytes);
  memset(&pieces[count], 0, sizeof *pieces);
  pieces[count].buffer = &d.trailer;
  pieces[count].length = sizeof d.trailer;
  pieces[count].count = 1;
  const ucs_status_t status = self->am_short_iov(ep, id, pieces, count + 1);
  if (status == UCS_OK) sent(self, ep, &d);
  return status;
}

struct packing {
  struct interface* interface;
  uct_ep_h ep;
  uct_pack_callback_t pack;
  void* argument;
  struct departure departure;
};

/* The time is that of the last byte. */
static size_t pack_with_trailer(void* to, void* argument) {
  struct packing* packing = argument;
  const size_t length = packing->pack(to, packing->argument);
  packing->departure = depart(packing->interface, packing->ep, length);
  memcpy((unsigned char*)to + length, &packing->departure.trailer, sizeof(struct trailer));
  return length + sizeof(struct trailer);
}

static ssize_t delayed_am_bcopy(uct_ep_h ep, uint8_t id, uct_pack_callback_t pack, void* argument,
                                unsigned flags) {
  struct interface* self = find_interface(ep->iface);
  struct packing packing;
  packing.interface = self;
  packing.ep = ep;
  packing.pack = pack;
  packing.argument = argument;
  const ssize_t length = self->am_bcopy(ep, id, pack_with_trailer, &packing, flags);
  if (length < 0) return length;
  sent(self, ep, &packing.departure);
  return length - (ssize_t)sizeof(struct trailer);
}

/* --- receiving --- */

static void hand_on(struct delayed_message* message) {
  const struct handler* to = message->receiver;
  const uint64_t begin = now_ns();
  /* The bytes are not in a descriptor of UCX, so the callback copies what it wants to keep. */
  to->callback(to->argument, message->bytes, message->length,
               message->flags & ~(unsigned)UCT_CB_PARAM_FLAG_DESC);
  receiver_handed_on(&to->interface->progress->receiver, message->length, now_ns() - begin);
  ++inject_counts.delayed;
  delay_queue_give_back(&to->interface->progress->queue, message);
}

static unsigned release_due(struct progress* progress) {
  if (progress->queue.count == 0 || progress->releasing) return 0;
  progress->releasing = 1;
  unsigned released = 0;
  const uint64_t now = now_ns();
  for (struct delayed_message* m; (m = delay_queue_take(&progress->queue, now)) != NULL;) {
    hand_on(m);
    ++released;
  }
  progress->releasing = 0;
  return released;
}

/* With more ranks than processors, one that polls without success keeps the one it waits for from
 * running. */
static void yield_when_idle(struct progress* progress, unsigned released) {
  if (released > 0 || progress->arrivals != progress->arrivals_before) {
    progress->arrivals_before = progress->arrivals;
    progress->empty_polls = 0;
  } else if (++progress->empty_polls > kEmptyPollsToYield && has_too_few_processors()) {
    ++inject_counts.yields;
    sched_yield();
  }
}

static unsigned on_progress(void* argument) {
  struct progress* progress = argument;
  const unsigned released = release_due(progress);
  yield_when_idle(progress, released);
  return released;
}

/* When the message is due by this host's clock: the latency begins when it has left the link and
 * would have been handed on without it. */
static uint64_t due_here(struct interface* self, const struct trailer* trailer, size_t length,
                         uint64_t now) {
  if (trailer->host != own_host()) {
    ++inject_counts.foreign;
    return now + trailer->delay_ns;
  }
  const uint64_t latency = self->settings.latency_ns;
  if (latency == 0 || trailer->delay_ns == UINT32_MAX) return trailer->due_ns;
  const uint64_t sent = trailer->due_ns - trailer->delay_ns;
  const uint64_t taken = receiver_takes(&self->progress->receiver, length, sent, now);
  return taken + latency > trailer->due_ns ? taken + latency : trailer->due_ns;
}

ucs_status_t on_arrival(void* slot, void* data, size_t length, unsigned flags) {
  struct handler* handler = slot;
  struct progress* progress = handler->interface->progress;
  struct trailer trailer;
  const size_t own = length - sizeof trailer;
  memcpy(&trailer, (const unsigned char*)data + own, sizeof trailer);
  const uint64_t now = now_ns();
  const uint64_t due = due_here(handler->interface, &trailer, own, now);
  ++progress->arrivals;
  if (due < now) {
    ++inject_counts.late;
    inject_counts.late_ns += now - due;
  }
  if (delay_queue_add(&progress->queue, due, handler, handler->interface, data, own, flags) != 0) {
    /* No memory: a message without its delay is better than none. */
    return handler->callback(handler->argument, data, own, flags);
  }
  receiver_queued(&progress->receiver, own, now_ns() - now);
  return UCS_OK;
}

/* --- opening and closing --- */

static struct progress* progress_of(uct_worker_h worker) {
  struct progress* unused = NULL;
  for (int i = 0; i < kMaxInterfaces; ++i) {
    if (progresses[i].interfaces > 0 && progresses[i].worker == worker) return &progresses[i];
    if (progresses[i].interfaces == 0 && unused == NULL) unused = &progresses[i];
  }
  if (unused == NULL) return NULL;
  memset(unused, 0, sizeof *unused);
  unused->worker = worker;
  unused->callback = UCS_CALLBACKQ_ID_NULL;
  typedef void (*register_function)(uct_worker_h, ucs_callback_t, void*, unsigned,
                                    uct_worker_cb_id_t*);
  const register_function register_progress =
      (register_function)(uintptr_t)next_in_ucx("uct_worker_progress_register_safe");
  register_progress(worker, on_progress, unused, UCS_CALLBACKQ_FLAG_FAST, &unused->callback);
  return unused;
}

int add_interface(uct_iface_h iface, uct_worker_h worker, const struct link_settings* settings) {
  struct interface* self = find_interface(NULL);
  struct progress* progress = self == NULL ? NULL : progress_of(worker);
  if (progress == NULL) return -1;
  memset(self, 0, sizeof *self);
  self->iface = iface;
  self->settings = *settings;
  self->progress = progress;
  self->am_short = iface->ops.ep_am_short;
  self->am_short_iov = iface->ops.ep_am_short_iov;
  self->am_bcopy = iface->ops.ep_am_bcopy;
  iface->ops.ep_am_short = delayed_am_short;
  iface->ops.ep_am_short_iov = delayed_am_short_iov;
  iface->ops.ep_am_bcopy = delayed_am_bcopy;
  ++progress->interfaces;
  return 0;
}

void remove_interface(uct_iface_h iface) {
  struct interface* self = iface == NULL ? NULL : find_interface(iface);
  if (self == NULL) return;
  struct progress* progress = self->progress;
  delay_queue_drop(&progress->queue, self);
  links_free(&self->links);
  self->iface = NULL;
  if (--progress->interfaces > 0) return;
  typedef void (*unregister_function)(uct_worker_h, uct_worker_cb_id_t*);
  const unregister_function unregister_progress =
      (unregister_function)(uintptr_t)next_in_ucx("uct_worker_progress_unregister_safe");
  unregister_progress(progress->worker, &progress->callback);
  delay_queue_free(&progress->queue);
}

void* set_handler(uct_iface_h iface, uint8_t id, uct_am_callback_t callback, void* argument) {
  struct interface* self = iface == NULL ? NULL : find_interface(iface);
  if (self == NULL || callback == NULL || id >= UCT_AM_ID_MAX) return NULL;
  self->handlers[id] = (struct handler){callback, argument, self};
  return &self->handlers[id];
}

void restrict_capabilities(uct_iface_attr_t* a) {
  const uint64_t kept = UCT_IFACE_FLAG_AM_SHORT | UCT_IFACE_FLAG_AM_BCOPY | UCT_IFACE_FLAG_PENDING |
                        UCT_IFACE_FLAG_ERRHANDLE_PEER_FAILURE | UCT_IFACE_FLAG_EP_CHECK |
                        UCT_IFACE_FLAG_CONNECT_TO_IFACE | UCT_IFACE_FLAG_CONNECT_TO_EP |
                        UCT_IFACE_FLAG_AM_DUP | UCT_IFACE_FLAG_CB_SYNC | UCT_IFACE_FLAG_CB_ASYNC |
                        UCT_IFACE_FLAG_EP_KEEPALIVE;
  a->cap.flags &= kept;
  memset(&a->cap.atomic32, 0, sizeof a->cap.atomic32);
  memset(&a->cap.atomic64, 0, sizeof a->cap.atomic64);
  if (a->cap.am.max_short > kMaxShort) a->cap.am.max_short = kMaxShort;
  a->cap.am.max_short -=
      a->cap.am.max_short < sizeof(struct trailer) ? a->cap.am.max_short : sizeof(struct trailer);
  a->cap.am.max_bcopy -= sizeof(struct trailer);
}
