#include "jobs/inject/inject.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.h"
#include "jobs/record/libraries.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

fs::path find_library() {
  fs::path library = find_runtime_libraries().preload.parent_path() / "libslackline_inject.so";
  std::error_code ignored;
  if (fs::exists(library, ignored)) return library;
  throw Error("cannot inject", "this Slackline was built where UCX's headers were not installed",
              "Install them (Debian: libucx-dev) and build again.");
}

/// A new folder that all hosts see if they share the working directory.
fs::path make_folder() {
  for (const fs::path& where : {fs::current_path(), fs::temp_directory_path()}) {
    std::string name = (where / ".slackline-inject-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) return name;
  }
  throw Error("cannot inject", "no folder can be made for the counts of the ranks: " + errno_text(),
              "Run it where you may write.");
}

}  // namespace

InjectedCommand::InjectedCommand(const std::vector<std::string>& command, const std::string& mpi,
                                 const Injection& injection)
    : launcher_(find_launcher(command, mpi)) {
  const fs::path library = find_library();
  folder_ = make_folder();
  // These do not say which MPI they start; Open MPI's variables do no harm to the other.
  const LauncherKind kind =
      launcher_.kind == LauncherKind::own_environment ? LauncherKind::open_mpi : launcher_.kind;
  variables_ = injection_environment(injection, kind, library, folder_);
  plan_ = plan_launch(command, launcher_, variables_);
}

InjectedCommand::~InjectedCommand() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

InjectionCounts InjectedCommand::counts() const {
  return read_counts(folder_);
}

std::string why_not_injected(const InjectionCounts& counts) {
  if (!counts.obstacle.empty()) return counts.obstacle;
  if (counts.ranks == 0) {
    return "no rank was seen with the library loaded; the program is linked statically to MPI, its "
           "MPI is neither Open MPI nor MPICH, or the job overwrites LD_PRELOAD";
  }
  if (counts.delayed_ranks == 0) {
    return "the ranks do not communicate through UCX, or through transports that were not to be "
           "delayed";
  }
  if (counts.delayed_ranks < counts.ranks) {
    return fmt::format("in {} of {} ranks, messages took another way than UCX",
                       counts.ranks - counts.delayed_ranks, counts.ranks);
  }
  if (counts.sent == 0 && counts.ranks > 1) {
    return "no message went through the transports that are delayed";
  }
  return {};
}

}  // namespace slackline
