#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_COMPLETION_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_COMPLETION_H

#include "hooks/partitions.h"
#include "hooks/point_to_point.h"

namespace slackline::record {

// Handles are copied before the call, because MPI clears them, and looked up after it, because
// only then it is known which are complete. By then another thread may have got such a handle for
// a request of its own, so that only those count that were there before the call.

/// Requests that one call completes: finds their serials and writes what their receives got
/// (SLK_REC_RESOLVED) before the call's own record. Made before the call.
class Completion {
 public:
  static constexpr std::uint32_t kInactive = UINT32_MAX;

  explicit Completion(Thread& t) : t_(t), until_(process.requests.now()) {}
  Thread& thread() { return t_; }

  /// The serial of a completed request; SLK_REQUEST_NONE if it was never seen, kInactive if there
  /// was nothing to complete.
  std::uint32_t take(MPI_Request handle, std::uint64_t address, const MPI_Status* status) {
    if (handle == MPI_REQUEST_NULL) return kInactive;
    Request done;
    {
      const Lock lock;
      Request* found = process.requests.find(handle_bits(handle), address, until_);
      if (found == nullptr) return SLK_REQUEST_NONE;
      if (!found->active) return kInactive;
      done = *found;
      if (found->init_op == 0) {
        process.requests.remove(found);
      } else {
        found->active = false;
        found->cancelled = false;
      }
    }
    if (done.receive || done.cancelled) resolve(done, load(status));
    return done.serial;
  }
  /// Puts the call's record back; to be called before it is closed.
  void finish() {
    if (suspended_) t_.reopen();
  }
  /// The same for a call that completes one request; its serial goes into the record.
  void finish(std::uint32_t serial) {
    finish();
    t_.record()->request = serial == kInactive ? SLK_REQUEST_NONE : serial;
  }

 private:
  /// Is it the status of what was posted? MPICH 4.0 gives another one for MPI_Isendrecv.
  static bool fits(const Request& posted, const MPI_Status& s) {
    return (posted.peer < 0 || s.MPI_SOURCE == posted.peer) &&
           (posted.tag < 0 || s.MPI_TAG == posted.tag);
  }

  void resolve(const Request& done, const MPI_Status& s) {
    slk_record r{};
    r.op = SLK_REC_RESOLVED;
    r.begin_ns = r.end_ns = t_.end_ns();
    r.comm = done.comm;
    r.request = done.serial;
    r.flags = done.flags;
    r.peer = done.peer;
    r.tag = done.tag;
    r.bytes = done.bytes;
    int cancelled = 0;
    if (done.cancelled) PMPI_Test_cancelled(&s, &cancelled);
    if (cancelled != 0) {
      add_flags(&r, SLK_FLAG_CANCELLED);
    } else if (done.receive && fits(done, s)) {
      fill_from_status(&r, s);
    }
    const bool told = r.peer == done.peer && r.tag == done.tag && r.bytes == done.bytes;
    if ((told && cancelled == 0) || process.paused) return;
    if (!suspended_) t_.suspend();
    suspended_ = true;
    t_.write(r, nullptr, 0);
  }

  Thread& t_;
  std::uint64_t until_;
  bool suspended_ = false;
};

inline std::uint64_t poll_key(std::uint8_t op, std::uint64_t what, std::uint64_t n) {
  return ((what ^ (n << 40)) * 0x9e3779b97f4a7c15u) + op;
}

/// MPI_Wait and MPI_Test, here and below: `flag` is null for those that wait.
template <class Requests, class Call>
int complete(Thread& t, std::uint8_t op, Requests requests, const int* flag, MPI_Status* status,
             Call call) {
  const MPI_Request handle = requests.get();
  Completion completion(t);
  t.open(op);
  const int rc = measured(t, call, status);
  if (flag != nullptr && *flag == 0) {
    t.close_failed_poll(poll_key(op, handle_bits(handle), 1));
    return rc;
  }
  const std::uint32_t serial = completion.take(handle, requests.address(), status);
  completion.finish(serial);
  t.close();
  return rc;
}

/// Copies of n handles in the thread's scratch memory, which has room for 2n: the second half is
/// for serials. False without memory: the call is recorded without its requests.
template <class Requests>
bool copy_handles(Thread& t, int n, const Requests& requests) {
  if (n < 0 || !t.scratch(static_cast<std::size_t>(n))) return false;
  for (int i = 0; i < n; ++i) {
    const MPI_Request handle = requests.get(i);
    std::memcpy(t.handles() + i, &handle, sizeof handle);
  }
  return true;
}

inline MPI_Request copied_handle(Thread& t, int i) {
  MPI_Request handle;
  std::memcpy(&handle, t.handles() + i, sizeof handle);
  return handle;
}

/// Closes the record with the serials of the `count` requests `index(i)`; status i is theirs.
template <class Requests, class Index>
void close_completed(Completion& completion, int n, int count, const Requests& requests,
                     Index index, const MPI_Status* statuses) {
  Thread& t = completion.thread();
  std::uint64_t* const serials = t.handles() + n;
  std::size_t done = 0;
  for (int i = 0; i < count; ++i) {
    const int which = index(i);
    if (which < 0 || which >= n) continue;
    const std::uint32_t serial =
        completion.take(copied_handle(t, which), requests.address(which), statuses + i);
    if (serial != Completion::kInactive) serials[done++] = serial;
  }
  completion.finish();
  t.close_with(done, [&](std::size_t i) { return static_cast<std::int64_t>(serials[i]); });
}

/// The frame of all calls over arrays of requests. `outcome` closes the record.
template <class Requests, class Call, class Outcome>
int complete_array(Thread& t, std::uint8_t op, int n, const Requests& requests, const int* flag,
                   MPI_Status* given, Call call, Outcome outcome) {
  if (!copy_handles(t, n, requests)) return call(given);
  MPI_Status* const used = given != nullptr ? given : t.statuses();
  Completion completion(t);
  t.open(op);
  const int rc = measured(t, call, used);
  if (flag != nullptr && *flag == 0) {
    t.close_failed_poll(poll_key(op, requests.address(), unsigned(n)));
  } else {
    outcome(completion, used);
  }
  return rc;
}

template <class Requests, class Call>
int complete_all(Thread& t, std::uint8_t op, int n, Requests requests, const int* flag,
                 MPI_Status* statuses, Call call) {
  return complete_array(t, op, n, requests, flag, statuses, call,
                        [&](Completion& c, MPI_Status* s) {
                          close_completed(
                              c, n, n, requests, [](int i) { return i; }, s);
                        });
}

template <class Requests, class Call>
int complete_any(Thread& t, std::uint8_t op, int n, Requests requests, Indices indices,
                 const int* flag, MPI_Status* status, Call call) {
  return complete_array(t, op, n, requests, flag, status, call, [&](Completion& c, MPI_Status* s) {
    const int index = indices.get();
    if (index >= 0 && index < n) {
      c.finish(c.take(copied_handle(t, index), requests.address(index), s));
    }
    t.close();
  });
}

template <class Requests, class Call>
int complete_some(Thread& t, std::uint8_t op, int n, Requests requests, const int* count,
                  Indices indices, const int* flag, MPI_Status* statuses, Call call) {
  return complete_array(t, op, n, requests, flag, statuses, call,
                        [&](Completion& c, MPI_Status* s) {
                          const int done = *count == MPI_UNDEFINED ? 0 : *count;
                          close_completed(
                              c, n, done, requests, [&](int i) { return indices.get(i); }, s);
                        });
}

/// The serial of a request that goes on living or is given up.
template <class Requests>
std::uint32_t known_serial(const Requests& requests, bool forget, bool cancel) {
  const MPI_Request handle = requests.get();
  if (handle == MPI_REQUEST_NULL) return SLK_REQUEST_NONE;
  const Lock lock;
  Request* found = process.requests.find(handle_bits(handle), requests.address());
  if (found == nullptr) return SLK_REQUEST_NONE;
  const std::uint32_t serial = found->serial;
  if (cancel) found->cancelled = true;
  if (forget) process.requests.remove(found);
  return serial;
}

template <class Requests, class Call>
int request_free(Thread& t, std::uint8_t op, Requests requests, Call call) {
  t.open(op)->request = known_serial(requests, true, false);
  if (partitioned_sends != nullptr) forget_partitioned(requests.get());
  return timed(t, call);
}

template <class Requests, class Call>
int cancel(Thread& t, std::uint8_t op, Requests requests, Call call) {
  t.open(op)->request = known_serial(requests, false, true);
  return timed(t, call);
}

}  // namespace slackline::record

#endif
