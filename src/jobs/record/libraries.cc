#include "jobs/record/libraries.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "jobs/record/launcher.h"

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

std::string preload_value(const RuntimeLibraries& libraries, bool yield) {
  std::string value = libraries.preload.string();
  if (yield) value += ":" + libraries.yield.string();
  const char* present = std::getenv("LD_PRELOAD");
  if (present != nullptr && *present != '\0') value += std::string(":") + present;
  return value;
}

namespace {

/// What a command of the shell prints.
std::string printed_by(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  char piece[512];
  while (pipe != nullptr && fgets(piece, sizeof piece, pipe.get()) != nullptr) text += piece;
  return text;
}

/// What the loader would load for that program; empty when it is no dynamic executable.
std::string loaded_libraries(const std::string& path) {
  return path.empty() ? path : printed_by(fmt::format("ldd {} 2>/dev/null", shell_word(path)));
}

/// The interpreter that the first line of a script names; else the program itself.
std::string interpreter_of(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  if (!line.starts_with("#!")) return path;
  std::istringstream words(line.substr(2));
  std::string interpreter;
  std::string program;
  words >> interpreter >> program;
  return fs::path(interpreter).filename() == "env" ? find_program(program) : interpreter;
}

/// The library with which mpi4py of that Python calls MPI; empty if it is none, or has none.
std::string mpi4py_of(const std::string& interpreter) {
  if (!fs::path(interpreter).filename().string().starts_with("python")) return {};
  constexpr const char* kProgram =
      "import importlib.util as u; print(u.find_spec('mpi4py.MPI').origin)";
  const std::string printed = printed_by(
      fmt::format("{} -c {} 2>/dev/null", shell_word(interpreter), shell_word(kProgram)));
  return printed.substr(0, printed.find('\n'));
}

std::string mpi_of(const std::string& program) {
  const std::string path = find_program(program);
  if (path.empty()) {
    throw Error(fmt::format("cannot start '{}'", program), "no such program",
                "Check its path, and that it may be executed.");
  }
  std::string libraries = loaded_libraries(path);
  if (libraries.find("libmp") == std::string::npos) {
    libraries = loaded_libraries(mpi4py_of(interpreter_of(path)));
  }
  if (libraries.find("libmpi_abi.so") != std::string::npos) {
    throw Error(fmt::format("cannot simulate '{}'", program),
                "its MPI library has the standard ABI of MPI 5, which can only be recorded",
                "Build it with the mpicc of Open MPI or MPICH.");
  }
  if (libraries.find("libmpich.so") != std::string::npos) return "mpich";
  if (libraries.find("libmpi.so.40") != std::string::npos) return "openmpi";
  throw Error(fmt::format("cannot tell the MPI library of '{}'", program),
              "it is not linked with one that is known",
              "Name the program itself, or say --mpi openmpi or --mpi mpich.");
}

void require(const fs::path& library, const std::string& problem, const char* what_to_do) {
  if (fs::exists(library)) return;
  throw Error(problem, fmt::format("'{}' was not built", library.string()), what_to_do);
}

}  // namespace

std::string online_preload(const std::string& program, std::string_view mpi, bool folds) {
  const std::string found = mpi.empty() ? mpi_of(program) : std::string(mpi);
  const fs::path library = find_runtime_libraries().preload.parent_path() /
                           fmt::format("libslackline_online_{}.so", found);
  require(library, fmt::format("cannot simulate programs of {}", found),
          "Build Slackline where that MPI library is installed.");
  const fs::path fold_library = library.parent_path() / "libslackline_fold.so";
  if (folds) require(fold_library, "cannot fold allocations", "Install Slackline completely.");
  const char* present = std::getenv("LD_PRELOAD");
  const bool others = present != nullptr && *present != '\0';
  const std::string fold = folds ? ":" + fold_library.string() : std::string();
  return library.string() + fold + (others ? std::string(":") + present : std::string());
}

}  // namespace slackline
