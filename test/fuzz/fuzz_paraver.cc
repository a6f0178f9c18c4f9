#include <span>

#include "base/error.h"
#include "check_trace.h"
#include "formats/paraver/paraver.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    slackline::fuzz::check_trace(
        slackline::read_paraver(std::as_bytes(std::span(data, size)), "/nonexistent/fuzz.prv"));
  } catch (const slackline::Error&) {
  }
  return 0;
}
