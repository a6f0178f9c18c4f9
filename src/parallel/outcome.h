#pragma once

#include <string>

#include "parallel/process_group.h"

namespace slackline {

/// How a command ended in a process.
struct Outcome {
  enum class Kind : unsigned char {
    finished,
    failed,       ///< `message` says why
    peer_failed,  ///< it was ended by PeerFailed
  };
  Kind kind = Kind::finished;
  int exit_status = 0;
  std::string message{};  ///< for standard error; may be empty
};

/// What the command as a whole came to: that of the first process, or, where some failed, that of
/// the lowest of these. All processes call it once, at the end of their work wherever that was, and
/// get the same answer; who has nothing to do sleeps here.
Outcome agree_on_outcome(ProcessGroup& group, const Outcome& mine);

}  // namespace slackline
