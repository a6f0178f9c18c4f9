#include "jobs/record/written_trace.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "formats/native/reader.h"

namespace slackline {

void check_written(const Trace& trace, const std::filesystem::path& path, const Samples& samples) {
  const MappedFile file(path);
  Samples read;
  const Trace back = read_native(file.bytes(), path.string(), &read);
  if (same_content(trace, back) && samples.same_as(read)) return;
  throw Error(fmt::format("the finished trace '{}' cannot be used", path.string()),
              "what is read back is not what was recorded",
              "Check the disk, and convert the raw files again.");
}

}  // namespace slackline
