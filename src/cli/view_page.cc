#include "cli/view_page.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "app/requests/query.h"
#include "base/error.h"
#include "base/output_target.h"
#include "base/units.h"
#include "cli/browser.h"
#include "cli/page_server.h"

namespace slackline {
namespace {

constexpr std::size_t kMostRows = 10'000;  // of a statement of SQL

/// A file in a new folder that only this user can read: a trace may tell what others must not know.
std::filesystem::path temporary_page() {
  std::string folder = (std::filesystem::temp_directory_path() / "slackline-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    throw Error("cannot create a folder for the HTML report", errno_text(),
                "Choose a file with --output.");
  }
  return std::filesystem::path(folder) / "report.html";
}

std::chrono::seconds idle_time(const std::string& text) {
  constexpr std::int64_t kFemtosPerSecond = 1'000'000'000'000'000;
  return std::chrono::seconds(parse_time_fs(text, "--idle") / kFemtosPerSecond);
}

void check_output(const OutputOptions& output, const ViewOptions& view) {
  if (output.format != "html") {
    throw usage_error("only HTML reports can be opened",
                      "--format " + output.format + " is not HTML",
                      "Use 'slackline report' for other formats.");
  }
  if (view.serve && !output.file.empty()) {
    throw usage_error("cannot serve a page that is a file",
                      "--serve and --output exclude each other", "Choose one of them.");
  }
  if (!output.file.empty() && OutputTarget(output.file).is_stream()) {
    throw usage_error(fmt::format("cannot open '{}'", output.file), "a browser opens files",
                      "Name a file with --output.");
  }
}

/// Whether the report is better served than written, if that is needed at all.
bool may_serve(const ReportCommand<ReportRequest>& command, const ViewOptions& view) {
  if (!command.output.file.empty() || !command.request.other.empty()) return false;
  return view.serve || (!view.no_open && !browser_commands(browser_environment(), "").empty());
}

int serve(const Report& report, const ReportCommand<ReportRequest>& command,
          const ViewOptions& view) {
  TraceQueries queries(
      {.trace = command.request.input.trace, .reading = command.request.input.reading});
  PageServer server(write_served_page(report),
                    [&](const std::string& sql) { return queries.answer(sql, kMostRows); });
  const std::optional<std::string> browser =
      view.no_open ? std::nullopt : open_in_browser(server.address());
  write_stdout(
      fmt::format("Serving {}{}\nEnds with Ctrl+C, or {} after the page has been closed.\n",
                  server.address(), browser ? " to " + *browser : "", view.idle));
  server.run(idle_time(view.idle));
  return 0;
}

}  // namespace

void declare(OptionList& options, ViewOptions& view) {
  options.add(
      "--serve", view.serve,
      "Serve the page to the browser of this computer instead of writing a file: every call "
      "of a trace of any size to the nanosecond, and SQL (default beyond 300,000 calls, "
      "where there is a browser)");
  options.add("--idle TIME", view.idle, "Stop serving a page after this time without a request",
              {.example = "10min"});
}

int view_page(ReportCommand<ReportRequest>& command, const ViewOptions& view) {
  OutputOptions& output = command.output;
  if (output.format.empty()) output.format = "html";
  check_output(output, view);
  idle_time(view.idle);
  const bool quiet = output.quiet;
  output.quiet = true;
  if (may_serve(command, view)) {
    command.request.every_call = true;
    set_by_output(command.request, output);
    const Report report = execute(command.request);
    if (view.serve || !fits_in_a_file(report)) return serve(report, command, view);
    output.file = temporary_page().string();
    write_report(report, output);
  } else {
    if (output.file.empty()) output.file = temporary_page().string();
    const int status = report_on(command);
    if (status != 0) return status;
  }
  const std::optional<std::string> browser =
      view.no_open ? std::nullopt
                   : open_in_browser(std::filesystem::absolute(output.file).string());
  if (browser && quiet) return 0;
  write_stdout(browser ? fmt::format("Opened {} with {}\n", output.file, *browser)
               : view.no_open
                   ? fmt::format("{}\n", output.file)
                   : fmt::format("No browser found; the HTML report is {}\n", output.file));
  return 0;
}

}  // namespace slackline
