// The input is one rank's raw file in an otherwise empty recording.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "check_trace.h"
#include "fuzz.h"
#include "trace/readers/raw/reader.h"

namespace {

namespace fs = std::filesystem;

// Removed when the process ends.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("slackline_fuzz_raw_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path / "raw"); }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  slackline::write_file(folder.path / "raw" / SLACKLINE_FUZZ_RAW_NAME,
                        std::string_view(reinterpret_cast<const char*>(data), size));
  try {
    slackline::fuzz::check_trace(slackline::read_raw(folder.path));
  } catch (const slackline::Error&) {
  }
  return 0;
}
