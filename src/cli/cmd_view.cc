#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "app/requests/report.h"
#include "base/error.h"
#include "base/output_target.h"
#include "cli/browser.h"
#include "cli/report_command.h"

namespace slackline {
namespace {

struct ViewOptions {
  ReportCommand<ReportRequest> report{};
  bool no_open = false;
};

/// A file in a new folder that only this user can read: a trace may tell what others must not know.
std::filesystem::path temporary_page() {
  std::string folder = (std::filesystem::temp_directory_path() / "slackline-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    throw Error("cannot create a folder for the HTML report", errno_text(),
                "Choose a file with --output.");
  }
  return std::filesystem::path(folder) / "report.html";
}

int run_view(ViewOptions options) {
  OutputOptions& output = options.report.output;
  if (output.file.empty()) output.file = temporary_page().string();
  if (output.format.empty()) output.format = "html";
  if (output.format != "html") {
    throw usage_error("'view' opens HTML reports only",
                      "--format " + output.format + " is not HTML",
                      "Use 'slackline report' for other formats.");
  }
  if (OutputTarget(output.file).is_stream()) {
    throw usage_error(fmt::format("cannot open '{}'", output.file), "a browser opens files",
                      "Name a file with --output.");
  }
  const bool quiet = output.quiet;
  output.quiet = true;
  const int status = report_on(options.report);
  const std::optional<std::string> browser =
      options.no_open ? std::nullopt : open_in_browser(std::filesystem::absolute(output.file));
  if (browser && quiet) return status;
  write_stdout(browser ? fmt::format("Opened {} with {}\n", output.file, *browser)
               : options.no_open
                   ? fmt::format("{}\n", output.file)
                   : fmt::format("No browser found; the HTML report is {}\n", output.file));
  return status;
}

}  // namespace

Run setup_view(OptionList& options) {
  auto wanted = std::make_shared<ViewOptions>();
  declare(options, wanted->report.request);
  declare(options, wanted->report.output);
  options.add("--no-open", wanted->no_open,
              "Write the HTML report and print its path without opening it");
  return [wanted] { return run_view(*wanted); };
}

}  // namespace slackline
