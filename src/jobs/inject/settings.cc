#include "jobs/inject/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace slackline {
namespace {

constexpr double kFemtosPerSecond = 1e15;

double bytes_per_second(const Injection& injection) {
  return injection.gap_fs_per_byte == 0
             ? 0
             : kFemtosPerSecond / static_cast<double>(injection.gap_fs_per_byte);
}

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

Environment injection_environment(const Injection& injection, LauncherKind launcher,
                                  const std::filesystem::path& library,
                                  const std::filesystem::path& counts) {
  Environment variables{{"LD_PRELOAD", preloaded(library)},
                        {"SLACKLINE_INJECT_DIR", counts.string()},
                        {"UCX_TLS", injection.transports},
                        {"UCX_RNDV_THRESH", std::to_string(injection.eager_limit + 1)}};
  if (injection.pairs != InjectedPairs::between_hosts) {
    variables.emplace_back("SLACKLINE_INJECT_INTRA", link_value(injection));
  }
  if (injection.pairs != InjectedPairs::within_hosts) {
    variables.emplace_back("SLACKLINE_INJECT_INTER", link_value(injection));
  }
  if (launcher == LauncherKind::open_mpi) {
    variables.insert(variables.end(), {{"OMPI_MCA_pml", "ucx"},
                                       {"OMPI_MCA_pml_ucx_tls", "any"},
                                       {"OMPI_MCA_pml_ucx_devices", "any"},
                                       {"OMPI_MCA_osc", "^ucx"}});
  }
  return variables;
}

}  // namespace slackline
