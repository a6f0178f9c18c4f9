#include "app/requests/platform.h"

#include <fmt/format.h>

#include "analysis/model/platform_report.h"
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

}  // namespace

Report execute(const PlatformRequest& request) {
  if (!request.route.empty() && request.route.size() != 2) {
    throw usage_error("cannot show the route", "two hosts are needed", "Name the two hosts.");
  }
  Findings findings;
  const Platform platform = read_platform(request.file, findings);
  Report report = describe(platform, request.rows);
  if (!request.route.empty()) {
    add_route(report, platform,
              find_route(platform, host_named(platform, request.route[0]),
                         host_named(platform, request.route[1])));
  }
  report.command = "platform";
  report.title = fmt::format("platform: {}", request.file);
  report.options = {{"action", request.action}, {"rows", request.rows}, {"route", request.route}};
  report.input = {{"path", request.file}};
  report.findings.merge(findings);
  return report;
}

}  // namespace slackline
