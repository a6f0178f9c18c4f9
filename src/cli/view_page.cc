#include "cli/view_page.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "app/requests/query.h"
#include "base/error.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/output_target.h"
#include "base/units.h"
#include "cli/browser.h"
#include "cli/page_server.h"
#include "formats/sqlite/query.h"

namespace slackline {
namespace {

// The answer to a statement of SQL, and what SQLite may take meanwhile, as for sorting.
constexpr std::size_t kMostRows = 10'000;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kMostWorkingBytes = std::size_t{1} << 30;

constexpr auto kShortestIdle = std::chrono::seconds(1);

/// A new folder that only this user can read: a trace may tell what others must not know.
std::filesystem::path private_folder() {
  std::string folder = (std::filesystem::temp_directory_path() / "slackline-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    throw Error("cannot create a folder for the HTML report", errno_text(),
                "Choose a file with --output.");
  }
  return folder;
}

/// A file that leads this user's browser to an address, as long as it lives. Every user of the host
/// can read the arguments of the browser's process, so they must not have the address in them.
class Redirection {
 public:
  explicit Redirection(const std::string& address) {
    namespace fs = std::filesystem;
    write_file(file(), fmt::format("<!doctype html>\n<meta charset=\"utf-8\">\n"
                                   "<title>Slackline</title>\n"
                                   "<meta http-equiv=\"refresh\" content=\"0;url={0}\">\n"
                                   "<a href=\"{0}\">Open the page</a>\n",
                                   address));
    fs::permissions(file(), fs::perms::owner_read | fs::perms::owner_write);
  }
  ~Redirection() {
    std::error_code gone;
    std::filesystem::remove_all(folder_, gone);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

  std::string file() const { return (folder_ / "open.html").string(); }

 private:
  std::filesystem::path folder_ = private_folder();
  TemporaryGuard guard_{folder_};
};

std::chrono::nanoseconds idle_time(const std::string& text) {
  const std::chrono::nanoseconds idle(parse_time_ns(text, "--idle"));
  if (idle < kShortestIdle) {
    throw usage_error(fmt::format("cannot use '{}' as --idle", text), "it is shorter than 1s",
                      "Use 1s or more.");
  }
  return idle;
}

void check_output(const ReportCommand<ReportRequest>& command, const ViewOptions& view) {
  const OutputOptions& output = command.output;
  if (output.format != "html") {
    throw usage_error("only HTML reports can be opened",
                      "--format " + output.format + " is not HTML",
                      "Use 'slackline report' for other formats.");
  }
  if (view.serve && !output.file.empty()) {
    throw usage_error("cannot serve a page that is a file",
                      "--serve and --output exclude each other", "Choose one of them.");
  }
  if (view.serve && !command.request.other.empty()) {
    throw usage_error("cannot serve the differences between two runs", "--serve takes one trace",
                      "Leave out --serve, or the second trace.");
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

/// A page that is served. The server starts before there is a page, so that its address is known
/// while the trace is still being analysed.
class ServedReport {
 public:
  explicit ServedReport(const ViewOptions& view) : view_(view), idle_(idle_time(view.idle)) {}
  ~ServedReport() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }
  ServedReport(const ServedReport&) = delete;
  ServedReport& operator=(const ServedReport&) = delete;

  bool started() const { return server_.has_value(); }

  /// Once. Throws Error where no port is to be had.
  void start() {
    server_.emplace();
    thread_ = std::thread([this] { server_->run(idle_); });
    if (!view_.no_open) redirection_.emplace(server_->address());
    const std::optional<std::string> browser =
        redirection_ ? open_in_browser(redirection_->file()) : std::nullopt;
    write_stdout(
        fmt::format("Serving {}{}\nEnds with Ctrl+C, or {} after the page has been closed.\n",
                    server_->address(), browser ? " to " + *browser : "", view_.idle));
  }

  /// Until the page has not been looked at for some time.
  void serve(const Report& report, const ReadingOptions& reading) {
    if (!started()) start();
    TraceQueries queries({.trace = report.input["path"].as_string(), .reading = reading});
    server_->show({write_served_page(report), queries.tables(),
                   [&](const std::string& sql, const StopReason& stop) {
                     return queries.answer(sql, {kMostRows, kMostBytes, kMostWorkingBytes, stop});
                   }});
    thread_.join();
  }

 private:
  const ViewOptions& view_;
  std::chrono::nanoseconds idle_;
  std::optional<PageServer> server_;
  std::optional<Redirection> redirection_;
  std::thread thread_;
};

/// `output` names a file, or nothing: a temporary one. Gives the exit status.
int write_and_open(const Report& report, OutputOptions output, const ViewOptions& view) {
  if (output.file.empty()) output.file = (private_folder() / "report.html").string();
  const bool quiet = std::exchange(output.quiet, true);
  const int status = write_report(report, output);
  const std::optional<std::string> browser =
      view.no_open ? std::nullopt
                   : open_in_browser(std::filesystem::absolute(output.file).string());
  if (browser && quiet) return status;
  write_stdout(browser ? fmt::format("Opened {} with {}\n", output.file, *browser)
               : view.no_open
                   ? fmt::format("{}\n", output.file)
                   : fmt::format("No browser found; the HTML report is {}\n", output.file));
  return status;
}

}  // namespace

void declare(OptionList& options, ViewOptions& view) {
  options.add(
      "--serve", view.serve,
      "Serve the page to the browser of this computer instead of writing a file: every call "
      "of a trace of any size to the nanosecond, and SQL (default beyond 300,000 calls, "
      "where there is a browser)");
  options.add("--idle TIME", view.idle,
              "Stop serving a page after this time without a request, 1s or more",
              {.example = "10min"});
}

int view_page(ReportCommand<ReportRequest>& command, const ViewOptions& view) {
  if (command.output.format.empty()) command.output.format = "html";
  check_output(command, view);
  ServedReport served(view);
  const bool servable = may_serve(command, view);
  command.request.every_call = servable;
  const ReadingOptions reading = command.request.input.reading;
  if (view.serve) served.start();
  if (servable) {
    command.request.input.reading.calls_known = [&](std::uint64_t calls) {
      if (!served.started() && !fits_in_a_file(calls)) served.start();
    };
  }
  return report_on(command, [&](const Report& report, const OutputOptions& output) {
    if (!served.started() && (!servable || fits_in_a_file(report))) {
      return write_and_open(report, output, view);
    }
    served.serve(report, reading);
    return exit_status_of(report, output);
  });
}

}  // namespace slackline
