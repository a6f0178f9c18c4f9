#include "formats/ti/writer.h"

#include "base/file.h"
#include "formats/ti/program_writer.h"

namespace slackline {

Findings write_ti(const Trace& trace, const std::filesystem::path& path) {
  Findings findings;
  OutputFile file(path);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    ti::ProgramWriter(trace, rank, file, findings).write();
  }
  file.commit();
  return findings;
}

}  // namespace slackline
