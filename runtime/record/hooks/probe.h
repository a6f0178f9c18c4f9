#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_PROBE_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_PROBE_H

#include "hooks/completion.h"

namespace slackline::record {

template <class Call, class Found>
int find_message(std::uint8_t op, int source, int tag, MPI_Comm comm, const int* flag,
                 MPI_Status* status, Call call, Found found) {
  MPI_Status own;
  MPI_Status* const used = status != nullptr ? status : &own;
  Thread* t = enter();
  if (t == nullptr) return call(status);
  const Communicator* c = communicator(*t, comm);
  slk_record* r = open_message(*t, op, c, source, tag, 0);
  add_flags(r, wildcards(source, tag));
  t->begin();
  const int rc = call(used);
  t->end();
  if (flag != nullptr && (rc != MPI_SUCCESS || *flag == 0)) {
    const auto asked = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(r->peer)) << 32) |
                       static_cast<std::uint32_t>(r->tag);
    t->close_failed_poll(poll_key(op, asked, r->comm));
    return rc;
  }
  if (rc == MPI_SUCCESS) {
    fill_from_status(r, load(used));
    found(*r);
  }
  t->close();
  return rc;
}

template <class Call>
int probe(std::uint8_t op, int source, int tag, MPI_Comm comm, MPI_Status* status, Call call) {
  return find_message(op, source, tag, comm, nullptr, status, call, [](const slk_record&) {});
}

template <class Call>
int iprobe(std::uint8_t op, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status,
           Call call) {
  return find_message(op, source, tag, comm, flag, status, call, [](const slk_record&) {});
}

/// A matched message is received by its handle alone: what it is must be remembered until then.
template <class Message>
void remember_message(const Message& message, const slk_record& r) {
  Request entry;
  entry.handle = handle_bits(message.get());
  entry.comm = r.comm;
  entry.peer = r.peer;
  entry.tag = r.tag;
  entry.bytes = r.bytes;
  entry.flags = r.flags;
  const Lock lock;
  process.messages.insert(entry);
}

template <class Message>
Request take_message(const Message& message) {
  const Lock lock;
  Request* found = process.messages.find(handle_bits(message.get()), 0);
  Request taken;
  taken.comm = SLK_COMM_NULL;
  if (found == nullptr) return taken;
  taken = *found;
  process.messages.remove(found);
  return taken;
}

template <class Message, class Call>
int mprobe(std::uint8_t op, int source, int tag, MPI_Comm comm, Message message, MPI_Status* status,
           Call call) {
  return find_message(op, source, tag, comm, nullptr, status, call,
                      [&](const slk_record& r) { remember_message(message, r); });
}

template <class Message, class Call>
int improbe(std::uint8_t op, int source, int tag, MPI_Comm comm, int* flag, Message message,
            MPI_Status* status, Call call) {
  return find_message(op, source, tag, comm, flag, status, call,
                      [&](const slk_record& r) { remember_message(message, r); });
}

inline slk_record* open_matched(Thread& t, std::uint8_t op, const Request& matched) {
  slk_record* r = t.open(op);
  r->comm = matched.comm;
  r->peer = matched.peer;
  r->tag = matched.tag;
  r->bytes = matched.bytes;
  r->flags = static_cast<std::uint8_t>(matched.flags & SLK_FLAG_INTERCOMM);
  return r;
}

template <class Message, class Call>
int mrecv(std::uint8_t op, Message message, MPI_Status* status, Call call) {
  MPI_Status own;
  MPI_Status* const used = status != nullptr ? status : &own;
  Thread* t = enter();
  if (t == nullptr) return call(status);
  slk_record* r = open_matched(*t, op, take_message(message));
  t->begin();
  const int rc = call(used);
  t->end();
  if (rc == MPI_SUCCESS) fill_from_status(r, load(used));
  t->close();
  return rc;
}

template <class Count, class Message, class Requests, class Call>
int imrecv(std::uint8_t op, Count, MPI_Datatype, Message message, Requests requests, Call call) {
  Thread* t = enter();
  if (t == nullptr) return call();
  slk_record* r = open_matched(*t, op, take_message(message));
  Request entry;
  entry.active = true;
  entry.receive = true;
  return start_request(*t, r, entry, requests, call);
}

}  // namespace slackline::record

#endif
