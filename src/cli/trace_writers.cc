#include "cli/trace_writers.h"

#include <array>

#include "base/file.h"
#include "trace/native/writer.h"
#include "trace/text/text.h"

namespace slackline {
namespace {

Findings write_native_file(const WriteRequest& request) {
  write_native(request.trace, request.path);
  return {};
}

Findings write_text_file(const WriteRequest& request) {
  OutputFile file(request.path);
  write_text_trace(request.trace, [&](std::string_view text) { file.write(text); });
  file.commit();
  return {};
}

// Every format that can be written.
constexpr std::array kWriters{
    TraceWriter{"native", ".slk", "Slackline's own format", write_native_file},
    TraceWriter{"text", ".txt", "the text form of a trace", write_text_file},
};

}  // namespace

std::span<const TraceWriter> trace_writers() {
  return kWriters;
}

}  // namespace slackline
