#pragma once

#include <string>
#include <string_view>

#include "formats/text/text.h"

namespace slackline::testing {

// Traces from the text form, for tests that write their programs out.

/// An untimed trace of `ranks` ranks; `text` is the rest of the text form ("rank 0\n send to=1
/// ...").
inline Trace untimed_trace(int ranks, std::string_view text) {
  return read_text(
      "slackline-trace 1 untimed ranks=" + std::to_string(ranks) + "\n" + std::string(text),
      "test");
}

inline Trace timed_trace(int ranks, std::string_view text) {
  return read_text(
      "slackline-trace 1 timed ranks=" + std::to_string(ranks) + "\n" + std::string(text), "test");
}

}  // namespace slackline::testing
