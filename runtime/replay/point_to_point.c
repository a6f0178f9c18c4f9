#include "replay.h"

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

/* Of a message's two ends the one that the call has, or both. */
static struct arguments arguments_of(struct replay* r, const struct shape* s) {
  const int both = s->op == SLK_OP_sendrecv || s->op == SLK_OP_sendrecv_replace;
  const int flags = both ? (int)s->args[2] : s->flags;
  const uint32_t matched = s->op == SLK_OP_imrecv ? (uint32_t)s->tag : s->request;
  return (struct arguments){.sbuf = r->send,
                            .buf = r->send,
                            .sn = (int)s->bytes,
                            .stype = MPI_BYTE,
                            .dest = s->peer < 0 ? MPI_PROC_NULL : s->peer,
                            .stag = s->tag,
                            .rbuf = r->receive,
                            .rn = (int)r->head.received,
                            .rtype = MPI_BYTE,
                            .source = source_of(both ? (int)s->args[0] : s->peer, flags),
                            .rtag = both ? tag_of((int)s->args[1], flags) : receive_tag(r, s),
                            .c = r->comms[s->comm],
                            /* Some calls have another number there, which may be of no place. */
                            .r = s->request <= r->head.requests ? &r->requests[s->request] : NULL,
                            .m = matched <= r->head.messages ? &r->messages[matched] : NULL,
                            .st = MPI_STATUS_IGNORE};
}

void message(struct replay* r, const struct shape* s) {
  const struct arguments a = arguments_of(r, s);
  call(s->op, &a);
}

/* Those that poll do so until there is a message, at the pace of the trace. */
void probe(struct replay* r, const struct shape* s) {
  const int polls = s->op == SLK_OP_iprobe || s->op == SLK_OP_improbe;
  const int failing = (s->flags & SLK_REPLAY_FAILED) != 0;
  int found = 0;
  struct arguments a = arguments_of(r, s);
  a.f = &found;
  int64_t due = now_ns();
  for (uint64_t i = 0; !failing || i < r->polls; ++i) {
    call(s->op, &a);
    if (!polls || (found && !failing)) return;
    due += r->period_ns;
    spin_until(r, due);
  }
}
