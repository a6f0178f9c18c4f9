/* Makes every message through libfabric take longer, as inject.c does for UCX.
 *
 * The provider matches messages, and there is nothing below it that could be interposed everywhere.
 * So each message gets a header, and both sides a copy of their bytes; the provider completes the
 * receive when it may, and the program gets that completion when it is due. */
#include "fabric.h"

#include <stdlib.h>
#include <string.h>

#include "next.h"

enum {
  kSlowestTransport = 50000
}; /* in ns; what takes longer, as the first messages do, says nothing */

struct delayed_fabric {
  struct fi_ops_fabric ops;
  const struct fi_ops_fabric* next;
};

struct delayed_domain {
  struct fi_ops_domain ops;
  const struct fi_ops_domain* next;
};

#define CONTAINER(type, member, pointer) \
  ((struct type*)((char*)(pointer)-offsetof(struct type, member)))

/* Puts `own` in the place of the table at `slot`, and returns that one. Functions that only newer
 * versions have are not there then. */
static const void* replace(void* own, size_t size, void* slot) {
  const void* next;
  memcpy(&next, slot, sizeof next);
  size_t present;
  memcpy(&present, next, sizeof present); /* a table begins with its size */
  if (present > size) present = size;
  memcpy(own, next, present);
  memcpy(own, &present, sizeof present);
  memcpy(slot, &own, sizeof own);
  return next;
}
#define REPLACE(own, slot) replace(&(own), sizeof(own), &(slot))

/* --- endpoints --- */

static int close_endpoint(struct fid* fid) {
  struct delayed_endpoint* self = CONTAINER(delayed_endpoint, fid_ops, fid->ops);
  const int status = self->next_fid->close(fid);
  if (status == 0) links_free(&self->links); /* completions and operations still know it */
  return status;
}

static int bind_endpoint(struct fid* fid, struct fid* to, uint64_t flags) {
  struct delayed_endpoint* self = CONTAINER(delayed_endpoint, fid_ops, fid->ops);
  if (to->fclass == FI_CLASS_CQ && (flags & FI_SELECTIVE_COMPLETION)) {
    self->selective |= flags & (FI_TRANSMIT | FI_RECV);
  }
  return self->next_fid->bind(fid, to, flags);
}

/* Providers choose their functions when the endpoint is enabled. */
static int control_endpoint(struct fid* fid, int command, void* argument) {
  struct delayed_endpoint* self = CONTAINER(delayed_endpoint, fid_ops, fid->ops);
  const int status = self->next_fid->control(fid, command, argument);
  if (status != 0 || command != FI_ENABLE || self->next != NULL) return status;
  struct fid_ep* ep = CONTAINER(fid_ep, fid, fid);
  self->next = REPLACE(self->ops, ep->ops);
  self->next_msg = REPLACE(self->msg, ep->msg);
  self->next_tagged = REPLACE(self->tagged, ep->tagged);
  delay_messages(ep);
  ++inject_counts.interfaces;
  write_counts(0);
  return status;
}

/* Why the endpoint's messages cannot be delayed, or NULL. */
static const char* obstacle_of(const struct fi_info* info) {
  if (info->caps & FI_HMEM) return "the MPI library wants libfabric to move memory of GPUs";
  if (info->domain_attr->mr_mode & FI_MR_LOCAL)
    return "libfabric's provider wants registered buffers";
  if (info->ep_attr->rx_ctx_cnt == FI_SHARED_CONTEXT)
    return "the MPI library shares receives among endpoints of libfabric";
  if (info->mode & FI_MSG_PREFIX) return "libfabric's provider wants room before each message";
  return NULL;
}

/* What is injected on this endpoint; NULL: it is left alone. */
static const struct link_settings* wanted(const struct fi_info* info) {
  const struct inject_settings* settings = inject_settings();
  if (info->ep_attr->type != FI_EP_RDM || !(info->caps & (FI_MSG | FI_TAGGED))) return NULL;
  if (strstr(info->fabric_attr->prov_name, "shm") != NULL) {
    return settings->has_intra ? &settings->intra : NULL;
  }
  return settings->has_inter ? &settings->inter : NULL;
}

static int open_endpoint(struct fid_domain* domain, struct fi_info* info, struct fid_ep** ep,
                         void* context) {
  const struct delayed_domain* of = CONTAINER(delayed_domain, ops, domain->ops);
  const int status = of->next->endpoint(domain, info, ep, context);
  const struct link_settings* settings = status == 0 ? wanted(info) : NULL;
  if (settings == NULL) return status;
  const char* obstacle = obstacle_of(info);
  struct delayed_endpoint* self = obstacle == NULL ? calloc(1, sizeof *self) : NULL;
  if (self == NULL) {
    write_obstacle(obstacle != NULL ? obstacle : "there is no memory");
    return status;
  }
  self->settings = *settings;
  self->counts = transport_counts(info->fabric_attr->prov_name, info->domain_attr->name);
  self->send_flags = info->tx_attr->op_flags;
  self->receive_flags = info->rx_attr->op_flags;
  self->self = FI_ADDR_NOTAVAIL;
  self->next_fid = REPLACE(self->fid_ops, (*ep)->fid.ops);
  self->fid_ops.close = close_endpoint;
  self->fid_ops.bind = bind_endpoint;
  self->fid_ops.control = control_endpoint;
  return status;
}

static int open_scalable(struct fid_domain* domain, struct fi_info* info, struct fid_ep** ep,
                         void* context) {
  write_obstacle("the MPI library uses scalable endpoints of libfabric");
  return CONTAINER(delayed_domain, ops, domain->ops)->next->scalable_ep(domain, info, ep, context);
}

/* --- completion queues --- */

static int close_queue(struct fid* fid) {
  struct delayed_queue* self = CONTAINER(delayed_queue, fid_ops, fid->ops);
  const int status = self->next_fid->close(fid);
  if (status != 0) return status;
  delay_queue_free(&self->queue);
  free(self);
  return status;
}

/* What waits for the provider alone sleeps through the time at which a message is due. */
static int control_queue(struct fid* fid, int command, void* argument) {
  if (command == FI_GETWAIT) write_obstacle("the MPI library waits for libfabric's wait objects");
  return CONTAINER(delayed_queue, fid_ops, fid->ops)->next_fid->control(fid, command, argument);
}

/* Bytes of an entry, by format; that of a later format begins with that of an earlier one. */
static size_t entry_bytes(enum fi_cq_format format) {
  switch (format) {
    case FI_CQ_FORMAT_CONTEXT:
      return sizeof(struct fi_cq_entry);
    case FI_CQ_FORMAT_MSG:
      return sizeof(struct fi_cq_msg_entry);
    case FI_CQ_FORMAT_DATA:
      return sizeof(struct fi_cq_data_entry);
    default:
      return sizeof(struct fi_cq_tagged_entry);
  }
}

static int open_queue(struct fid_domain* domain, struct fi_cq_attr* attributes, struct fid_cq** cq,
                      void* context) {
  const struct delayed_domain* of = CONTAINER(delayed_domain, ops, domain->ops);
  struct delayed_queue* self = calloc(1, sizeof *self);
  if (self == NULL) return -FI_ENOMEM;
  struct fi_cq_attr own = *attributes;
  own.format = FI_CQ_FORMAT_TAGGED;
  const int status = of->next->cq_open(domain, &own, cq, context);
  if (status != 0) {
    free(self);
    return status;
  }
  self->entry_bytes = entry_bytes(attributes->format);
  self->receiver.beyond_memory_ns = kSlowestTransport;
  self->next_fid = REPLACE(self->fid_ops, (*cq)->fid.ops);
  self->next = REPLACE(self->ops, (*cq)->ops);
  self->fid_ops.close = close_queue;
  self->fid_ops.control = control_queue;
  delay_completions(self);
  return status;
}

/* --- domains and fabrics: theirs stay, as do their few --- */

static int open_domain(struct fid_fabric* fabric, struct fi_info* info, struct fid_domain** domain,
                       void* context) {
  const struct delayed_fabric* of = CONTAINER(delayed_fabric, ops, fabric->ops);
  const int status = of->next->domain(fabric, info, domain, context);
  struct delayed_domain* self = status == 0 ? calloc(1, sizeof *self) : NULL;
  if (self == NULL) return status;
  self->next = REPLACE(self->ops, (*domain)->ops);
  self->ops.cq_open = open_queue;
  self->ops.endpoint = open_endpoint;
  self->ops.scalable_ep = open_scalable;
  return status;
}

/* A provider that is made of others opens theirs in its turn; those are left alone. */
__attribute__((visibility("default"))) int fi_fabric(struct fi_fabric_attr* attributes,
                                                     struct fid_fabric** fabric, void* context) {
  static __thread int depth;
  typedef int (*fabric_function)(struct fi_fabric_attr*, struct fid_fabric**, void*);
  const fabric_function next = (fabric_function)(uintptr_t)next_in(kFabric, "fi_fabric");
  ++depth;
  const int status = next(attributes, fabric, context);
  --depth;
  if (status != 0 || depth > 0 || !inject_settings()->on) return status;
  struct delayed_fabric* self = calloc(1, sizeof *self);
  if (self == NULL) return status;
  self->next = REPLACE(self->ops, (*fabric)->ops);
  self->ops.domain = open_domain;
  return status;
}
