#include "cli/output.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/output_place.h"
#include "base/progress.h"
#include "parallel/launched_process.h"
#include "report/unicode.h"
#include "report/writers.h"

namespace slackline {
namespace {

struct FormatName {
  std::string_view name;
  OutputFormat format;
  std::string_view extension;
};
constexpr std::array kFormats{FormatName{"text", OutputFormat::text, ".txt"},
                              FormatName{"json", OutputFormat::json, ".json"},
                              FormatName{"csv", OutputFormat::csv, ".csv"},
                              FormatName{"html", OutputFormat::html, ".html"},
                              FormatName{"markdown", OutputFormat::markdown, ".md"},
                              FormatName{"junit", OutputFormat::junit, ".xml"}};

constexpr int kFailedCheck = 3;  // exit status; 1 is a failure of the command, 2 a wrong use
constexpr const char* kOutput = "Output";  // the heading in --help

bool to_stdout(const OutputOptions& options) {
  return options.file.empty() || is_standard_output(options.file);
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

/// Launchers collect what their processes print, some by way of a terminal of their own.
bool on_terminal(const OutputOptions& options) {
  return to_stdout(options) && launched_process().size == 1 && isatty(STDOUT_FILENO) == 1;
}

/// https://no-color.org: any non-empty value of NO_COLOR means no.
bool use_colour(const OutputOptions& options) {
  if (options.colour != "auto") return options.colour == "always";
  return on_terminal(options) && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

int text_width(const OutputOptions& options) {
  constexpr int kNarrowest = 60;
  constexpr int kWidest = 160;
  winsize size{};
  if (!on_terminal(options) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return TextStyle{}.width;
  }
  return std::clamp(static_cast<int>(size.ws_col), kNarrowest, kWidest);
}

/// Text in a file with one of these extensions would be a file that its program cannot open.
void refuse_other_formats(std::string_view extension) {
  constexpr std::array kOthers{".pdf", ".ps",   ".eps", ".png",  ".jpg",  ".jpeg", ".svg", ".gif",
                               ".doc", ".docx", ".odt", ".xls",  ".xlsx", ".ods",  ".tex", ".xml",
                               ".yml", ".yaml", ".slk", ".otf2", ".prv",  ".zip",  ".gz",  ".zst"};
  if (std::ranges::find(kOthers, extension) == kOthers.end()) return;
  throw usage_error(fmt::format("cannot write a report as '{}'", extension),
                    "reports are text, JSON, CSV, HTML or Markdown",
                    "Choose a file that ends in .txt, .json, .csv, .html or .md (a browser prints "
                    "HTML to PDF).");
}

std::string rendered(const Report& report, const OutputOptions& options) {
  switch (output_format(options)) {
    case OutputFormat::json:
      return write_json(report, false);
    case OutputFormat::csv:
      return options.csv_table.empty() ? write_csv(report)
                                       : write_csv_table(report, options.csv_table);
    case OutputFormat::html:
      return write_html(report);
    case OutputFormat::markdown:
      return write_markdown(report);
    case OutputFormat::junit:
      return write_junit(report);
    case OutputFormat::text:
      break;
  }
  return report_text(report, options);
}

}  // namespace

std::string report_text(const Report& report, const OutputOptions& options) {
  return write_text(report, {.colour = use_colour(options), .width = text_width(options)});
}

void declare_report_options(OptionList& options, OutputOptions& output) {
  const std::vector<std::string> without_checks{"text", "json", "csv", "html", "markdown"};
  std::vector<std::string> with_checks = without_checks;
  with_checks.emplace_back("junit");
  const OptionGroup group(options, kOutput);
  options.add("--format", output.format,
              "Output format (default: by the output file's extension, else text)",
              {.choices = output.has_checks ? with_checks : without_checks});
  options.add("--csv-table ID", output.csv_table,
              "CSV of this table alone (default: all, each after a line with its ID)");
  options.add("--colour,--color", output.colour,
              "Colours in text output (NO_COLOR=1 disables them)",
              {.choices = {"auto", "always", "never"}});
  options.add("-q,--quiet", output.quiet, "Suppress messages");
  options.add("--strict", output.strict,
              "Exit with status 1 if part of the input was lost (data loss)");
}

void declare(OptionList& options, OutputOptions& output) {
  const OptionGroup group(options, kOutput);
  options.add("-o,--output FILE", output.file, "Output file (default: standard output)");
  declare_report_options(options, output);
}

namespace {

/// With --csv-table nothing else can be meant.
OutputFormat csv_format(const OutputOptions& options) {
  if (options.format.empty() || options.format == "csv") return OutputFormat::csv;
  throw usage_error("cannot use --csv-table", fmt::format("the format is {}", options.format),
                    "Omit one of them.");
}

}  // namespace

OutputFormat output_format(const OutputOptions& options) {
  if (!options.csv_table.empty()) return csv_format(options);
  const std::string extension = std::filesystem::path(options.file).extension().string();
  for (const FormatName& f : kFormats) {
    if (f.format == OutputFormat::junit && !options.has_checks) continue;
    if (options.format.empty() ? f.extension == extension : f.name == options.format) {
      return f.format;
    }
  }
  if (options.format.empty()) refuse_other_formats(extension);
  return OutputFormat::text;
}

bool tells_result(const OutputOptions& options) {
  const OutputFormat format = output_format(options);
  return format == OutputFormat::json || format == OutputFormat::html;
}

int exit_status_of(const Report& report, const OutputOptions& options) {
  const auto failed = [](const CheckedCondition& check) {
    return check.outcome == CheckedCondition::Outcome::failed;
  };
  if (std::ranges::any_of(report.checks, failed)) return kFailedCheck;
  const bool lost = std::ranges::any_of(report.findings.entries(), [](const Findings::Entry& e) {
    return e.severity == Severity::data_loss;
  });
  return options.strict && lost ? 1 : 0;
}

int write_report(const Report& report, const OutputOptions& options) {
  OutputSink sink(options);
  sink.write(rendered(report, options));
  sink.finish();
  if (!to_stdout(options) && !options.quiet) {
    write_stdout(fmt::format("Written to {}\n", options.file));
  }
  return exit_status_of(report, options);
}

OutputSink::OutputSink(const OutputOptions& options) {
  if (!to_stdout(options)) file_ = std::make_unique<OutputFile>(options.file);
}

void OutputSink::write(std::string_view text) {
  if (file_) {
    file_->write(text);
  } else {
    write_stdout(text);
  }
}

void OutputSink::finish() {
  if (file_) file_->commit_with_command();
  OutputsOfCommand::place();
}

void write_stdout(std::string_view text) {
  end_stages();
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) throw BrokenPipe();
  if (error != 0) {
    errno = error;
    throw Error("cannot write to standard output", errno_text(), "Choose a file with --output.");
  }
}

void write_stderr(std::string_view text) noexcept {
  try {
    write_all(STDERR_FILENO, printable_lines(text));
  } catch (const std::bad_alloc&) {
    write_all(STDERR_FILENO, text);
  }
}

}  // namespace slackline
