#include "app/load/merged_recording.h"

#include <unistd.h>

#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "formats/native/shared_writer.h"
#include "formats/raw/reader.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

/// Few, as each process reads a small part of a rank's calls.
constexpr std::size_t kBlockCalls = 4096;

/// Removes a file that the process has made.
class OwnFile {
 public:
  explicit OwnFile(fs::path path) : path_(std::move(path)) {}
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;
  ~OwnFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

 private:
  const fs::path path_;
};

}  // namespace

std::unique_ptr<const MappedFile> merge_recording(const fs::path& folder, ProcessGroup& group) {
  begin_stage("reading the recording");
  const fs::path path = merged_file(folder, gather_all(group, std::vector{::getpid()}).front());
  {
    const RawPart part = read_raw(folder, group);
    write_native_together(part.trace, part.samples, part.own, path, group, kBlockCalls);
  }
  std::optional<OwnFile> written;
  if (group.is_first()) written.emplace(path);
  auto file = std::make_unique<const MappedFile>(path);
  true_in_all(group, true);  // all have it
  return file;
}

}  // namespace slackline
