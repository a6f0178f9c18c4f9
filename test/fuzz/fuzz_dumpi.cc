// The input is one rank's file, of either form, beside that of another rank.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "check_trace.h"
#include "formats/dumpi/reader.h"
#include "fuzz.h"

namespace {

namespace fs = std::filesystem;

// Removed when the process ends.
struct Folder {
  fs::path path =
      fs::temp_directory_path() / ("slackline_fuzz_dumpi_" + std::to_string(::getpid()));
  Folder() {
    fs::create_directories(path);
    slackline::write_file(
        path / "run-0.txt",
        "MPI_Init entering at walltime 10.000000000, cputime 0.000000000 seconds in thread 0.\n"
        "MPI_Init returning at walltime 10.000000100, cputime 0.000000000 seconds in thread 0.\n"
        "MPI_Comm_dup entering at walltime 10.000000200, cputime 0.000000000 seconds in thread 0.\n"
        "MPI_Comm oldcomm=2 (MPI_COMM_WORLD)\nMPI_Comm newcomm=4 (user-defined-comm)\n"
        "MPI_Comm_dup returning at walltime 10.000000300, cputime 0.000000000 seconds in thread "
        "0.\n");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  slackline::write_file(folder.path / "run-1.txt",
                        std::string_view(reinterpret_cast<const char*>(data), size));
  try {
    slackline::fuzz::check_trace(slackline::read_dumpi(folder.path));
  } catch (const slackline::Error&) {
  }
  return 0;
}
