#ifndef SLACKLINE_RUNTIME_RECORD_REQUESTS_H
#define SLACKLINE_RUNTIME_RECORD_REQUESTS_H

#include <cstddef>
#include <cstdint>

#include "handle_index.h"
#include "trace/wire.h"

namespace slackline::record {

/// What is remembered of an outstanding request (and, in tables of their own, of a matched
/// message, of a window and of a file).
struct Request {
  std::uint64_t handle = 0;
  std::uint64_t address = 0;  // of the program's variable that held the handle
  std::uint64_t bytes = 0;
  std::uint32_t serial = 0;
  std::uint32_t comm = 0;
  std::int32_t peer = SLK_PEER_NONE;
  std::int32_t tag = 0;
  // send_init ... recv_init of a persistent request, or the nonblocking form of a persistent
  // collective; else 0
  std::uint8_t init_op = 0;
  std::uint8_t flags = 0;
  bool receive = false;
  bool active = false;
  bool cancelled = false;
  bool planned = false;  // of a persistent collective: `bytes` is the address of what it starts
};

/// From request handles to what is known of them. Insertion, look-up and removal take constant
/// time, however many requests are outstanding.
///
/// Handles are not unique, for two reasons:
/// - Both MPI libraries return one shared handle for every send that was already complete when it
///   started (Open MPI's ompi_request_empty, MPICH's lightweight request), so that a hundred
///   outstanding sends can have one handle. Requests of one handle are distinguished by the address
///   of the program's request variable. If the program has copied the variable or used it again,
///   the newest request of that handle is taken: all of them are complete, and nothing
///   distinguishes them.
/// - MPI frees a handle inside the completing call and may return it to another thread before the
///   first thread's wrapper has removed its request. Requests are therefore numbered in the order
///   of their insertion, and a completing call looks up the newest one that was there when it
///   began.
///
/// Not thread-safe: the caller locks when MPI_THREAD_MULTIPLE was provided.
class RequestTable {
 public:
  /// How many requests have been inserted so far; may be read without the lock.
  std::uint64_t now() const { return __atomic_load_n(&inserted_, __ATOMIC_RELAXED); }

  /// Adds a request. False without memory.
  bool insert(const Request& request);
  /// The request of that handle among those inserted until `until`, or nullptr. Valid until the
  /// next insert or remove.
  Request* find(std::uint64_t handle, std::uint64_t address, std::uint64_t until);
  Request* find(std::uint64_t handle, std::uint64_t address) {
    return find(handle, address, inserted_);
  }
  void remove(Request* request);

 private:
  /// One request, in the ring of all that have its handle: `older` of the oldest is the newest.
  struct Node {
    Request request;
    std::uint64_t number;  // of its insertion
    std::uint32_t newer;
    std::uint32_t older;
    bool by_address;  // listed there: the first of its handle and address but for the oldest
  };

  bool grow();
  std::uint32_t newest_of(std::uint64_t handle) const;
  std::uint32_t exact(std::uint32_t newest, std::uint64_t handle, std::uint64_t address) const;
  void link(std::uint32_t node, std::uint32_t newest);
  void remove(std::uint32_t node);

  Node* nodes_ = nullptr;
  std::uint32_t capacity_ = 0;
  std::uint32_t free_ = HandleIndex::kNone;  // chained by `older`
  std::uint64_t inserted_ = 0;
  HandleIndex by_handle_;   // the newest request of each handle
  HandleIndex by_address_;  // the requests of shared handles, by handle and address
};

}  // namespace slackline::record

#endif
