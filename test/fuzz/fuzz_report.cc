// Traces of all formats of one file, through graph, timing and analyses to the report as text and
// as page.

#include "app/requests/report.h"
#include "base/error.h"
#include "fuzz.h"
#include "memory_file.h"
#include "report/writers.h"

using namespace slackline;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  file.write(data, size);
  try {
    ReportRequest request;
    request.input.trace = file.path();
    request.pictures = true;
    const Report report = execute(request);
    ++fuzz::accepted;
    write_text(report, {});
    write_html(report);
  } catch (const Error&) {
  }
  return 0;
}
