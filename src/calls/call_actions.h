// What a call does: the one place that decodes calls into messages, requests and collectives.
//
// Whoever matches, models or simulates a program asks the same of each call: which messages does it
// post, with which request and mode; which requests does it complete or free; does it probe, or
// enter a collective? visit_actions() answers by calling one function of a visitor for each action,
// in the order in which MPI performs them. What follows from an action (an edge of a graph, a
// message in a simulated network, an entry of a table) is up to the visitor.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "trace/communicator_makers.h"
#include "trace/operation_kinds.h"
#include "trace/start_groups.h"
#include "trace/trace.h"

namespace slackline {

/// A message as one side's call names it.
struct PostedMessage {
  std::int32_t peer;  ///< as in Call: may be none, MPI_PROC_NULL or an unresolved wildcard
  std::int32_t tag;
  std::uint32_t comm;
  std::uint64_t bytes;    ///< of a receive: as far as it is known
  std::uint32_t request;  ///< kRequestNone: nothing refers to it, and it ends with its call
  Operation mode;         ///< the operation that posts it, of persistent requests their MPI_*_init
  bool blocking;          ///< the call itself waits for it
};

/// A rendezvous whatever its size?
constexpr bool is_synchronous(Operation mode) {
  return mode == Operation::ssend || mode == Operation::issend || mode == Operation::ssend_init;
}
/// Eager whatever its size?
constexpr bool is_buffered(Operation mode) {
  return mode == Operation::bsend || mode == Operation::ibsend || mode == Operation::bsend_init;
}

/// Does this call take part in a collective of collective_comm(call)?
inline bool is_collective(const Call& call) {
  if (!is_collective(call.operation)) return false;
  const std::uint32_t comm = collective_comm(call);
  return comm != kCommNull && comm != kCommSelf;
}

/// May calls of that kind send anything?
constexpr bool may_send(OperationClass kind) {
  return kind == OperationClass::send || kind == OperationClass::isend ||
         kind == OperationClass::sendrecv || kind == OperationClass::start;
}
/// May calls of that kind post messages? Tells from one column of a rank's calls which to decode.
constexpr bool may_post(OperationClass kind) {
  return may_send(kind) || kind == OperationClass::recv || kind == OperationClass::irecv;
}

/// A visitor that does nothing. Visitors derive from it and declare what they care about anew.
struct IgnoreActions {
  /// A single message, blocking or not.
  void send(const PostedMessage& /*message*/) {}
  void receive(const PostedMessage& /*message*/) {}
  // A visitor may declare exchange(const PostedMessage* from, const PostedMessage& to) as well, for
  // MPI_Sendrecv, which waits for both; `from` is null when the trace does not tell the source.
  // Others see it as receive() and send().
  /// Waits for requests, or found them complete: for_each_completed_request() names them.
  void complete(const Call& /*call*/) {}
  /// A test that found nothing complete.
  void unsuccessful_test(std::uint32_t /*request*/) {}
  void free_request(std::uint32_t /*request*/) {}
  /// A probe that found a message; only peer, tag and communicator of the call matter.
  void probe(const Call& /*call*/) {}
  /// Performed by all members of a communicator; nonblocking when Call::request is set.
  void collective(const Call& /*call*/) {}
  void one_sided(const Call& /*call*/) {}
  void io() {}
  /// Frees a communicator.
  void free_communicator() {}
  void initialize() {}
  void finalize() {}
};

/// Calls visit(serial) for every request that a call of OperationClass::completion completes.
template <class Visit>
void for_each_completed_request(const Call& call, Visit visit) {
  if (call.request != kRequestNone) visit(call.request);
  for (const std::int64_t serial : call.args) visit(static_cast<std::uint32_t>(serial));
}

/// Polls without success (of MPI_Test, MPI_Iprobe) that follow each other, which are one call of
/// the trace.
struct PollRun {
  std::int64_t count = 1;
  std::optional<std::int64_t> inside_ns{};  ///< time of all of them inside of MPI, if it is known
};
/// For a call that polls and failed.
inline PollRun poll_run(const Call& call) {
  PollRun run;
  if (!call.args.empty()) run.count = std::max<std::int64_t>(1, call.args[0]);
  if (call.args.size() > 1) run.inside_ns = call.args[1];
  return run;
}

/// The MPI_Send that an MPI_Sendrecv contains.
inline Call send_half(Call sendrecv) {
  sendrecv.operation = Operation::send;
  sendrecv.args = {};
  return sendrecv;
}
/// The MPI_Recv that an MPI_Sendrecv contains. Needs its source and tag: at least two `args`.
inline Call receive_half(Call sendrecv) {
  const auto args = sendrecv.args;
  sendrecv.operation = Operation::recv;
  sendrecv.peer = static_cast<std::int32_t>(args[0]);
  sendrecv.tag = static_cast<std::int32_t>(args[1]);
  sendrecv.bytes = args.size() > 2 ? static_cast<std::uint64_t>(args[2]) : 0;
  sendrecv.flags = args.size() > 3 ? static_cast<std::uint8_t>(args[3]) : std::uint8_t{0};
  sendrecv.args = {};
  return sendrecv;
}

/// Decodes a call into its parts. Private to visit_actions().
class CallDecoder {
  template <class Visitor>
  friend void visit_actions(const Call& call, Visitor& visitor);

  static PostedMessage message_of(const Call& call, bool blocking) {
    return {.peer = call.peer,
            .tag = call.tag,
            .comm = call.comm,
            .bytes = call.bytes,
            .request = blocking ? kRequestNone : call.request,
            .mode = call.operation,
            .blocking = blocking};
  }

  /// Cancelled, or damaged: nothing came of it.
  static bool is_lost(const Call& call) {
    return call.has(SLK_FLAG_CANCELLED) || call.has(SLK_FLAG_FAILED);
  }

  /// args: source, receive tag, received bytes, receive flags.
  template <class Visitor>
  static void exchange(const Call& call, Visitor& visitor) {
    const PostedMessage to = message_of(call, true);
    PostedMessage from = to;
    const bool told = call.args.size() >= 2;
    if (told) {
      from.peer = static_cast<std::int32_t>(call.args[0]);
      from.tag = static_cast<std::int32_t>(call.args[1]);
      from.bytes = 0;
    }
    if constexpr (requires { visitor.exchange(&from, to); }) {
      visitor.exchange(told ? &from : nullptr, to);
    } else {
      if (told) visitor.receive(from);
      visitor.send(to);
    }
  }

  template <class Visitor>
  static void start(const Call& call, Visitor& visitor) {
    const StartGroups groups(call.args);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const StartedRequest started = groups[i];
      const PostedMessage message{.peer = started.peer,
                                  .tag = started.tag,
                                  .comm = started.comm,
                                  .bytes = started.bytes,
                                  .request = started.serial,
                                  .mode = started.operation,
                                  .blocking = false};
      if (started.receives()) {
        visitor.receive(message);
      } else {
        visitor.send(message);
      }
    }
  }
};

/// Calls the visitor's functions (those of IgnoreActions) for what the call does. Times of the call
/// are not read: RankCalls::action() suffices. O(1 + length of `args`).
template <class Visitor>
void visit_actions(const Call& call, Visitor& visitor) {
  const OperationClass kind = operation_class(call.operation);
  switch (kind) {
    case OperationClass::send:
    case OperationClass::isend:
      if (!CallDecoder::is_lost(call)) {
        visitor.send(CallDecoder::message_of(call, kind == OperationClass::send));
      }
      return;
    case OperationClass::recv:
    case OperationClass::irecv:
      if (!CallDecoder::is_lost(call)) {
        visitor.receive(CallDecoder::message_of(call, kind == OperationClass::recv));
      }
      return;
    case OperationClass::sendrecv:
      return CallDecoder::exchange(call, visitor);
    case OperationClass::start:
      return CallDecoder::start(call, visitor);
    case OperationClass::completion:
      return call.has(SLK_FLAG_FAILED) ? visitor.unsuccessful_test(call.request)
                                       : visitor.complete(call);
    case OperationClass::request_other:
      if (call.operation == Operation::request_free) visitor.free_request(call.request);
      return;
    case OperationClass::probe:
      if (!call.has(SLK_FLAG_FAILED)) visitor.probe(call);
      return;
    case OperationClass::collective:
    case OperationClass::icollective:
    case OperationClass::comm_create:
      return visitor.collective(call);
    case OperationClass::one_sided:
      return visitor.one_sided(call);
    case OperationClass::io:
      return visitor.io();
    case OperationClass::environment:
      if (call.operation == Operation::finalize) return visitor.finalize();
      if (call.operation != Operation::abort) visitor.initialize();
      return;
    case OperationClass::local:
      if (call.operation == Operation::comm_free || call.operation == Operation::comm_disconnect) {
        visitor.free_communicator();
      }
      return;
    case OperationClass::none:
    case OperationClass::request_init:
      return;
  }
}

/// Calls visit(PostedMessage) for every message that the call sends, or starts to send.
template <class Visit>
void for_each_send(const Call& call, Visit visit) {
  struct Sends : IgnoreActions {
    Visit& visit;
    explicit Sends(Visit& v) : visit(v) {}
    void send(const PostedMessage& message) { visit(message); }
  };
  Sends sends(visit);
  visit_actions(call, sends);
}

/// Calls visit(PostedMessage) for every message that the call receives, or starts to receive.
template <class Visit>
void for_each_receive(const Call& call, Visit visit) {
  struct Receives : IgnoreActions {
    Visit& visit;
    explicit Receives(Visit& v) : visit(v) {}
    void receive(const PostedMessage& message) { visit(message); }
  };
  Receives receives(visit);
  visit_actions(call, receives);
}

}  // namespace slackline
