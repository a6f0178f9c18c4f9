#include "base/error.h"
#include "check_trace.h"
#include "formats/goal/goal.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    slackline::fuzz::check_trace(
        slackline::read_goal_as_trace(std::as_bytes(std::span(data, size)), "fuzz"));
  } catch (const slackline::Error&) {
  }
  return 0;
}
