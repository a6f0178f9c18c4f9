#pragma once

#include <string>

#include "base/error.h"
#include "replay/replay_file.h"

namespace slackline::testing {

/// The reason why a program cannot be replayed; empty if it can.
inline std::string refusal(const Trace& trace) {
  try {
    check_replayable(trace, CallMatching(trace));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace slackline::testing
