/* Sends and receives through libfabric, with a header before their bytes. All forms of a call
 * become the one with a message, which has all of them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int inside;

int fabric_enter(void) {
  if (inside) return 0;
  pthread_mutex_lock(&lock);
  return inside = 1;
}

void fabric_leave(void) {
  inside = 0;
  pthread_mutex_unlock(&lock);
}

/* --- operations: in chunks that stay, so that their addresses tell them from other contexts --- */

enum { kFirstChunk = 256, kChunks = 24 };

static struct operation* chunks[kChunks];
static struct operation* unused;

static size_t chunk_size(int chunk) {
  return (size_t)kFirstChunk << chunk;
}

static int add_chunk(void) {
  int chunk = 0;
  while (chunk < kChunks && chunks[chunk] != NULL) ++chunk;
  if (chunk == kChunks) return -1;
  chunks[chunk] = calloc(chunk_size(chunk), sizeof(struct operation));
  if (chunks[chunk] == NULL) return -1;
  for (size_t i = 0; i < chunk_size(chunk); ++i) {
    chunks[chunk][i].next_unused = unused;
    unused = &chunks[chunk][i];
  }
  return 0;
}

struct operation* new_operation(enum operation_kind kind, struct delayed_endpoint* endpoint,
                                void* context, size_t length) {
  if (unused == NULL && add_chunk() != 0) return NULL;
  unsigned char* bytes = NULL;
  const int copies = kind == kSend || kind == kReceive;
  if (copies && (bytes = malloc(sizeof(struct header) + length)) == NULL) return NULL;
  struct operation* operation = unused;
  unused = operation->next_unused;
  operation->kind = kind;
  operation->silent = 0;
  operation->context = context;
  operation->endpoint = endpoint;
  operation->bytes = bytes;
  operation->length = length;
  operation->latest_due = 0;
  return operation;
}

void free_operation(struct operation* operation) {
  free(operation->bytes);
  operation->bytes = NULL;
  operation->kind = kUnused;
  operation->next_unused = unused;
  unused = operation;
}

struct operation* operation_of(void* context) {
  const uintptr_t at = (uintptr_t)context;
  for (int chunk = 0; chunk < kChunks && chunks[chunk] != NULL; ++chunk) {
    const uintptr_t begin = (uintptr_t)chunks[chunk];
    if (at >= begin && at < begin + chunk_size(chunk) * sizeof(struct operation)) return context;
  }
  return NULL;
}

struct operation* find_operation(enum operation_kind kind, const struct delayed_endpoint* endpoint,
                                 const void* context) {
  for (int chunk = 0; chunk < kChunks && chunks[chunk] != NULL; ++chunk) {
    for (size_t i = 0; i < chunk_size(chunk); ++i) {
      struct operation* o = &chunks[chunk][i];
      if (o->kind == kind && o->endpoint == endpoint && o->context == context) return o;
    }
  }
  return NULL;
}

uint64_t own_process(void) {
  static uint64_t process;
  if (process == 0) process = now_ns() ^ ((uint64_t)getpid() << 40);
  return process;
}

/* --- handing them to the provider --- */

static struct fi_msg without_tag(const struct fi_msg_tagged* m) {
  return (struct fi_msg){.msg_iov = m->msg_iov,
                         .desc = m->desc,
                         .iov_count = m->iov_count,
                         .addr = m->addr,
                         .context = m->context,
                         .data = m->data};
}

static ssize_t post_send(struct fid_ep* ep, const struct fi_msg_tagged* m, uint64_t flags,
                         int tagged) {
  if (tagged) return endpoint_of(ep)->next_tagged->sendmsg(ep, m, flags);
  const struct fi_msg plain = without_tag(m);
  return endpoint_of(ep)->next_msg->sendmsg(ep, &plain, flags);
}

static ssize_t post_receive(struct fid_ep* ep, const struct fi_msg_tagged* m, uint64_t flags,
                            int tagged) {
  if (tagged) return endpoint_of(ep)->next_tagged->recvmsg(ep, m, flags);
  const struct fi_msg plain = without_tag(m);
  return endpoint_of(ep)->next_msg->recvmsg(ep, &plain, flags);
}

static size_t length_of(const struct fi_msg_tagged* m) {
  size_t length = 0;
  for (size_t i = 0; i < m->iov_count; ++i) length += m->msg_iov[i].iov_len;
  return length;
}

/* An own message instead of the program's, with that operation. */
static struct fi_msg_tagged with_operation(const struct fi_msg_tagged* m, struct operation* o,
                                           const struct iovec* piece) {
  struct fi_msg_tagged own = *m;
  own.context = o;
  if (o->bytes != NULL) {
    own.msg_iov = piece;
    own.iov_count = 1;
    own.desc = NULL;
  }
  return own;
}

/* A flag of this file: there is no completion, as the call is one of the inject forms. */
static const uint64_t kSilent = UINT64_C(1) << 63;

static int is_silent(const struct delayed_endpoint* self, uint64_t direction, uint64_t flags) {
  return (self->selective & direction) && !(flags & FI_COMPLETION);
}

static ssize_t send_locked(struct fid_ep* ep, const struct fi_msg_tagged* m, uint64_t flags,
                           int tagged) {
  struct delayed_endpoint* self = endpoint_of(ep);
  const size_t length = length_of(m);
  struct operation* o = new_operation(kSend, self, m->context, length);
  if (o == NULL) return -FI_ENOMEM;
  unsigned char* to = o->bytes + sizeof(struct header);
  for (size_t i = 0; i < m->iov_count; ++i) {
    if (m->msg_iov[i].iov_len == 0) continue;
    memcpy(to, m->msg_iov[i].iov_base, m->msg_iov[i].iov_len);
    to += m->msg_iov[i].iov_len;
  }
  const void* peer = (const void*)(uintptr_t)(m->addr + 1); /* NULL is no endpoint */
  const struct departure d = depart(&self->links, peer, &self->settings, length);
  /* What the program may overwrite at once has no rendezvous. */
  o->rendezvous = !(flags & (kSilent | FI_INJECT)) && length > inject_settings()->eager_limit;
  const struct header header = {d.stamp, own_process(), m->addr, (uint64_t)o->rendezvous};
  memcpy(o->bytes, &header, sizeof header);
  o->silent = (flags & kSilent) || is_silent(self, FI_TRANSMIT, flags);
  o->to = m->addr;
  o->time_ns = d.stamp.due_ns;
  const struct iovec piece = {o->bytes, sizeof header + length};
  const struct fi_msg_tagged own = with_operation(m, o, &piece);
  const int rendezvous = o->rendezvous; /* it may be over when the call returns */
  const uint64_t provider_flags = flags & ~(kSilent | FI_INJECT | FI_INJECT_COMPLETE);
  const ssize_t status = post_send(ep, &own, provider_flags | FI_COMPLETION, tagged);
  if (status != 0) {
    free_operation(o);
    return status;
  }
  departed(&self->links, peer, &d);
  count_message(self->counts, rendezvous, length);
  return 0;
}

/* The operation of a receive; NULL: there is no memory. */
static struct operation* receive_operation(struct delayed_endpoint* self,
                                           const struct fi_msg_tagged* m, uint64_t flags) {
  if (flags & FI_PEEK) {
    return new_operation(flags & FI_CLAIM ? kClaiming : kPeek, self, m->context, 0);
  }
  struct operation* claimed = flags & FI_CLAIM ? find_operation(kClaimed, self, m->context) : NULL;
  if (claimed != NULL && flags & FI_DISCARD) {
    claimed->kind = kPeek; /* nothing is received */
    return claimed;
  }
  if (claimed != NULL) {
    claimed->length = length_of(m);
    claimed->bytes = malloc(sizeof(struct header) + claimed->length);
    if (claimed->bytes == NULL) return NULL;
    claimed->kind = kReceive;
    return claimed;
  }
  return new_operation(flags & FI_MULTI_RECV ? kReceiveMany : kReceive, self, m->context,
                       length_of(m));
}

static ssize_t receive_locked(struct fid_ep* ep, const struct fi_msg_tagged* m, uint64_t flags,
                              int tagged) {
  struct delayed_endpoint* self = endpoint_of(ep);
  if (m->iov_count > kMaxPieces) return -FI_EINVAL;
  struct operation* o = receive_operation(self, m, flags);
  if (o == NULL) return -FI_ENOMEM;
  o->silent = !(flags & FI_PEEK) && is_silent(self, FI_RECV, flags);
  o->count = m->iov_count;
  if (o->count > 0) memcpy(o->pieces, m->msg_iov, o->count * sizeof *m->msg_iov);
  o->time_ns = now_ns();
  const struct iovec piece = {o->bytes, sizeof(struct header) + o->length};
  const struct fi_msg_tagged own = with_operation(m, o, &piece);
  const ssize_t status = post_receive(ep, &own, flags | FI_COMPLETION, tagged);
  if (status == 0) return 0;
  if (flags & FI_CLAIM && !(flags & FI_PEEK)) { /* can be tried again */
    free(o->bytes);
    o->bytes = NULL;
    o->kind = kClaimed;
  } else {
    free_operation(o);
  }
  return status;
}

static ssize_t send_message(struct fid_ep* ep, const struct fi_msg_tagged* m, uint64_t flags,
                            int tagged) {
  if (!fabric_enter()) return post_send(ep, m, flags & ~kSilent, tagged);
  const ssize_t status = send_locked(ep, m, flags, tagged);
  fabric_leave();
  return status;
}

static ssize_t receive_message(struct fid_ep* ep, const struct fi_msg_tagged* m, uint64_t flags,
                               int tagged) {
  if (!fabric_enter()) return post_receive(ep, m, flags, tagged);
  const ssize_t status = receive_locked(ep, m, flags, tagged);
  fabric_leave();
  return status;
}

static ssize_t cancel(fid_t fid, void* context) {
  struct delayed_endpoint* self = endpoint_of((struct fid_ep*)(void*)fid); /* its first member */
  const int entered = fabric_enter();
  struct operation* o = entered ? find_operation(kReceive, self, context) : NULL;
  if (o == NULL && entered) o = find_operation(kReceiveMany, self, context);
  const ssize_t status = self->next->cancel(fid, o != NULL ? (void*)o : context);
  if (entered) fabric_leave();
  return status;
}

/* --- the least room of a multi-receive buffer: the provider's has a header --- */

static int set_option(fid_t fid, int level, int name, const void* value, size_t length) {
  const struct delayed_endpoint* self = endpoint_of((struct fid_ep*)(void*)fid);
  size_t least;
  if (level == FI_OPT_ENDPOINT && name == FI_OPT_MIN_MULTI_RECV && length == sizeof least) {
    memcpy(&least, value, sizeof least);
    least += sizeof(struct header);
    value = &least;
  }
  return self->next->setopt(fid, level, name, value, length);
}

static int get_option(fid_t fid, int level, int name, void* value, size_t* length) {
  const struct delayed_endpoint* self = endpoint_of((struct fid_ep*)(void*)fid);
  const int status = self->next->getopt(fid, level, name, value, length);
  size_t least;
  if (status == 0 && level == FI_OPT_ENDPOINT && name == FI_OPT_MIN_MULTI_RECV) {
    memcpy(&least, value, sizeof least);
    least -= sizeof(struct header);
    memcpy(value, &least, sizeof least);
  }
  return status;
}

/* What it is before the program has set it, or was set before the endpoint was enabled. */
static void raise_least_room(struct delayed_endpoint* endpoint, fid_t fid) {
  size_t least, length = sizeof least;
  if (endpoint->next->getopt(fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, &length) != 0 ||
      set_option(fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, length) != 0) {
    return;
  }
  endpoint->ops.setopt = set_option;
  endpoint->ops.getopt = get_option;
}

/* --- the forms of the calls --- */

static ssize_t send_pieces(struct fid_ep* ep, const struct iovec* pieces, size_t count,
                           fi_addr_t to, uint64_t tag, uint64_t data, void* context, uint64_t flags,
                           int tagged) {
  const struct fi_msg_tagged m = {.msg_iov = pieces,
                                  .iov_count = count,
                                  .addr = to,
                                  .tag = tag,
                                  .context = context,
                                  .data = data};
  return send_message(ep, &m, endpoint_of(ep)->send_flags | flags, tagged);
}

static ssize_t receive_pieces(struct fid_ep* ep, const struct iovec* pieces, size_t count,
                              fi_addr_t from, uint64_t tag, uint64_t ignore, void* context,
                              int tagged) {
  const struct fi_msg_tagged m = {.msg_iov = pieces,
                                  .iov_count = count,
                                  .addr = from,
                                  .tag = tag,
                                  .ignore = ignore,
                                  .context = context};
  return receive_message(ep, &m, endpoint_of(ep)->receive_flags, tagged);
}

#define PIECE(buffer, length) (&(const struct iovec){(void*)(uintptr_t)(buffer), (length)})

/* Those of one table. PARAMETER and PARAMETERS are what a send and a receive have more than without
 * a tag; TAG and TAGS are its values. */
#define DEFINE_FORMS(NAME, TAGGED, PARAMETER, PARAMETERS, TAG, TAGS)                           \
  static ssize_t NAME##_send(struct fid_ep* ep, const void* b, size_t n, void* desc,           \
                             fi_addr_t to PARAMETER, void* context) {                          \
    (void)desc;                                                                                \
    return send_pieces(ep, PIECE(b, n), 1, to, TAG, 0, context, 0, TAGGED);                    \
  }                                                                                            \
  static ssize_t NAME##_sendv(struct fid_ep* ep, const struct iovec* pieces, void** desc,      \
                              size_t count, fi_addr_t to PARAMETER, void* context) {           \
    (void)desc;                                                                                \
    return send_pieces(ep, pieces, count, to, TAG, 0, context, 0, TAGGED);                     \
  }                                                                                            \
  static ssize_t NAME##_inject(struct fid_ep* ep, const void* b, size_t n,                     \
                               fi_addr_t to PARAMETER) {                                       \
    return send_pieces(ep, PIECE(b, n), 1, to, TAG, 0, NULL, kSilent, TAGGED);                 \
  }                                                                                            \
  static ssize_t NAME##_senddata(struct fid_ep* ep, const void* b, size_t n, void* desc,       \
                                 uint64_t data, fi_addr_t to PARAMETER, void* context) {       \
    (void)desc;                                                                                \
    return send_pieces(ep, PIECE(b, n), 1, to, TAG, data, context, FI_REMOTE_CQ_DATA, TAGGED); \
  }                                                                                            \
  static ssize_t NAME##_injectdata(struct fid_ep* ep, const void* b, size_t n, uint64_t data,  \
                                   fi_addr_t to PARAMETER) {                                   \
    return send_pieces(ep, PIECE(b, n), 1, to, TAG, data, NULL, FI_REMOTE_CQ_DATA | kSilent,   \
                       TAGGED);                                                                \
  }                                                                                            \
  static ssize_t NAME##_recv(struct fid_ep* ep, void* b, size_t n, void* desc,                 \
                             fi_addr_t from PARAMETERS, void* context) {                       \
    (void)desc;                                                                                \
    return receive_pieces(ep, PIECE(b, n), 1, from, TAGS, context, TAGGED);                    \
  }                                                                                            \
  static ssize_t NAME##_recvv(struct fid_ep* ep, const struct iovec* pieces, void** desc,      \
                              size_t count, fi_addr_t from PARAMETERS, void* context) {        \
    (void)desc;                                                                                \
    return receive_pieces(ep, pieces, count, from, TAGS, context, TAGGED);                     \
  }                                                                                            \
  static void set_##NAME##_forms(struct fi_ops_##NAME* ops) {                                  \
    ops->send = NAME##_send;                                                                   \
    ops->sendv = NAME##_sendv;                                                                 \
    ops->sendmsg = NAME##_sendmsg;                                                             \
    ops->inject = NAME##_inject;                                                               \
    ops->senddata = NAME##_senddata;                                                           \
    ops->injectdata = NAME##_injectdata;                                                       \
    ops->recv = NAME##_recv;                                                                   \
    ops->recvv = NAME##_recvv;                                                                 \
    ops->recvmsg = NAME##_recvmsg;                                                             \
  }

static ssize_t tagged_sendmsg(struct fid_ep* ep, const struct fi_msg_tagged* m, uint64_t flags) {
  return send_message(ep, m, flags, 1);
}

static ssize_t tagged_recvmsg(struct fid_ep* ep, const struct fi_msg_tagged* m, uint64_t flags) {
  return receive_message(ep, m, flags, 1);
}

static struct fi_msg_tagged with_tag(const struct fi_msg* m) {
  return (struct fi_msg_tagged){.msg_iov = m->msg_iov,
                                .desc = m->desc,
                                .iov_count = m->iov_count,
                                .addr = m->addr,
                                .context = m->context,
                                .data = m->data};
}

static ssize_t msg_sendmsg(struct fid_ep* ep, const struct fi_msg* m, uint64_t flags) {
  const struct fi_msg_tagged general = with_tag(m);
  return send_message(ep, &general, flags, 0);
}

static ssize_t msg_recvmsg(struct fid_ep* ep, const struct fi_msg* m, uint64_t flags) {
  const struct fi_msg_tagged general = with_tag(m);
  return receive_message(ep, &general, flags, 0);
}

#define NO_PARAMETER
#define TAG_PARAMETER , uint64_t tag
#define TAG_PARAMETERS , uint64_t tag, uint64_t ignore
#define NO_TAGS 0, 0
#define ITS_TAGS tag, ignore
DEFINE_FORMS(tagged, 1, TAG_PARAMETER, TAG_PARAMETERS, tag, ITS_TAGS)
DEFINE_FORMS(msg, 0, NO_PARAMETER, NO_PARAMETER, 0, NO_TAGS)

void delay_messages(struct fid_ep* ep) {
  struct delayed_endpoint* endpoint = endpoint_of(ep);
  set_tagged_forms(&endpoint->tagged);
  set_msg_forms(&endpoint->msg);
  endpoint->ops.cancel = cancel;
  raise_least_room(endpoint, &ep->fid);
}
