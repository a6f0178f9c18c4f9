#pragma once

#include <filesystem>

#include "base/file.h"
#include "formats/native/reader.h"
#include "formats/native/writer.h"
#include "formats/raw/reader.h"
#include "parallel/testing/thread_processes.h"
#include "trace/testing/arbitrary_trace.h"

namespace slackline::testing {

/// Whether this many processes that read a recording together, and write what they have read, leave
/// `whole` in `file`, which must not exist.
inline bool processes_read_the_same(const std::filesystem::path& recording, const RawPart& whole,
                                    int processes, const std::filesystem::path& file) {
  run_as_processes(processes, [&](ProcessGroup& group) {
    const RawPart part = read_raw(recording, group);
    write_native_together(part.trace, part.samples, part.own, file, group);
  });
  const MappedFile written(file);
  Samples samples;
  const Trace trace = read_native(written.bytes(), file.string(), &samples);
  return same_content(whole.trace, trace) && same_facts(whole.trace, trace) &&
         whole.samples.same_as(samples);
}

}  // namespace slackline::testing
