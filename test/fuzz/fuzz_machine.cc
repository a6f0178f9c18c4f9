// Machine files, and models of them: what is let through can tell run times and their slopes.

#include <cstdint>

#include "analysis/model/model_choice.h"
#include "app/options/model_options.h"
#include "base/error.h"
#include "formats/text/text.h"
#include "fuzz.h"
#include "graph/build.h"
#include "memory_file.h"
#include "timing/makespan.h"
#include "timing/model_schedule.h"

using namespace slackline;

namespace {

Trace exchange() {
  return read_text(
      "slackline-trace 1 untimed ranks=2\n"
      "rank 0\ncompute 1000\nsend to=1 bytes=100000\nrecv from=1 bytes=8\nallreduce elem=8 "
      "bytes=64\n"
      "rank 1\nrecv from=0 bytes=100000\ncompute 500\nsend to=0 bytes=8\nallreduce elem=8 "
      "bytes=64\n",
      "exchange");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  static const Trace trace = exchange();
  file.write(data, size);
  try {
    ModelOptions options;
    options.machine = file.path();
    const ModelChoice choice = resolve_model(options);
    ++fuzz::accepted;
    const ExecutionGraph graph = build_graph(trace, choice.graph);
    model_schedule(graph, choice.model);
    MakespanFunction t(graph, choice.model, Parameter::latency);
    t.line_at(t.base());
  } catch (const Error&) {
  }
  return 0;
}
