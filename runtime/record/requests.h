#ifndef SLACKLINE_RUNTIME_RECORD_REQUESTS_H
#define SLACKLINE_RUNTIME_RECORD_REQUESTS_H

#include <cstddef>
#include <cstdint>

#include "trace/wire.h"

namespace slackline::record {

/// What is remembered of an outstanding request (and, in tables of their own, of a matched
/// message and of a window).
struct Request {
  std::uint64_t handle = 0;   // 0: empty slot
  std::uint64_t address = 0;  // of the program's variable that held the handle
  std::uint64_t bytes = 0;
  std::uint32_t serial = 0;
  std::uint32_t comm = 0;
  std::int32_t peer = SLK_PEER_NONE;
  std::int32_t tag = 0;
  std::uint8_t init_op = 0;  // send_init ... recv_init of a persistent request, else 0
  std::uint8_t flags = 0;
  bool receive = false;
  bool active = false;
  bool cancelled = false;
  bool by_address = false;
};

/// From request handles to serials: open addressing with linear probing and backward-shift
/// deletion, so that there are no tombstones however many requests pass through.
///
/// The trap: handles are not unique. Both MPI libraries return one shared handle for every send
/// that was already complete when it started (Open MPI's ompi_request_empty, MPICH's lightweight
/// request), so that a hundred outstanding sends can have one handle. A handle seen twice at once
/// is remembered as shared; its further requests are filed under handle and address of the
/// program's request variable. If the program has copied the variable, any request of that handle
/// is taken: all of them are complete, and no one can tell them apart.
///
/// Not thread-safe: the caller locks when MPI_THREAD_MULTIPLE was provided.
class RequestTable {
 public:
  /// Adds a request. False when memory ran out.
  bool insert(const Request& request);
  /// The request of that handle, or nullptr. Valid until the next insert or remove.
  Request* find(std::uint64_t handle, std::uint64_t address);
  void remove(Request* request);

 private:
  static constexpr std::size_t kSharedHandles = 4;

  std::size_t home(const Request& r) const;
  std::size_t home(std::uint64_t handle, std::uint64_t address) const;
  Request* probe(std::uint64_t handle, std::uint64_t address, bool by_address);
  bool is_shared(std::uint64_t handle) const;
  bool mark_shared(std::uint64_t handle);
  void place(const Request& request);
  bool grow();

  Request* slots_ = nullptr;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t used_ = 0;
  std::size_t scan_ = 0;
  std::uint64_t shared_[kSharedHandles] = {};
};

}  // namespace slackline::record

#endif
