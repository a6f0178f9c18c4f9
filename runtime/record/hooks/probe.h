#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_PROBE_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_PROBE_H

#include "hooks/completion.h"

namespace slackline::record {

/// `flag`: null for those that wait.
template <class Call, class Found>
int find_message(Thread& t, std::uint8_t op, int source, int tag, MPI_Comm comm, const int* flag,
                 MPI_Status* status, Call call, Found found) {
  const Communicator* c = communicator(t, comm);
  slk_record* r = open_message(t, op, c, source, tag, 0);
  add_flags(r, wildcards(source, tag));
  const int rc = measured(t, call, status);
  if (flag != nullptr && (rc != MPI_SUCCESS || *flag == 0)) {
    const auto asked = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(r->peer)) << 32) |
                       static_cast<std::uint32_t>(r->tag);
    t.close_failed_poll(poll_key(op, asked, r->comm));
    return rc;
  }
  if (rc == MPI_SUCCESS) {
    fill_from_status(r, load(status));
    found(*r);
  }
  t.close();
  return rc;
}

template <class Call>
int probe(Thread& t, std::uint8_t op, int source, int tag, MPI_Comm comm, const int* flag,
          MPI_Status* status, Call call) {
  return find_message(t, op, source, tag, comm, flag, status, call, [](const slk_record&) {});
}

/// A matched message is received by its handle alone: what it is must be remembered until then.
template <class Message>
void remember_message(const Message& message, const slk_record& r) {
  Request entry = request_of(r);
  entry.handle = handle_bits(message.get());
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
int mprobe(Thread& t, std::uint8_t op, int source, int tag, MPI_Comm comm, const int* flag,
           Message message, MPI_Status* status, Call call) {
  return find_message(t, op, source, tag, comm, flag, status, call,
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
int mrecv(Thread& t, std::uint8_t op, Message message, MPI_Status* status, Call call) {
  slk_record* r = open_matched(t, op, take_message(message));
  const int rc = measured(t, call, status);
  if (rc == MPI_SUCCESS) fill_from_status(r, load(status));
  t.close();
  return rc;
}

template <class Message, class Requests, class Call>
int imrecv(Thread& t, std::uint8_t op, Message message, Requests requests, Call call) {
  return start_request(t, op, open_matched(t, op, take_message(message)), kReceive, requests, call);
}

}  // namespace slackline::record

#endif
