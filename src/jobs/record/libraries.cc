#include "jobs/record/libraries.h"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "base/error.h"

namespace slackline {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> candidates() {
  std::vector<fs::path> folders;
  if (const char* given = std::getenv("SLACKLINE_LIB")) folders.emplace_back(given);
  std::error_code ignored;
  const fs::path binary = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  folders.push_back(binary / "lib" / "slackline");
  folders.push_back(binary.parent_path() / "lib" / "slackline");
  return folders;
}

void check_name(const fs::path& path) {
  if (path.string().find_first_of(" :") == std::string::npos) return;
  throw Error(fmt::format("cannot preload '{}'", path.string()),
              "LD_PRELOAD cannot contain a path with a space or a colon",
              "Install Slackline elsewhere, or set SLACKLINE_LIB to a copy of that folder.");
}

}  // namespace

RuntimeLibraries find_runtime_libraries() {
  std::error_code ignored;
  for (const fs::path& folder : candidates()) {
    const fs::path preload = fs::absolute(folder / "libslackline_preload.so");
    if (!fs::exists(preload, ignored)) continue;
    check_name(preload);
    return {preload, preload.parent_path() / "libslackline_yield.so"};
  }
  throw Error("cannot record", "the recorder's libraries were not found",
              "Set SLACKLINE_LIB to the folder of libslackline_preload.so.");
}

bool has_recorder(const RuntimeLibraries& libraries, std::string_view mpi) {
  std::error_code ignored;
  return fs::exists(libraries.preload.parent_path() / fmt::format("libslackline_record_{}.so", mpi),
                    ignored);
}

std::string preload_value(const RuntimeLibraries& libraries, bool yield) {
  std::string value = libraries.preload.string();
  if (yield) value += ":" + libraries.yield.string();
  const char* present = std::getenv("LD_PRELOAD");
  if (present != nullptr && *present != '\0') value += std::string(":") + present;
  return value;
}

}  // namespace slackline
