// Records inside calls: messages, requests and collectives.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "formats/otf2/findings.h"
#include "formats/otf2/location_reader.h"
#include "trace/start_groups.h"

namespace slackline::otf2 {
namespace {

// As OTF2_CollectiveRoot has them.
constexpr std::uint32_t kRootNone = 0xffffffffu;
constexpr std::uint32_t kRootSelf = kRootNone - 1;
constexpr std::uint32_t kRootThisGroup = kRootNone - 2;

}  // namespace

std::uint32_t LocationReader::comm(std::uint32_t ref) {
  const auto found = job_.comms.find(ref);
  if (found != job_.comms.end()) return found->second.id;
  out().findings.add(kUnknownReference, fmt::format("communicator {}", ref));
  return kCommWorld;
}

std::int32_t LocationReader::world_rank(std::uint32_t comm_id, std::uint32_t relative) {
  if (comm_id == kCommSelf) return rank_;
  const Communicator& communicator = trace_.communicators()[comm_id];
  const bool other = communicator.is_inter() && trace_.rank_in(comm_id, rank_) >= 0;
  const auto& members = other ? communicator.remote : communicator.members;
  if (relative < members.size()) return members[relative];
  out().findings.add(kUnknownReference, fmt::format("rank {}", relative));
  return kPeerNone;
}

// A record outside of any call: a call of no duration is made for it. True if one was.
bool LocationReader::take_bare(std::int64_t time, Operation operation) {
  at(time);
  if (in_call_) {
    // A region of MPI that is no known call, but communicates: its records say what it is.
    if (call_.operation == Operation::none && !job_.own) call_.operation = operation;
    return false;
  }
  out().findings.add(kBareRecords, mpi_name(operation));
  begin_call(time, operation);
  return true;
}

// What a call hands over is told when it was by the first record of it.
void LocationReader::note_sent(std::int64_t time) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (sent_after_ns_ == 0) sent_after_ns_ = std::min(time - call_.begin_ns, kMost);
}

OpenRequests::Message LocationReader::message(const Peer& peer) {
  const std::uint32_t id = comm(peer.comm);
  return {world_rank(id, peer.rank), static_cast<std::int32_t>(peer.tag), peer.bytes, id};
}

void LocationReader::set_message(const Peer& peer) {
  const OpenRequests::Message m = message(peer);
  call_.peer = m.peer;
  call_.tag = m.tag;
  call_.bytes = m.bytes;
  call_.comm = m.comm;
}

void LocationReader::start_request(OpenRequests::Kind kind, std::uint64_t id) {
  OpenRequests::Request request;
  request.kind = kind;
  request.location = static_cast<std::uint16_t>(index_);
  request.call = static_cast<std::uint32_t>(out().calls.size());
  request.argument = static_cast<std::uint32_t>(args_.size());
  call_.request = requests_.start(id, request, job_.own);
  started_ = true;
}

void LocationReader::send(std::int64_t time, const Peer& to) {
  const bool bare = take_bare(time, Operation::send);
  note_sent(time);
  set_message(to);
  recorded_ = true;
  if (operation_class(call_.operation) == OperationClass::sendrecv && args_.empty()) {
    args_ = {kPeerNull, 0, 0, 0};  // until its receive is told
  }
  if (bare) end_call(time);
}

void LocationReader::recv(std::int64_t time, const Peer& from) {
  const bool bare = take_bare(time, Operation::recv);
  if (operation_class(call_.operation) == OperationClass::sendrecv) {
    const OpenRequests::Message m = message(from);
    args_ = {m.peer, m.tag, static_cast<std::int64_t>(m.bytes), 0};
    if (!recorded_) call_.peer = kPeerNull;
    if (!recorded_) call_.comm = m.comm;
  } else {
    set_message(from);
  }
  recorded_ = true;
  if (bare) end_call(time);
}

void LocationReader::isend(std::int64_t time, const Peer& to, std::uint64_t id) {
  const bool bare = take_bare(time, Operation::isend);
  note_sent(time);
  if (operation_class(call_.operation) == OperationClass::start) {
    start_request(OpenRequests::Kind::send, id);
    const OpenRequests::Message m = message(to);
    args_.insert(args_.end(), {call_.request, static_cast<std::int64_t>(Operation::send_init),
                               m.peer, m.tag, static_cast<std::int64_t>(m.bytes), m.comm});
    call_.request = kRequestNone;
  } else {
    set_message(to);
    start_request(OpenRequests::Kind::send, id);
  }
  recorded_ = true;
  if (bare) end_call(time);
}

void LocationReader::irecv_request(std::int64_t time, std::uint64_t id) {
  const bool bare = take_bare(time, Operation::irecv);
  const bool starts = operation_class(call_.operation) == OperationClass::start;
  start_request(starts ? OpenRequests::Kind::started : OpenRequests::Kind::receive, id);
  if (starts) {
    args_.insert(args_.end(), {call_.request, static_cast<std::int64_t>(Operation::recv_init),
                               kPeerAny, kTagAny, 0, kCommWorld});
    call_.request = kRequestNone;
  } else if (!job_.own) {
    call_.peer = kPeerAny;
    call_.tag = kTagAny;
  }
  recorded_ = true;
  if (const auto early = requests_.take_early(id)) {
    requests_.finish(id);
    if (!starts) {
      call_.peer = early->peer;
      call_.tag = early->tag;
      call_.bytes = early->bytes;
      call_.comm = early->comm;
    }
  }
  if (bare) end_call(time);
}

void LocationReader::resolve(const OpenRequests::Request& request, const OpenRequests::Message& m) {
  RankCallsBuilder& calls = locations_[request.location].calls;
  if (request.call >= calls.size()) return;
  if (request.kind == OpenRequests::Kind::receive) {
    calls.resolve(request.call, m.peer, m.tag, m.bytes);
    calls.set_comm(request.call, m.comm);
  } else if (request.kind == OpenRequests::Kind::started) {
    resolve_start(calls.mutable_args(request.call), request.argument, m.peer, m.tag, m.bytes,
                  m.comm);
  }
}

void LocationReader::irecv(std::int64_t time, const Peer& from, std::uint64_t id) {
  const bool bare = take_bare(time, Operation::wait);
  const OpenRequests::Message m = message(from);
  if (const auto request = requests_.finish(id)) {
    resolve(*request, m);
    complete(request->serial);
  } else {
    requests_.complete_early(id, m);
    complete(static_cast<std::uint32_t>(id));
  }
  if (bare) end_call(time);
}

void LocationReader::isend_complete(std::int64_t time, std::uint64_t id) {
  const bool bare = take_bare(time, Operation::wait);
  if (const auto request = requests_.finish(id)) {
    complete(request->serial);
  } else if (job_.own) {
    complete(static_cast<std::uint32_t>(id));
  }
  if (bare) end_call(time);
}

void LocationReader::cancelled(std::int64_t time, std::uint64_t id) {
  at(time);
  if (const auto request = requests_.finish(id)) {
    RankCallsBuilder& calls = locations_[request->location].calls;
    if (request->call < calls.size()) calls.add_flags(request->call, SLK_FLAG_CANCELLED);
    if (in_call_) complete(request->serial);
  }
}

void LocationReader::collective_begin(std::int64_t time) {
  at(time);
  collective_begin_ = time;
}

std::int32_t LocationReader::root(const Collective& what, std::uint32_t comm_id) {
  if (what.root == kRootNone) return kPeerNone;
  if (what.root == kRootSelf) return kPeerRoot;
  if (what.root == kRootThisGroup) return kPeerNull;
  return world_rank(comm_id, what.root);
}

std::uint64_t LocationReader::bytes(Operation operation, const Collective& what,
                                    std::uint32_t comm_id, std::int32_t root_rank) {
  CollectivePlace place;
  const std::int32_t own = trace_.rank_in(comm_id, rank_);
  place.size = comm_id == kCommSelf ? 1 : trace_.communicators()[comm_id].members.size();
  place.rank = own < 0 ? 0 : static_cast<std::uint64_t>(own);
  place.is_root = root_rank == rank_;
  const CollectiveBytes recorded{what.sent, what.received};
  return job_.counts_pairs ? call_bytes(operation, recorded, place)
                           : call_bytes_of_buffers(operation, recorded, place.size);
}

void LocationReader::collective_end(std::int64_t time, const Collective& what) {
  const bool bare = take_bare(time, what.operation);
  if (bare)
    call_.begin_ns = std::max(collective_begin_, out().calls.empty()
                                                     ? collective_begin_
                                                     : out().calls.end_ns(out().calls.size() - 1));
  const OperationClass kind = operation_class(call_.operation);
  call_.comm = comm(what.comm);
  if (kind == OperationClass::collective || kind == OperationClass::icollective) {
    call_.peer = root(what, call_.comm);
    call_.bytes = bytes(call_.operation, what, call_.comm, call_.peer);
  }
  recorded_ = true;
  if (kind == OperationClass::icollective && !started_ && !job_.own) {
    call_.request = requests_.unnumbered();
    requests_.bare().push_back(call_.request);
  }
  if (bare) end_call(time);
}

void LocationReader::icollective_request(std::int64_t time, std::uint64_t id) {
  at(time);
  if (!in_call_) return;
  start_request(OpenRequests::Kind::collective, id);
  recorded_ = true;
}

void LocationReader::icollective_complete(std::int64_t time, const Collective& what,
                                          std::uint64_t id) {
  const bool bare = take_bare(time, Operation::wait);
  const auto request = requests_.finish(id);
  if (request && request->kind == OpenRequests::Kind::collective) {
    RankCallsBuilder& calls = locations_[request->location].calls;
    if (request->call < calls.size()) {
      const std::uint32_t id_in_trace = comm(what.comm);
      const std::int32_t root_rank = root(what, id_in_trace);
      // Our own archives give the bytes at the start, where this would overwrite them.
      const Call start = calls[request->call];
      calls.resolve(request->call, root_rank, start.tag,
                    job_.own ? start.bytes : bytes(start.operation, what, id_in_trace, root_rank));
      calls.set_comm(request->call, id_in_trace);
    }
  }
  if (request) {
    complete(request->serial);
  } else if (job_.own) {
    complete(static_cast<std::uint32_t>(id));
  }
  if (bare) end_call(time);
}

void LocationReader::comm_create(std::int64_t time, std::uint32_t ref) {
  at(time);
  if (!in_call_ || operation_class(call_.operation) != OperationClass::comm_create) return;
  args_ = {comm(ref)};
  recorded_ = true;
}

// Numbers of requests may be used again, and may be larger than a Trace's serials; then a request
// gets a serial from the other end of their range.
std::uint32_t OpenRequests::start(std::uint64_t id, Request request, bool keep_number) {
  const bool fits = id > 0 && id < 0x80000000u;
  request.serial =
      (fits && id > largest_) || keep_number ? static_cast<std::uint32_t>(id) : unnumbered();
  largest_ = fits && id > largest_ ? id : largest_;
  open_[id] = request;
  return request.serial;
}

std::optional<OpenRequests::Request> OpenRequests::finish(std::uint64_t id) {
  const Request* found = open_.find(id);
  if (found == nullptr) return std::nullopt;
  const Request request = *found;
  open_.erase(id);
  return request;
}

std::optional<OpenRequests::Message> OpenRequests::take_early(std::uint64_t id) {
  const Message* found = early_.find(id);
  if (found == nullptr) return std::nullopt;
  const Message message = *found;
  early_.erase(id);
  return message;
}

}  // namespace slackline::otf2
