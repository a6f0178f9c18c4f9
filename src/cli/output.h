#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/options/option_list.h"
#include "base/file.h"
#include "report/report.h"

namespace slackline {

enum class OutputFormat { text, json, csv, html, markdown, junit };

/// Where a command's answer goes and in which form. Shared by all commands that give one.
struct OutputOptions {
  std::string format{};     ///< empty: by the file's extension, else text
  std::string file{};       ///< empty: standard output
  std::string csv_table{};  ///< its id: CSV of this table alone; empty: of all
  std::string colour = "auto";
  bool quiet = false;
  bool strict = false;      ///< exit status 1 where the input lost data
  bool has_checks = false;  ///< whether the report has any: then it may be JUnit's XML
};

/// --format, --colour, --quiet and --strict, of commands whose --output is not their report.
void declare_report_options(OptionList& options, OutputOptions& output);
/// These and --output.
void declare(OptionList& options, OutputOptions& output);

/// The format that will be used: --format, or what the file's extension says, or text. Throws usage
/// Error for the extension of a format that no writer makes, such as .pdf.
OutputFormat output_format(const OutputOptions& options);

/// Does that format tell a Report's `result`? Where it does not, lists as long as the trace need
/// not be made for it.
bool tells_result(const OutputOptions& options);

/// The report as text, for standard output.
std::string report_text(const Report& report, const OutputOptions& options);

/// The exit status of a command with that report: 3 where a check of it has failed, else 1 for a
/// report of an input that lost data where options.strict asks for that, else 0.
int exit_status_of(const Report& report, const OutputOptions& options);

/// Writes `report` where `options` say, by the writer of its format. With a file, one line on
/// standard output says where it is, unless quiet. Gives its exit_status_of().
int write_report(const Report& report, const OutputOptions& options);

/// For answers that are no Report, and may be long (`print`, `completion`): text in pieces. A file
/// appears whole on finish() or not at all.
class OutputSink {
 public:
  explicit OutputSink(const OutputOptions& options);
  void write(std::string_view text);
  void finish();

 private:
  std::unique_ptr<OutputFile> file_;  // null: standard output
};

/// Unbuffered and whole. Throws BrokenPipe, or Error when the disk is full.
void write_stdout(std::string_view text);
/// Never fails: there is nowhere left to say so.
void write_stderr(std::string_view text) noexcept;

}  // namespace slackline
