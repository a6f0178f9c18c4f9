#include "jobs/inject/inject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "jobs/record/libraries.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

fs::path find_library() {
  fs::path library = find_runtime_libraries().preload.parent_path() / "libslackline_inject.so";
  std::error_code ignored;
  if (fs::exists(library, ignored)) return library;
  throw Error("cannot inject",
              "this Slackline was built where neither UCX's nor libfabric's headers were installed",
              "Install them (Debian: libucx-dev, libfabric-dev) and build again.");
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
    : launcher_(find_launcher(command, mpi)), switched_(!chooses_libfabric(command)) {
  const fs::path library = find_library();
  folder_ = make_folder();
  // These do not say which MPI they start; Open MPI's variables do no harm to the other.
  const LauncherKind kind =
      launcher_.kind == LauncherKind::own_environment ? LauncherKind::open_mpi : launcher_.kind;
  variables_ = injection_environment(injection, kind, library, folder_, switched_);
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
    return "the ranks communicate neither through UCX nor libfabric, or through transports that "
           "were not to be delayed";
  }
  if (counts.delayed_ranks < counts.ranks) {
    return fmt::format("in {} of {} ranks, messages took another way than UCX and libfabric",
                       counts.ranks - counts.delayed_ranks, counts.ranks);
  }
  if (counts.sent == 0 && counts.ranks > 1) {
    return "no message went through the transports that are delayed";
  }
  return {};
}

namespace {

constexpr double kFemtosPerSecond = 1e15;

double bytes_per_second(const Injection& injection) {
  return injection.gap_fs_per_byte == 0
             ? 0
             : kFemtosPerSecond / static_cast<double>(injection.gap_fs_per_byte);
}

constexpr std::uint64_t kHeader = 64;  // of each message of libfabric, at most

std::string link_value(const Injection& injection) {
  return fmt::format("{},{:.0f},{}", injection.latency_ns, bytes_per_second(injection),
                     injection.jitter_ns);
}

std::string preloaded(const std::filesystem::path& library) {
  const char* present = std::getenv("LD_PRELOAD");
  if (present == nullptr || *present == '\0') return library.string();
  if (std::string_view(present).starts_with(library.string())) return present;
  return library.string() + ":" + present;
}

}  // namespace

std::string describe_injection(const Injection& injection) {
  std::vector<std::string> parts;
  if (injection.latency_ns > 0) {
    parts.push_back(format_time_ns(static_cast<double>(injection.latency_ns)));
  }
  if (injection.gap_fs_per_byte > 0) {
    parts.push_back(format_bytes(bytes_per_second(injection)) + "/s");
  }
  if (injection.jitter_ns > 0) {
    parts.push_back("up to " + format_time_ns(static_cast<double>(injection.jitter_ns)) +
                    " of jitter");
  }
  return parts.empty() ? "a latency of 0" : fmt::format("{}", fmt::join(parts, " and "));
}

bool chooses_libfabric(const std::vector<std::string>& command) {
  const std::array<std::pair<std::string, std::string>, 2> choices{{{"pml", "cm"}, {"mtl", "ofi"}}};
  return std::ranges::any_of(choices, [&command](const auto& choice) {
    const auto& [framework, component] = choice;
    const std::string variable = "OMPI_MCA_" + framework;
    const char* set = std::getenv(variable.c_str());
    const std::array words{framework, component};
    return (set != nullptr && set == component) || !std::ranges::search(command, words).empty() ||
           std::ranges::find(command, variable + "=" + component) != command.end();
  });
}

Environment injection_environment(const Injection& injection, LauncherKind launcher,
                                  const std::filesystem::path& library,
                                  const std::filesystem::path& counts, bool switched) {
  Environment variables{
      {"LD_PRELOAD", preloaded(library)},
      {"SLACKLINE_INJECT_DIR", counts.string()},
      {"SLACKLINE_INJECT_EAGER", std::to_string(injection.eager_limit)},
      {"UCX_TLS", injection.transports},
      {"UCX_RNDV_THRESH", std::to_string(injection.eager_limit + 1)},
      {"FI_OFI_RXM_BUFFER_SIZE", std::to_string(injection.eager_limit + kHeader)}};
  if (injection.pairs != InjectedPairs::between_hosts) {
    variables.emplace_back("SLACKLINE_INJECT_INTRA", link_value(injection));
  }
  if (injection.pairs != InjectedPairs::within_hosts) {
    variables.emplace_back("SLACKLINE_INJECT_INTER", link_value(injection));
  }
  if (launcher == LauncherKind::open_mpi && switched) {
    variables.insert(variables.end(), {{"OMPI_MCA_pml", "ucx"},
                                       {"OMPI_MCA_pml_ucx_tls", "any"},
                                       {"OMPI_MCA_pml_ucx_devices", "any"},
                                       {"OMPI_MCA_osc", "^ucx"}});
  }
  return variables;
}

namespace {

void add_transport(std::istream& in, std::vector<TransportCounts>& transports) {
  TransportCounts t;
  in >> t.name >> t.device >> t.eager >> t.eager_bytes >> t.rendezvous >> t.rendezvous_bytes;
  const auto known = std::ranges::find_if(transports, [&t](const TransportCounts& other) {
    return other.name == t.name && other.device == t.device;
  });
  if (known == transports.end()) {
    transports.push_back(t);
    return;
  }
  known->eager += t.eager;
  known->eager_bytes += t.eager_bytes;
  known->rendezvous += t.rendezvous;
  known->rendezvous_bytes += t.rendezvous_bytes;
}

void add_file(const fs::path& path, InjectionCounts& counts) {
  std::ifstream in(path);
  const std::array<std::pair<std::string_view, std::uint64_t*>, 6> sums{{
      {"sent", &counts.sent},
      {"delayed", &counts.delayed},
      {"late", &counts.late},
      {"late_ns", &counts.late_ns},
      {"foreign", &counts.foreign},
      {"not_one_sided", &counts.not_one_sided},
  }};
  ++counts.ranks;
  for (std::string name; in >> name;) {
    if (name == "obstacle") {
      std::getline(in >> std::ws, counts.obstacle);
      continue;
    }
    if (name == "transport") {
      add_transport(in, counts.transports);
      continue;
    }
    std::uint64_t value = 0;
    if (!(in >> value)) return;
    if (name == "interfaces" && value > 0) ++counts.delayed_ranks;
    for (const auto& [known, sum] : sums) {
      if (name == known) *sum += value;
    }
  }
}

}  // namespace

InjectionCounts read_counts(const fs::path& folder) {
  InjectionCounts counts;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".counts") add_file(entry.path(), counts);
  }
  return counts;
}

}  // namespace slackline
