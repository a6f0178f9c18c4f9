#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_ISENDRECV_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_ISENDRECV_H

#include "hooks/point_to_point.h"

namespace slackline::record {

// In the record both are told alike, and no Trace has them.
inline constexpr std::uint8_t SLK_OP_isendrecv = SLK_REC_ISENDRECV;
inline constexpr std::uint8_t SLK_OP_isendrecv_replace = SLK_REC_ISENDRECV;

/// A send and a receive with one request: it has the receive's serial, and the send the one before.
template <class SendCount, class RecvCount, class Requests, class Call>
int isendrecv(Thread& t, std::uint8_t op, SendCount sn, MPI_Datatype stype, int dest, int stag,
              RecvCount rn, MPI_Datatype rtype, int source, int rtag, MPI_Comm comm,
              Requests requests, Call call) {
  slk_record* r = open_message(t, op, communicator(t, comm), dest, stag, bytes_of(sn, stype));
  Request entry;
  entry.active = true;
  entry.receive = true;
  entry.serial = new_pair_of_serials();
  entry.comm = r->comm;
  entry.peer = peer_of(source);
  entry.tag = tag_of(rtag);
  entry.bytes = bytes_of(rn, rtype);
  entry.flags = static_cast<std::uint8_t>(r->flags | wildcards(source, rtag));
  r->request = entry.serial;
  const int rc = measured(t, call);
  if (rc == MPI_SUCCESS) remember(requests, entry);
  const std::int64_t args[4] = {entry.peer, entry.tag, static_cast<std::int64_t>(entry.bytes),
                                wildcards(source, rtag)};
  t.close_with(4, [&](std::size_t i) { return args[i]; });
  return rc;
}

}  // namespace slackline::record

#endif
