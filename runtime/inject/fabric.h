#ifndef SLACKLINE_INJECT_FABRIC_H
#define SLACKLINE_INJECT_FABRIC_H
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_tagged.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"
#include "delay_queue.h"
#include "stamp.h"

/* libfabric's objects have tables of functions, which its inline functions call. Here are those of
 * this library, with what they stand in front of; the object's table is a member of them. */

struct delayed_queue { /* a completion queue */
  struct fi_ops fid_ops;
  struct fi_ops_cq ops;
  const struct fi_ops* next_fid;
  const struct fi_ops_cq* next;
  size_t entry_bytes; /* of the program's format; the provider's is FI_CQ_FORMAT_TAGGED */
  struct delay_queue queue;
  struct receiver receiver; /* with the time when the provider was last asked */
};

struct delayed_endpoint {
  struct fi_ops fid_ops;
  struct fi_ops_ep ops;
  struct fi_ops_msg msg;
  struct fi_ops_tagged tagged;
  const struct fi_ops* next_fid;
  const struct fi_ops_ep* next;
  const struct fi_ops_msg* next_msg;
  const struct fi_ops_tagged* next_tagged;
  struct link_settings settings;
  struct links links; /* by address */
  struct transport_counts* counts;
  uint64_t send_flags; /* of calls that have none themselves */
  uint64_t receive_flags;
  uint64_t selective; /* FI_TRANSMIT, FI_RECV: visible are those with FI_COMPLETION */
  fi_addr_t self;     /* the address of this process, once it has received from itself */
};

static inline struct delayed_endpoint* endpoint_of(const struct fid_ep* ep) {
  return (struct delayed_endpoint*)(uintptr_t)((const char*)ep->ops -
                                               offsetof(struct delayed_endpoint, ops));
}

/* The program may use several threads: everything below happens between the two. Returns 0 when the
 * thread is there already, since a provider may call its own functions by the tables: then it is to
 * get them. */
int fabric_enter(void);
void fabric_leave(void);

/* What stands before the bytes of each message. */
struct header {
  struct stamp stamp;
  uint64_t process;    /* of the sender */
  fi_addr_t to;        /* as the sender calls the receiver */
  uint64_t rendezvous; /* whether it takes one: it crosses the network three times */
};

enum operation_kind { kUnused, kSend, kReceive, kReceiveMany, kPeek, kClaiming, kClaimed };

enum { kMaxPieces = 8 };

/* A send or a receive that the provider has. */
struct operation {
  struct fi_context2 provider; /* first: the operation is the provider's context */
  enum operation_kind kind;
  int silent;    /* the program gets no completion */
  void* context; /* the program's */
  struct delayed_endpoint* endpoint;
  unsigned char* bytes; /* header and data, of kSend and kReceive */
  size_t length;        /* of the data */
  fi_addr_t to;         /* of kSend */
  int rendezvous;       /* of kSend */
  uint64_t time_ns;     /* kSend: when it is due; kReceive: when it was posted */
  uint64_t latest_due;  /* of the completions of kReceiveMany so far */
  size_t count;
  struct iovec pieces[kMaxPieces]; /* of kReceive: where the program wants the data */
  struct operation* next_unused;
};

/* An operation with room for `length` bytes behind a header; NULL: no memory. */
struct operation* new_operation(enum operation_kind kind, struct delayed_endpoint* endpoint,
                                void* context, size_t length);
void free_operation(struct operation* operation);

/* The operation with that context of the provider; NULL: it is not of this library. O(log). */
struct operation* operation_of(void* provider_context);

/* The endpoint's operation of that kind with that context of the program, or NULL. O(operations).
 */
struct operation* find_operation(enum operation_kind kind, const struct delayed_endpoint* endpoint,
                                 const void* context);

/* Identifies this process among all that send to it. */
uint64_t own_process(void);

/* Puts the functions of this library into the tables. */
void delay_messages(struct fid_ep* ep);
void delay_completions(struct delayed_queue* queue);

#endif
