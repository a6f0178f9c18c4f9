#include <span>

#include "base/error.h"
#include "check_trace.h"
#include "formats/ti/ti.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const char* const nowhere = "/nonexistent/fuzz.ti";
  try {
    // Anything else is a list of files, none of which is there.
    if (slackline::looks_like_ti(nowhere, bytes)) {
      slackline::fuzz::check_trace(slackline::read_ti(nowhere, bytes));
    }
  } catch (const slackline::Error&) {
  }
  return 0;
}
