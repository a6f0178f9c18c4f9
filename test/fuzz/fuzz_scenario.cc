// Scenarios: what is let through can be applied to a program, which then can be written and read.

#include "base/error.h"
#include "check_trace.h"
#include "formats/text/text.h"
#include "fuzz.h"
#include "whatif/scenario.h"

using namespace slackline;

namespace {

Trace program() {
  return read_text(
      "slackline-trace 1 timed ranks=3\n"
      "frame 1 0 main line=10\nframe 2 1 solve line=20\n"
      "rank 0 host=a\n@0 +10 init\nenter step\n@50 +5 isend to=1 bytes=1000 req=1 frame=2\n"
      "@60 +20 wait req=1\nleave step\n@100 +9 allreduce elem=8 bytes=64\n@150 +5 finalize\n"
      "rank 1 host=a\n@0 +10 init\nenter step\n@40 +30 recv from=0 bytes=1000 frame=2\nleave step\n"
      "@95 +14 allreduce elem=8 bytes=64\n@150 +5 finalize\n"
      "rank 2 host=b\n@0 +10 init\nenter step\nleave step\n@20 +89 allreduce elem=8 bytes=64\n"
      "@150 +5 finalize\n",
      "program");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Trace trace = program();
  try {
    const Scenario scenario =
        parse_scenario({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
    constexpr std::size_t kMostEdits = 8;  // each may double the calls
    if (scenario.edits.size() > kMostEdits) return 0;
    fuzz::check_trace(apply(scenario, {trace, {}}).trace);
  } catch (const Error&) {
  }
  return 0;
}
