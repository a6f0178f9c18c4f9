#pragma once

#include <cstdint>

#include "trace/operation.h"
#include "trace/trace.h"

namespace slackline {

/// On what the members of a communicator act together. Each scope of a communicator has an order of
/// calls of its own: the k-th one of every member is the same.
enum class CollectiveScope : std::uint8_t {
  none,          ///< a call of one rank, or of two
  communicator,  ///< collectives, and calls that make communicators
  freeing,       ///< freeing the communicator
  window,        ///< making, freeing and fencing windows
  file,          ///< opening and closing files, collective MPI-IO
};
inline constexpr std::size_t kCollectiveScopes = 5;

/// MPI 4.0: sections 6.4 and 7.4 (communicators), 12.2 and 12.5 (windows), 14.2 to 14.4 (files).
constexpr CollectiveScope collective_scope(Operation operation) {
  switch (operation) {
    case Operation::comm_free:
    case Operation::comm_disconnect:
      return CollectiveScope::freeing;
    case Operation::win_create:
    case Operation::win_allocate:
    case Operation::win_allocate_shared:
    case Operation::win_create_dynamic:
    case Operation::win_free:
    case Operation::win_fence:
      return CollectiveScope::window;
    case Operation::file_open:
    case Operation::file_close:
    case Operation::file_sync:
    case Operation::file_set_view:
    case Operation::file_read_all:
    case Operation::file_read_at_all:
    case Operation::file_write_all:
    case Operation::file_write_at_all:
    case Operation::file_read_ordered:
    case Operation::file_write_ordered:
    case Operation::file_seek_shared:
    case Operation::file_set_size:
    case Operation::file_preallocate:
    case Operation::file_read_all_begin:
    case Operation::file_read_at_all_begin:
    case Operation::file_read_ordered_begin:
    case Operation::file_write_all_begin:
    case Operation::file_write_at_all_begin:
    case Operation::file_write_ordered_begin:
      return CollectiveScope::file;
    default:
      break;
  }
  const OperationClass kind = operation_class(operation);
  const bool together = kind == OperationClass::collective || kind == OperationClass::icollective ||
                        kind == OperationClass::comm_create;
  return together ? CollectiveScope::communicator : CollectiveScope::none;
}

/// Calls whose first argument is the communicator itself, from which a window or a file gets it.
constexpr bool opens_object(Operation operation) {
  return operation == Operation::win_create || operation == Operation::win_allocate ||
         operation == Operation::win_allocate_shared ||
         operation == Operation::win_create_dynamic || operation == Operation::file_open;
}

/// The communicator behind one rank's windows, or behind its files, where a call on one of them
/// does not say it (files of older recordings, traces of other tools, traces written by hand): that
/// of all opened so far, if it is the same one for all.
class ObjectCommunicator {
 public:
  /// The calls of one scope, in program order. MPI_COMM_WORLD is what calls have that say nothing.
  std::uint32_t of(Operation operation, std::uint32_t comm) {
    if (opens_object(operation)) {
      if (opened_ && only_ != comm) several_ = true;
      opened_ = true;
      only_ = comm;
      return comm;
    }
    const bool said = comm != kCommWorld && comm != kCommNull;
    return said || !opened_ || several_ ? comm : only_;
  }

 private:
  bool opened_ = false;
  bool several_ = false;
  std::uint32_t only_ = kCommWorld;
};

}  // namespace slackline
