#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/trace.h"

namespace slackline {

/// A message as one side's call names it.
struct Posted {
  std::int32_t peer;
  std::int32_t tag;
  std::uint32_t comm;
  std::uint64_t bytes;
  std::uint32_t request;  ///< kRequestNone when blocking
  Operation mode;
};

/// Cancelled or failed: nothing came of it.
inline bool is_lost(const Call& call) {
  return call.has(SLK_FLAG_CANCELLED) || call.has(SLK_FLAG_FAILED);
}

/// Calls visit(Posted) for the receives, or else the sends, that a start call starts.
template <class Visit>
void for_each_started(const Call& call, bool receives, Visit visit) {
  for (std::size_t at = 0; at + kStartGroup <= call.args.size(); at += kStartGroup) {
    const auto group = call.args.subspan(at, kStartGroup);
    const auto mode = static_cast<Operation>(group[1]);
    if ((mode == Operation::recv_init) != receives) continue;
    visit(Posted{static_cast<std::int32_t>(group[2]), static_cast<std::int32_t>(group[3]),
                 static_cast<std::uint32_t>(group[5]), static_cast<std::uint64_t>(group[4]),
                 static_cast<std::uint32_t>(group[0]), mode});
  }
}

/// May calls of that kind send anything?
inline bool may_send(OperationClass kind) {
  return kind == OperationClass::send || kind == OperationClass::isend ||
         kind == OperationClass::sendrecv || kind == OperationClass::start;
}

/// May calls of that kind receive anything, or start to?
inline bool may_receive(OperationClass kind) {
  return kind == OperationClass::recv || kind == OperationClass::irecv ||
         kind == OperationClass::sendrecv || kind == OperationClass::start;
}

/// Calls visit(Posted) for every message that the call sends, or starts to send.
template <class Visit>
void for_each_send(const Call& call, Visit visit) {
  const OperationClass kind = operation_class(call.operation);
  switch (kind) {
    case OperationClass::send:
    case OperationClass::isend:
    case OperationClass::sendrecv:
      if (!is_lost(call)) {
        visit(Posted{call.peer, call.tag, call.comm, call.bytes,
                     kind == OperationClass::isend ? call.request : kRequestNone, call.operation});
      }
      return;
    case OperationClass::start:
      return for_each_started(call, false, visit);
    default:
      return;
  }
}

/// Likewise for those that it receives or starts to receive.
template <class Visit>
void for_each_receive(const Call& call, Visit visit) {
  const OperationClass kind = operation_class(call.operation);
  switch (kind) {
    case OperationClass::recv:
    case OperationClass::irecv:
      if (!is_lost(call)) {
        visit(Posted{call.peer, call.tag, call.comm, call.bytes,
                     kind == OperationClass::irecv ? call.request : kRequestNone, call.operation});
      }
      return;
    case OperationClass::sendrecv:
      if (call.args.size() >= 2) {
        visit(Posted{static_cast<std::int32_t>(call.args[0]),
                     static_cast<std::int32_t>(call.args[1]), call.comm, 0, kRequestNone,
                     call.operation});
      }
      return;
    case OperationClass::start:
      return for_each_started(call, true, visit);
    default:
      return;
  }
}

inline bool is_synchronous(Operation mode) {
  return mode == Operation::ssend || mode == Operation::issend || mode == Operation::ssend_init;
}
inline bool is_buffered(Operation mode) {
  return mode == Operation::bsend || mode == Operation::ibsend || mode == Operation::bsend_init;
}

}  // namespace slackline
