#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "analysis/model/platform_report.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "sim/platform/read_platform.h"

namespace slackline {
namespace {

struct ShowPlatformOptions {
  std::string action;
  std::string file;
  std::vector<std::string> route;
  std::size_t rows = 20;
  OutputOptions output;
};

HostId host_named(const Platform& platform, const std::string& name) {
  if (const auto host = platform.find_host(name)) return *host;
  throw Error(fmt::format("unknown host '{}'", name), "the platform has none of that name",
              fmt::format("Take its names, like '{}'.", platform.host_name(0)));
}

int run_platform(const ShowPlatformOptions& options) {
  Findings findings;
  const Platform platform = read_platform(options.file, findings);
  Report report = describe(platform, options.rows);
  if (!options.route.empty()) {
    add_route(report, platform,
              find_route(platform, host_named(platform, options.route[0]),
                         host_named(platform, options.route[1])));
  }
  report.command = "platform";
  report.title = fmt::format("platform: {}", options.file);
  report.options = {{"action", options.action}, {"rows", options.rows}, {"route", options.route}};
  report.input = {{"path", options.file}};
  report.findings.merge(findings);
  write_report(report, options.output);
  return 0;
}

}  // namespace

Run setup_platform(CommandParser& parser) {
  auto options = std::make_shared<ShowPlatformOptions>();
  parser.add_option("action", options->action, "What to do: show")
      ->type_name("ACTION")
      ->required()
      ->one_of({"show"});
  parser.add_option("file", options->file, "A platform: SimGrid's XML, or TOML")
      ->type_name("FILE")
      ->required();
  parser
      .add_option("--route", options->route,
                  "Two hosts: the links, latency and bandwidth between them")
      ->type_name("HOST")
      ->expected(2);
  parser.add_option("--rows", options->rows, "Most rows of each list")
      ->type_name("N")
      ->capture_default_str();
  add_output_options(parser, options->output);
  examples(parser, {"slackline platform show cluster.xml",
                    "slackline platform show fat-tree.toml --route node-0 node-17"});
  return [options] { return run_platform(*options); };
}

}  // namespace slackline
