#include "app/requests/platform.h"

#include <fmt/format.h>

#include "analysis/model/platform_report.h"
#include "app/options/option_list.h"
#include "app/requests/schemas.h"
#include "base/error.h"
#include "report/report.h"
#include "sim/platform/read_platform.h"

namespace slackline {
namespace {

HostId host_named(const Platform& platform, const std::string& name) {
  if (const auto host = platform.find_host(name)) return *host;
  throw Error(fmt::format("unknown host '{}'", name), "the platform has no host of that name",
              fmt::format("Use names of its hosts, such as '{}'.", platform.host_name(0)));
}

auto platform_report(const PlatformRequest& request, Described<PlatformSummaryJson> described,
                     const std::optional<RouteJson>& route) {
  return typed_report(
      "platform", fmt::format("platform: {}", request.file),
      Object{"action"_key = request.action, "rows"_key = request.rows, "route"_key = request.route},
      Object{"path"_key = request.file}, std::move(described).with("route"_key.when(route)));
}
using PlatformReports = CommandReports<ReturnedBy<platform_report>>;

}  // namespace

void declare(OptionList& options, PlatformRequest& request) {
  options.add("action ACTION", request.action, "Action: show",
              {.choices = {"show"}, .required = true});
  options.add("file FILE", request.file, "Platform file: SimGrid XML or TOML", {.required = true});
  options.add("--route HOST", request.route,
              "Show the links, latency and bandwidth between two hosts", {.value_count = 2});
  options.add("--rows N", request.rows, "Maximum number of rows per list");
}

Report execute(const PlatformRequest& request) {
  if (!request.route.empty() && request.route.size() != 2) {
    throw usage_error("cannot show the route", "two hosts are needed", "Name the two hosts.");
  }
  Findings findings;
  const Platform platform = read_platform(request.file, findings);
  auto described = describe(platform, request.rows);
  std::optional<RouteJson> route;
  if (!request.route.empty()) {
    route = add_route(described.sections, platform,
                      find_route(platform, host_named(platform, request.route[0]),
                                 host_named(platform, request.route[1])));
  }
  described.findings = std::move(findings);
  return PlatformReports::untyped(platform_report(request, std::move(described), route));
}

CommandSchema platform_schema() {
  return PlatformReports::schema();
}

}  // namespace slackline
