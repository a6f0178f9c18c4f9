#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/output.h"

// `slackline demo` is what a newcomer types first. It runs the same commands as anybody would, and
// shows them: record the stencil example, then report on it.

namespace slackline {
namespace {

namespace fs = std::filesystem;

struct DemoOptions {
  std::string folder = "slackline-demo";
  int ranks = 4;
  bool recorded = false;
};

struct Mpi {
  std::string_view name;
  std::string_view launcher;
};
constexpr std::array kMpis{Mpi{"openmpi", "mpirun.openmpi"}, Mpi{"mpich", "mpirun.mpich"}};

/// What comes with the binary lies in lib/slackline, beside it (build tree) or beside bin/.
std::optional<fs::path> shipped(const fs::path& name) {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& root : {folder, folder.parent_path()}) {
    if (const fs::path path = root / "lib/slackline/demo" / name; fs::exists(path)) return path;
  }
  return std::nullopt;
}

bool in_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (::access((fs::path(rest.substr(0, colon)) / program).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return false;
}

/// Open MPI refuses more ranks than cores, and root (whom containers run as), unless told. A
/// demonstration on a laptop or in a container is both; the user's own settings win.
void allow_small_machines() {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"}) {
    ::setenv(name, "1", 0);
  }
}

/// Runs a command as if typed, after showing it.
int type(const std::vector<std::string>& arguments) {
  write_stdout(fmt::format("\n$ slackline {}\n", fmt::join(arguments, " ")));
  return run_command_line(arguments);
}

/// The trace of a run made here, or nullopt when no MPI is here.
std::optional<fs::path> record_example(const DemoOptions& options) {
  for (const Mpi& mpi : kMpis) {
    const auto example = shipped(fs::path(mpi.name) / "stencil2d");
    if (!example || !in_path(mpi.launcher)) continue;
    allow_small_machines();
    const fs::path trace = fs::path(options.folder) / "stencil2d.slk";
    const int status = type({"record", "--yield", "-o", trace, "--", std::string(mpi.launcher),
                             "-n", std::to_string(options.ranks), *example});
    if (status == 0) return trace;
    throw Error("cannot record the example", fmt::format("exit status {}", status),
                "See the messages above, or use 'slackline demo --recorded'.");
  }
  return std::nullopt;
}

fs::path shipped_trace() {
  const auto trace = shipped("stencil2d.slk");
  if (trace) return *trace;
  throw Error("cannot show the demonstration",
              "neither an MPI library nor the recorded example was found",
              "Install Open MPI or MPICH and build again.");
}

fs::path trace_to_show(const DemoOptions& options) {
  if (!options.recorded) {
    if (const auto trace = record_example(options)) return *trace;
    write_stdout("No MPI library found: showing a run recorded on another machine.\n");
  }
  return shipped_trace();
}

int demo(const DemoOptions& options) {
  fs::create_directories(options.folder);
  const fs::path trace = trace_to_show(options);
  const fs::path page = fs::path(options.folder) / "report.html";
  if (const int status = type({"report", trace}); status != 0) return status;
  if (const int status = type({"report", "--output", page, trace}); status != 0) return status;
  write_stdout(fmt::format("\nOpen it in a browser: {}\n", fs::absolute(page).string()));
  return 0;
}

}  // namespace

Run setup_demo(CommandParser& parser) {
  auto options = std::make_shared<DemoOptions>();
  parser.add_option("-o,--output", options->folder, "Folder for the trace and the HTML report")
      ->type_name("DIR")
      ->capture_default_str();
  parser.add_option("-n,--ranks", options->ranks, "Number of ranks of the example")
      ->in_range(1, 64)
      ->capture_default_str();
  parser.add_flag("--recorded", options->recorded, "Use the recorded run shipped with Slackline");
  examples(parser, {"slackline demo", "slackline demo -n 8 -o /tmp/demo"});
  return [options] { return demo(*options); };
}

}  // namespace slackline
