#include <string_view>

#include "base/error.h"
#include "check_trace.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    slackline::fuzz::check_trace(
        slackline::read_text({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const slackline::Error&) {
  }
  return 0;
}
