/* What MPI libraries may ask of libfabric and Open MPI's does not: between two processes, without
 * MPI. fabric PROVIDER NODE; the last line is "wrong N", the number of messages that are. */
#define _GNU_SOURCE
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMessages = 60, kBytes = 500, kBuffer = 2140, kBuffers = 2, kTagged = 7, kSkipped = 77 };

static struct fid_ep* ep;
static struct fid_av* addresses;
static struct fid_cq* queue;
static struct fi_context2 contexts[kMessages + 2];

static void ok(const char* what, long status) {
  if (status == 0) return;
  fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-status));
  exit(1);
}

static void open_endpoint(const char* provider, const char* node) {
  struct fi_info* hints = fi_allocinfo();
  struct fi_info* info;
  hints->caps = FI_MSG | FI_TAGGED | FI_MULTI_RECV;
  hints->mode = FI_CONTEXT;
  hints->ep_attr->type = FI_EP_RDM;
  hints->fabric_attr->prov_name = strdup(provider);
  hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_SAS;
  const uint64_t flags = node != NULL ? FI_SOURCE : 0;
  if (fi_getinfo(FI_VERSION(1, 14), node, NULL, flags, hints, &info) != 0) exit(kSkipped);
  struct fid_fabric* fabric;
  struct fid_domain* domain;
  ok("fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
  ok("domain", fi_domain(fabric, info, &domain, NULL));
  struct fi_av_attr table = {.type = FI_AV_TABLE};
  ok("addresses", fi_av_open(domain, &table, &addresses, NULL));
  struct fi_cq_attr entries = {.format = FI_CQ_FORMAT_TAGGED, .size = 1024};
  ok("queue", fi_cq_open(domain, &entries, &queue, NULL));
  ok("endpoint", fi_endpoint(domain, info, &ep, NULL));
  ok("bind", fi_ep_bind(ep, &addresses->fid, 0));
  ok("bind", fi_ep_bind(ep, &queue->fid, FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION));
  ok("enable", fi_enable(ep));
  const size_t least = kBytes;
  ok("option", fi_setopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof least));
  size_t now = 0, length = sizeof now;
  ok("option", fi_getopt(&ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &now, &length));
  if (now != least) ok("the option's value", -FI_EINVAL);
}

/* The next completion, or, after an error, none. */
static struct fi_cq_tagged_entry next_completion(void) {
  struct fi_cq_tagged_entry entry = {0};
  ssize_t status;
  while ((status = fi_cq_read(queue, &entry, 1)) == -FI_EAGAIN) usleep(100);
  if (status == 1) return entry;
  struct fi_cq_err_entry error = {0};
  fi_cq_readerr(queue, &error, 0);
  fprintf(stderr, "completion: %s\n", fi_strerror(error.err));
  return (struct fi_cq_tagged_entry){.flags = FI_RECV};
}

/* Two tagged messages, one with a completion at its receiver; then those without a tag. */
static void send_all(fi_addr_t to) {
  static unsigned char bytes[kMessages + 2][kBytes];
  for (int k = 0; k < kMessages + 2; ++k) {
    memset(bytes[k], k + 1, kBytes);
    struct iovec piece = {bytes[k], kBytes};
    ssize_t status;
    do {
      if (k < 2) {
        const struct fi_msg_tagged m = {
            .msg_iov = &piece, .iov_count = 1, .addr = to, .tag = kTagged, .context = &contexts[k]};
        status = fi_tsendmsg(ep, &m, FI_COMPLETION);
      } else {
        const struct fi_msg m = {
            .msg_iov = &piece, .iov_count = 1, .addr = to, .context = &contexts[k]};
        status = fi_sendmsg(ep, &m, FI_COMPLETION);
      }
      struct fi_cq_tagged_entry entry;
      if (status == -FI_EAGAIN) fi_cq_read(queue, &entry, 0);
    } while (status == -FI_EAGAIN);
    ok("send", status);
  }
}

static void post_buffer(unsigned char* buffer, int i) {
  struct iovec piece = {buffer, kBuffer};
  const struct fi_msg m = {
      .msg_iov = &piece, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = &contexts[i]};
  ok("receive", fi_recvmsg(ep, &m, FI_MULTI_RECV | FI_COMPLETION));
}

static int is_wrong(const unsigned char* bytes, size_t length, int k) {
  int wrong = length != kBytes;
  for (size_t i = 0; i < length; ++i) wrong |= bytes[i] != (unsigned char)(k + 1);
  return wrong;
}

static void post_tagged(unsigned char* bytes, int k, uint64_t flags) {
  struct iovec piece = {bytes, kBytes};
  const struct fi_msg_tagged m = {.msg_iov = &piece,
                                  .iov_count = 1,
                                  .addr = FI_ADDR_UNSPEC,
                                  .tag = kTagged,
                                  .context = &contexts[kBuffers + k]};
  ok("tagged receive", fi_trecvmsg(ep, &m, flags));
}

static unsigned char buffers[kBuffers][kBuffer], tagged[2][kBytes];

/* The first tagged receive has no completion; buffers are posted again once they are released. */
static int receive_all(void) {
  int received = 0, wrong = 0, with_tag = 0;
  while (received < kMessages || with_tag == 0) {
    const struct fi_cq_tagged_entry entry = next_completion();
    if (entry.op_context == &contexts[kBuffers]) ++wrong;
    if (entry.op_context == &contexts[kBuffers + 1]) {
      wrong += is_wrong(tagged[0], kBytes, 0) + is_wrong(tagged[1], entry.len, 1);
      with_tag = 1;
      continue;
    }
    if (entry.flags & FI_RECV) wrong += is_wrong(entry.buf, entry.len, 2 + received++);
    const int i = entry.op_context == &contexts[1];
    if (entry.flags & FI_MULTI_RECV) post_buffer(buffers[i], i);
  }
  return wrong;
}

int main(int argc, char** argv) {
  const char* provider = argc > 1 ? argv[1] : "shm";
  const char* node = argc > 2 ? argv[2] : NULL;
  char name[256] = "";
  int address[2], end[2]; /* of the receiver; the sender stays until it has closed the other */
  if (pipe(address) != 0 || pipe(end) != 0) return 1;
  if (fork() == 0) {
    close(end[1]);
    if (read(address[0], name, sizeof name) != sizeof name) return 1;
    open_endpoint(provider, node);
    fi_addr_t to;
    if (fi_av_insert(addresses, name, 1, &to, 0, NULL) != 1) return 1;
    send_all(to);
    for (int k = 0; k < kMessages + 2; ++k) next_completion();
    return read(end[0], name, 1) != 0;
  }
  open_endpoint(provider, node);
  for (int i = 0; i < kBuffers; ++i) post_buffer(buffers[i], i);
  post_tagged(tagged[0], 0, 0);
  post_tagged(tagged[1], 1, FI_COMPLETION);
  size_t length = sizeof name;
  ok("name", fi_getname(&ep->fid, name, &length));
  if (write(address[1], name, sizeof name) != sizeof name) return 1;
  printf("wrong %d\n", receive_all());
  close(end[1]);
  int status;
  return wait(&status) < 0 || status != 0;
}
