#include "jobs/online/online_library.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/shell_command.h"
#include "jobs/record/launcher.h"
#include "jobs/record/libraries.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

/// What the loader would load for that program; empty when it is no dynamic executable.
std::string loaded_libraries(const std::string& path) {
  const std::string command = fmt::format("ldd {} 2>/dev/null", shell_word(path));
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  char piece[512];
  while (pipe != nullptr && fgets(piece, sizeof piece, pipe.get()) != nullptr) text += piece;
  return text;
}

std::string mpi_of(const std::string& program) {
  const std::string path = find_program(program);
  const std::string libraries = path.empty() ? std::string() : loaded_libraries(path);
  if (libraries.find("libmpich.so") != std::string::npos) return "mpich";
  if (libraries.find("libmpi.so.40") != std::string::npos) return "openmpi";
  throw Error(fmt::format("cannot tell the MPI library of '{}'", program),
              "it is not linked with one that is known",
              "Name the program itself, or say --mpi openmpi or --mpi mpich.");
}

}  // namespace

std::string online_preload(const std::string& program, std::string_view mpi, bool folds) {
  const std::string found = mpi.empty() ? mpi_of(program) : std::string(mpi);
  const fs::path library = find_runtime_libraries().preload.parent_path() /
                           fmt::format("libslackline_online_{}.so", found);
  if (!fs::exists(library)) {
    throw Error(fmt::format("cannot simulate programs of {}", found),
                fmt::format("'{}' was not built", library.string()),
                "Build Slackline where that MPI library is installed.");
  }
  const char* present = std::getenv("LD_PRELOAD");
  const bool others = present != nullptr && *present != '\0';
  const std::string fold =
      folds ? ":" + (library.parent_path() / "libslackline_fold.so").string() : std::string();
  return library.string() + fold + (others ? std::string(":") + present : std::string());
}

}  // namespace slackline
