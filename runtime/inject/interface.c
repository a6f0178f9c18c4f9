#include "interface.h"

#include <string.h>

#include "command.h"
#include "delay_queue.h"
#include "next.h"
#include "stamp.h"

enum {
  kMaxInterfaces = 32,
  kMaxShort = 512, /* bytes of the largest short message, as UCX sees it */
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
  struct transport_counts* counts;
  uct_ep_am_short_func_t am_short;
  uct_ep_am_short_iov_func_t am_short_iov;
  uct_ep_am_bcopy_func_t am_bcopy;
  struct handler handlers[UCT_AM_ID_MAX];
};

static struct interface interfaces[kMaxInterfaces];
static struct progress progresses[kMaxInterfaces];

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

static struct departure depart_on(struct interface* self, uct_ep_h ep, size_t bytes) {
  return depart(&self->links, ep, &self->settings, bytes);
}

/* Control messages and data of UCX's rendezvous have these numbers (enum ucp_am_id, not public). */
static int of_rendezvous(uint8_t id) {
  return (id >= 9 && id <= 12) || id == 16;
}

static void sent(struct interface* self, uct_ep_h ep, uint8_t id, const struct departure* d,
                 size_t bytes) {
  departed(&self->links, ep, d);
  count_message(self->counts, of_rendezvous(id), bytes);
}

static ucs_status_t delayed_am_short(uct_ep_h ep, uint8_t id, uint64_t header, const void* payload,
                                     unsigned length) {
  struct interface* self = find_interface(ep->iface);
  unsigned char bytes[kMaxShort + sizeof(struct stamp)];
  if (length > kMaxShort) return UCS_ERR_INVALID_PARAM;
  if (length > 0) memcpy(bytes, payload, length);
  const size_t own = length + sizeof header;
  const struct departure d = depart_on(self, ep, own);
  memcpy(bytes + length, &d.stamp, sizeof d.stamp);
  const ucs_status_t status =
      self->am_short(ep, id, header, bytes, length + (unsigned)sizeof d.stamp);
  if (status == UCS_OK) sent(self, ep, id, &d, own);
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
  struct departure d = depart_on(self, ep, bytes);
  memset(&pieces[count], 0, sizeof *pieces);
  pieces[count].buffer = &d.stamp;
  pieces[count].length = sizeof d.stamp;
  pieces[count].count = 1;
  const ucs_status_t status = self->am_short_iov(ep, id, pieces, count + 1);
  if (status == UCS_OK) sent(self, ep, id, &d, bytes);
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
  packing->departure = depart_on(packing->interface, packing->ep, length);
  memcpy((unsigned char*)to + length, &packing->departure.stamp, sizeof(struct stamp));
  return length + sizeof(struct stamp);
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
  const ssize_t own = length - (ssize_t)sizeof(struct stamp);
  sent(self, ep, id, &packing.departure, (size_t)own);
  return own;
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

static unsigned on_progress(void* argument) {
  struct progress* progress = argument;
  const unsigned released = release_due(progress);
  if (released > 0 || progress->arrivals != progress->arrivals_before) {
    progress->arrivals_before = progress->arrivals;
    progress->empty_polls = 0;
  } else {
    yield_when_idle(&progress->empty_polls);
  }
  return released;
}

ucs_status_t on_arrival(void* slot, void* data, size_t length, unsigned flags) {
  struct handler* handler = slot;
  struct progress* progress = handler->interface->progress;
  struct stamp stamp;
  const size_t own = length - sizeof stamp;
  memcpy(&stamp, (const unsigned char*)data + own, sizeof stamp);
  const uint64_t now = now_ns();
  const uint64_t due =
      due_here(&progress->receiver, &handler->interface->settings, &stamp, own, now);
  count_if_late(due, now);
  ++progress->arrivals;
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
      (register_function)(uintptr_t)next_in(kUct, "uct_worker_progress_register_safe");
  register_progress(worker, on_progress, unused, UCS_CALLBACKQ_FLAG_FAST, &unused->callback);
  return unused;
}

int add_interface(uct_iface_h iface, uct_worker_h worker, const struct link_settings* settings,
                  struct transport_counts* counts) {
  struct interface* self = find_interface(NULL);
  struct progress* progress = self == NULL ? NULL : progress_of(worker);
  if (progress == NULL) return -1;
  memset(self, 0, sizeof *self);
  self->iface = iface;
  self->settings = *settings;
  self->counts = counts;
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
      (unregister_function)(uintptr_t)next_in(kUct, "uct_worker_progress_unregister_safe");
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
      a->cap.am.max_short < sizeof(struct stamp) ? a->cap.am.max_short : sizeof(struct stamp);
  a->cap.am.max_bcopy -= sizeof(struct stamp);
}
