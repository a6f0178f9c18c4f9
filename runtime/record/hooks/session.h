#ifndef SLACKLINE_RUNTIME_RECORD_HOOKS_SESSION_H
#define SLACKLINE_RUNTIME_RECORD_HOOKS_SESSION_H

#include "hooks/environment.h"

namespace slackline::record {

// A program without MPI_Init has sessions instead. The first one starts the recording; each time
// the last one has ended, what was recorded is complete, and a further session goes on with it.

#if MPI_VERSION >= 4

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

#endif

}  // namespace slackline::record

#endif
