// The input is one rank's file beside that of another rank.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "check_trace.h"
#include "formats/liballprof/reader.h"
#include "fuzz.h"

namespace {

namespace fs = std::filesystem;

// Removed when the process ends.
struct Folder {
  fs::path path =
      fs::temp_directory_path() / ("slackline_fuzz_allprof_" + std::to_string(::getpid()));
  Folder() {
    fs::create_directories(path);
    slackline::write_file(path / "pmpi-trace-rank-0.txt",
                          "# collprof 0.9 output file\n# Init clockdiff: 0\n\nMPI_Init:-:1:2:5\n"
                          "MPI_Send:6:9:1:1,4,4:1:7:0,0,2:8\nMPI_Barrier:9:5,0,2:11\n");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  slackline::write_file(folder.path / "pmpi-trace-rank-1.txt",
                        std::string_view(reinterpret_cast<const char*>(data), size));
  try {
    slackline::fuzz::check_trace(slackline::read_liballprof(folder.path));
  } catch (const slackline::Error&) {
  }
  return 0;
}
