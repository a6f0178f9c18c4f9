#include "replay.h"

/* A message's two ends on one communicator. */
struct ends {
  int to, send_tag, from, receive_tag;
};

static int send_rank(const struct shape* s) {
  return s->peer < 0 ? MPI_PROC_NULL : s->peer;
}
static int source_of(int peer, int flags) {
  if ((flags & SLK_REPLAY_ANY_SOURCE) != 0) return MPI_ANY_SOURCE;
  return peer < 0 ? MPI_PROC_NULL : peer;
}
static int tag_of(int tag, int flags) {
  return (flags & SLK_REPLAY_ANY_TAG) != 0 ? MPI_ANY_TAG : tag;
}

/* Receives that match nothing, and probes that find nothing. */
static int receive_tag(const struct replay* r, const struct shape* s) {
  const int lost = SLK_REPLAY_CANCELLED | SLK_REPLAY_FAILED;
  return (s->flags & lost) != 0 ? r->unused_tag : tag_of(s->tag, s->flags);
}

static int blocking(struct replay* r, const struct shape* s, MPI_Comm comm) {
  const int n = (int)s->bytes;
  const int most = (int)r->head.received;
  switch (s->op) {
    case SLK_OP_send:
      MPI_Send(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm);
      return 1;
    case SLK_OP_bsend:
      MPI_Bsend(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm);
      return 1;
    case SLK_OP_ssend:
      MPI_Ssend(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm);
      return 1;
    case SLK_OP_rsend:
      MPI_Rsend(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm);
      return 1;
    case SLK_OP_recv:
      MPI_Recv(r->receive, most, MPI_BYTE, source_of(s->peer, s->flags), receive_tag(r, s), comm,
               MPI_STATUS_IGNORE);
      return 1;
    case SLK_OP_mrecv:
      MPI_Mrecv(r->receive, most, MPI_BYTE, &r->messages[s->request], MPI_STATUS_IGNORE);
      return 1;
    default:
      return 0;
  }
}

static struct ends ends_of(const struct shape* s) {
  const int flags = (int)s->args[2];
  return (struct ends){.to = send_rank(s),
                       .send_tag = s->tag,
                       .from = source_of((int)s->args[0], flags),
                       .receive_tag = tag_of((int)s->args[1], flags)};
}

static int exchange(struct replay* r, const struct shape* s, MPI_Comm comm) {
  if (s->op != SLK_OP_sendrecv && s->op != SLK_OP_sendrecv_replace) return 0;
  const struct ends e = ends_of(s);
  if (s->op == SLK_OP_sendrecv) {
    MPI_Sendrecv(r->send, (int)s->bytes, MPI_BYTE, e.to, e.send_tag, r->receive,
                 (int)r->head.received, MPI_BYTE, e.from, e.receive_tag, comm, MPI_STATUS_IGNORE);
  } else {
    MPI_Sendrecv_replace(r->send, (int)s->bytes, MPI_BYTE, e.to, e.send_tag, e.from, e.receive_tag,
                         comm, MPI_STATUS_IGNORE);
  }
  return 1;
}

static int nonblocking(struct replay* r, const struct shape* s, MPI_Comm comm) {
  const int n = (int)s->bytes;
  const int most = (int)r->head.received;
  MPI_Request* const request = &r->requests[s->request];
  switch (s->op) {
    case SLK_OP_isend:
      MPI_Isend(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm, request);
      return 1;
    case SLK_OP_ibsend:
      MPI_Ibsend(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm, request);
      return 1;
    case SLK_OP_issend:
      MPI_Issend(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm, request);
      return 1;
    case SLK_OP_irsend:
      MPI_Irsend(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm, request);
      return 1;
    case SLK_OP_irecv:
      MPI_Irecv(r->receive, most, MPI_BYTE, source_of(s->peer, s->flags), receive_tag(r, s), comm,
                request);
      return 1;
    case SLK_OP_imrecv:
      MPI_Imrecv(r->receive, most, MPI_BYTE, &r->messages[s->tag], request);
      return 1;
    default:
      return 0;
  }
}

static int persistent(struct replay* r, const struct shape* s, MPI_Comm comm) {
  const int n = (int)s->bytes;
  MPI_Request* const request = &r->requests[s->request];
  switch (s->op) {
    case SLK_OP_send_init:
      MPI_Send_init(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm, request);
      return 1;
    case SLK_OP_bsend_init:
      MPI_Bsend_init(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm, request);
      return 1;
    case SLK_OP_ssend_init:
      MPI_Ssend_init(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm, request);
      return 1;
    case SLK_OP_rsend_init:
      MPI_Rsend_init(r->send, n, MPI_BYTE, send_rank(s), s->tag, comm, request);
      return 1;
    case SLK_OP_recv_init:
      MPI_Recv_init(r->receive, (int)r->head.received, MPI_BYTE, source_of(s->peer, s->flags),
                    tag_of(s->tag, s->flags), comm, request);
      return 1;
    case SLK_OP_start:
      MPI_Start(&r->requests[s->args[0]]);
      return 1;
    case SLK_OP_startall:
      for (uint32_t i = 0; i < s->n_args; ++i) r->listed[i] = r->requests[s->args[i]];
      MPI_Startall((int)s->n_args, r->listed);
      for (uint32_t i = 0; i < s->n_args; ++i) r->requests[s->args[i]] = r->listed[i];
      return 1;
    default:
      return 0;
  }
}

/* Probes until there is a message, at the pace of the trace. */
static void poll(struct replay* r, const struct shape* s, MPI_Comm comm) {
  const int source = source_of(s->peer, s->flags);
  const int tag = receive_tag(r, s);
  const int failing = (s->flags & SLK_REPLAY_FAILED) != 0;
  int64_t due = now_ns();
  for (uint64_t i = 0; !failing || i < r->polls; ++i) {
    int found = 0;
    if (s->op == SLK_OP_iprobe) {
      MPI_Iprobe(source, tag, comm, &found, MPI_STATUS_IGNORE);
    } else {
      MPI_Improbe(source, tag, comm, &found, &r->messages[s->request], MPI_STATUS_IGNORE);
    }
    if (found && !failing) return;
    due += r->period_ns;
    spin_until(r, due);
  }
}

static int probe(struct replay* r, const struct shape* s, MPI_Comm comm) {
  switch (s->op) {
    case SLK_OP_probe:
      MPI_Probe(source_of(s->peer, s->flags), tag_of(s->tag, s->flags), comm, MPI_STATUS_IGNORE);
      return 1;
    case SLK_OP_mprobe:
      MPI_Mprobe(source_of(s->peer, s->flags), tag_of(s->tag, s->flags), comm,
                 &r->messages[s->request], MPI_STATUS_IGNORE);
      return 1;
    case SLK_OP_iprobe:
    case SLK_OP_improbe:
      poll(r, s, comm);
      return 1;
    default:
      return 0;
  }
}

int point_to_point(struct replay* r, const struct shape* s) {
  const MPI_Comm comm = r->comms[s->comm];
  return blocking(r, s, comm) || nonblocking(r, s, comm) || exchange(r, s, comm) ||
         persistent(r, s, comm) || probe(r, s, comm);
}
