#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_ENVIRONMENT_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_ENVIRONMENT_H

#include <cstdio>

#include "hooks/collective.h"
#include "slackline.h"

namespace slackline::record {

// Initialisation and its end, communicators, windows, files: calls that are recorded with little
// more than their times.

template <class Call>
int init(std::uint8_t op, Call call) {
  const std::uint64_t begin = now_ns();
  const std::uint64_t* const frame = call_frame;
  const int rc = call();
  call_frame = frame;  // MPI_Init may have called other wrappers
  if (rc == MPI_SUCCESS) start_recording(op, begin);
  return rc;
}

template <class Call>
int finalize(std::uint8_t op, Call call) {
  Thread* t = enter();
  if (t == nullptr) {
    prepare_finalize();
    if (analyses_before_finalize()) analyse_before_finalize();
    return call();
  }
  t->open(op);
  t->begin();
  prepare_finalize();
  if (analyses_before_finalize()) {
    t->end();
    t->close();
    stop_recording();
    analyse_before_finalize();
    return call();
  }
  const int rc = call();
  t->end();
  t->close();
  stop_recording();
  return rc;
}

template <class Call>
int abort(Thread& t, std::uint8_t op, MPI_Comm comm, Call call) {
  t.open(op)->comm = comm_id(communicator(t, comm));
  t.begin();
  t.end();
  t.close();
  note_abort();
  return call();
}

/// Levels of slackline.h, with a name; those after regions' are for on-line simulations.
inline bool is_named_level(int level) {
  return level >= SLACKLINE_REGION_BEGIN && level <= SLACKLINE_SHARED_FREE;
}

/// MPI_Pcontrol: 0 and 1 switch recording off and on; k >= 2 begins a region, -k ends it; two
/// levels of our own carry a region's name.
template <class Call>
int pcontrol(Thread& t, std::uint8_t op, int level, const char* name, Call call) {
  if (is_named_level(level)) {
    if (level == SLACKLINE_REGION_BEGIN) enter_region(name);
    if (level == SLACKLINE_REGION_END) leave_region(name);
    return MPI_SUCCESS;
  }
  if (level == 1) set_paused(t, false);
  t.open(op);
  const int rc = measured(t, call);
  t.close_with(1, [&](std::size_t) { return std::int64_t{level}; });
  if (level == 0) set_paused(t, true);
  if (level >= 2 || level <= -2) {
    char text[32];
    std::snprintf(text, sizeof text, "pcontrol %d", level > 0 ? level : -level);
    level > 0 ? enter_region(text) : leave_region(text);
  }
  return rc;
}

template <class NewComm, class Requests, class Call>
int create_communicator(Thread& t, std::uint8_t op, MPI_Comm parent, NewComm created,
                        bool by_parent, std::uint64_t tag, Requests requests, Call call) {
  const Collective what{communicator(t, parent)};
  slk_record* r = t.open(op);
  fill(r, what);
  Request entry;
  announce(r, entry, requests);
  const int rc = measured(t, call);
  if (refused(rc)) {
    t.discard();
    return rc;
  }
  const bool made = rc == MPI_SUCCESS && created.get() != MPI_COMM_NULL;
  const Communicator* c = nullptr;
  if (made) {
    keep(entry, requests);
    t.suspend();
    c = add_communicator(created.get(), by_parent ? parent : created.get(), tag);
    t.reopen();
  }
  t.close_with(1, [&](std::size_t) { return std::int64_t{comm_id(c)}; });
  return rc;
}

template <class NewComm, class Call>
int comm_create(Thread& t, std::uint8_t op, MPI_Comm parent, NewComm created, Call call) {
  return create_communicator(t, op, parent, created, false, 0, none, call);
}

/// Made by its members, of whom several threads may make others at the same time.
template <class Tag, class NewComm, class Call>
int comm_create_tagged(Thread& t, std::uint8_t op, MPI_Comm parent, Tag tag, NewComm created,
                       Call call) {
  return create_communicator(t, op, parent, created, false, creation_tag(tag), none, call);
}

template <class NewComm, class Requests, class Call>
int comm_idup(Thread& t, std::uint8_t op, MPI_Comm parent, NewComm created, Requests requests,
              Call call) {
  return create_communicator(t, op, parent, created, true, 0, requests, call);
}

/// All members take part, as in making a communicator. None is made, or it is known only when the
/// request is complete: then it is found at its first use.
template <class Requests, class Call>
int comm_agree(Thread& t, std::uint8_t op, MPI_Comm comm, Requests requests, Call call) {
  const auto no_communicator = [](std::size_t) { return std::int64_t{SLK_COMM_NULL}; };
  return collective(t, op, {communicator(t, comm)}, 1, no_communicator, requests, call);
}

template <class OldComm, class Call>
int comm_free(Thread& t, std::uint8_t op, OldComm old, Call call) {
  const MPI_Comm handle = old.get();
  const Communicator* c = communicator(t, handle);
  t.open(op)->comm = comm_id(c);
  forget_communicator(handle);
  return timed(t, call);
}

template <class Call>
int simple(Thread& t, std::uint8_t op, Call call) {
  t.open(op);
  return timed(t, call);
}

/// The open record's call starts a request, if it has one, that is no message or collective.
template <class Requests, class Call>
int start_opened(Thread& t, Requests requests, Call call) {
  Request entry;
  announce(t.record(), entry, requests);
  const int rc = timed(t, call);
  if (rc == MPI_SUCCESS) keep(entry, requests);
  return rc;
}

template <class Requests, class Call>
int start_request(Thread& t, std::uint8_t op, Requests requests, Call call) {
  t.open(op);
  return start_opened(t, requests, call);
}

/// What is known of a window or a file; its communicator SLK_COMM_NULL if nothing is.
template <class Handle>
Request known_object(RequestTable& objects, Handle handle, bool forget) {
  const Lock lock;
  Request known;
  known.comm = SLK_COMM_NULL;
  Request* found = objects.find(handle_bits(handle), 0);
  if (found == nullptr) return known;
  known = *found;
  if (forget) objects.remove(found);
  return known;
}

template <class Handle>
void keep_object(RequestTable& objects, Handle handle, std::uint32_t comm, std::int32_t tag = 0) {
  Request entry;
  entry.handle = handle_bits(handle);
  entry.comm = comm;
  entry.tag = tag;
  const Lock lock;
  objects.insert(entry);
}

template <class NewFile, class Call>
int file_open(Thread& t, std::uint8_t op, MPI_Comm comm, NewFile file, Call call) {
  const std::uint32_t id = comm_id(communicator(t, comm));
  t.open(op)->comm = id;
  const int rc = timed(t, call);
  if (rc == MPI_SUCCESS) keep_object(process.files, file.get(), id);
  return rc;
}

template <class OldFile, class Call>
int file_close(Thread& t, std::uint8_t op, OldFile file, Call call) {
  t.open(op)->comm = known_object(process.files, file.get(), true).comm;
  return timed(t, call);
}

template <class Call>
int on_file(Thread& t, std::uint8_t op, MPI_File file, Call call) {
  t.open(op)->comm = known_object(process.files, file, false).comm;
  return timed(t, call);
}

template <class Count, class Requests, class Call>
int transfer(Thread& t, std::uint8_t op, MPI_File file, Count n, MPI_Datatype type,
             Requests requests, Call call) {
  slk_record* r = t.open(op);
  r->comm = known_object(process.files, file, false).comm;
  r->bytes = bytes_of(n, type);
  return start_opened(t, requests, call);
}

template <class Count, class Call>
int pack(Thread& t, std::uint8_t op, Count n, MPI_Datatype type, MPI_Comm comm, Call call) {
  const std::uint32_t id = comm_id(communicator(t, comm));
  slk_record* r = t.open(op);
  r->bytes = bytes_of(n, type);
  r->comm = id;
  return timed(t, call);
}

/// The members of a group as ranks of a window; none of large groups, and without memory.
class WindowRanks {
 public:
  WindowRanks(MPI_Win win, MPI_Group group) {
    int n = 0;
    MPI_Group all = MPI_GROUP_NULL;
    if (PMPI_Group_size(group, &n) != MPI_SUCCESS || n <= 0 || n > kMost) return;
    if (PMPI_Win_get_group(win, &all) != MPI_SUCCESS) return;
    int own[kMost];
    for (int i = 0; i < n; ++i) own[i] = i;
    if (PMPI_Group_translate_ranks(group, n, own, all, ranks_) == MPI_SUCCESS) size_ = n;
    PMPI_Group_free(&all);
  }
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  std::int64_t operator[](std::size_t i) const { return ranks_[i]; }

 private:
  static constexpr int kMost = 256;
  int ranks_[kMost] = {};
  int size_ = 0;
};

/// Twice the number of a window: the tag of the calls at it.
inline std::int32_t number_window(std::uint32_t comm) {
  const Lock lock;
  return static_cast<std::int32_t>(2 * process.window_numbers.take(comm));
}
inline void forget_window_number(std::uint32_t comm, std::int32_t tag) {
  const Lock lock;
  process.window_numbers.release(comm, static_cast<std::uint32_t>(tag) / 2);
}

template <class NewWin, class Call>
int win_create(Thread& t, std::uint8_t op, MPI_Comm comm, NewWin win, Call call) {
  const std::uint32_t id = comm_id(communicator(t, comm));
  const std::int32_t tag = number_window(id);
  slk_record* r = t.open(op);
  r->comm = id;
  r->tag = tag;
  const int rc = timed(t, call);
  if (rc == MPI_SUCCESS) {
    keep_object(process.windows, win.get(), id, tag);
  } else {
    forget_window_number(id, tag);
  }
  return rc;
}

/// Which window a call is at.
inline void fill_window(slk_record* r, const Request& window) {
  r->comm = window.comm;
  r->tag = window.tag;
}
inline void fill_window(slk_record* r, MPI_Win win) {
  fill_window(r, known_object(process.windows, win, false));
}

template <class OldWin, class Call>
int win_free(Thread& t, std::uint8_t op, OldWin win, Call call) {
  const Request window = known_object(process.windows, win.get(), true);
  forget_window_number(window.comm, window.tag);
  fill_window(t.open(op), window);
  return timed(t, call);
}

template <class Call>
int on_window(Thread& t, std::uint8_t op, MPI_Win win, int target, Call call) {
  slk_record* r = t.open(op);
  fill_window(r, win);
  r->peer = target == SLK_PEER_NONE ? SLK_PEER_NONE : peer_of(target);
  return timed(t, call);
}

/// MPI_LOCK_SHARED adds 1 to the tag.
template <class Call>
int win_lock(Thread& t, std::uint8_t op, MPI_Win win, int target, int kind, Call call) {
  slk_record* r = t.open(op);
  fill_window(r, win);
  r->peer = peer_of(target);
  r->tag += kind == MPI_LOCK_SHARED ? 1 : 0;
  return timed(t, call);
}

template <class Call>
int win_test(Thread& t, std::uint8_t op, MPI_Win win, int* flag, Call call) {
  slk_record* r = t.open(op);
  fill_window(r, win);
  const int rc = measured(t, call);
  if (*flag == 0) r->flags = SLK_FLAG_FAILED;
  t.close();
  return rc;
}

/// Post and start: the arguments are the group, as ranks of the window.
template <class Call>
int win_group(Thread& t, std::uint8_t op, MPI_Win win, MPI_Group group, Call call) {
  const WindowRanks ranks(win, group);
  fill_window(t.open(op), win);
  const int rc = measured(t, call);
  t.close_with(ranks.size(), [&ranks](std::size_t i) { return ranks[i]; });
  return rc;
}

template <class Count, class Requests, class Call>
int rrma(Thread& t, std::uint8_t op, Count n, MPI_Datatype type, int target, MPI_Win win,
         Requests requests, Call call) {
  slk_record* r = t.open(op);
  fill_window(r, win);
  r->peer = peer_of(target);
  r->bytes = bytes_of(n, type);
  Request entry;
  announce(r, entry, requests);
  const int rc = measured(t, call);
  if (rc == MPI_SUCCESS) keep(entry, requests);
  t.close();
  return rc;
}

template <class Count, class Call>
int rma(Thread& t, std::uint8_t op, Count n, MPI_Datatype type, int target, MPI_Win win,
        Call call) {
  return rrma(t, op, n, type, target, win, none, call);
}

// A program without MPI_Init has sessions instead. The first one starts the recording; each time
// the last one has ended, what was recorded is complete, and a further session goes on with it.

inline int open_sessions = 0;

template <class Session, class Call>
int session_init(std::uint8_t op, Session session, Call call) {
  const std::uint64_t begin = now_ns();
  const int rc = call();
  if (rc != MPI_SUCCESS) return rc;
  __atomic_add_fetch(&open_sessions, 1, __ATOMIC_RELAXED);
  start_recording_of_session(session.get());
  Thread* t = enter();
  if (t == nullptr) return rc;
  t->open(op);
  t->set_times(begin, now_ns());
  t->close();
  return rc;
}

template <class Call>
int session_finalize(Thread& t, std::uint8_t op, Call call) {
  t.open(op);
  const int rc = timed(t, call);
  if (__atomic_sub_fetch(&open_sessions, 1, __ATOMIC_RELAXED) == 0) note_sessions_ended();
  return rc;
}

}  // namespace slackline::record

#endif
