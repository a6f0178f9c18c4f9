#include "cli/output.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"

namespace slackline {
namespace {

TEST(Output, FormatComesFromTheOptionThenTheExtensionThenIsText) {
  EXPECT_EQ(output_format({}), OutputFormat::text);
  EXPECT_EQ(output_format({.file = "a.json"}), OutputFormat::json);
  EXPECT_EQ(output_format({.file = "a.b/c.html"}), OutputFormat::html);
  EXPECT_EQ(output_format({.file = "a.out"}), OutputFormat::text);
  EXPECT_EQ(output_format({.format = "csv", .file = "a.json"}), OutputFormat::csv);
}

TEST(Output, AFormatThatNoWriterMakesIsRefusedUnlessOneIsNamed) {
  EXPECT_THROW(output_format({.file = "report.pdf"}), Error);
  EXPECT_EQ(output_format({.format = "text", .file = "report.pdf"}), OutputFormat::text);
}

TEST(Output, UnknownFormatIsRefused) {
  OutputOptions options;
  CLI::App app;
  OptionList list;
  declare(list, options);
  add_options(app, list);
  EXPECT_THROW(app.parse(std::vector<std::string>{"xml", "--format"}), CLI::ParseError);
}

TEST(OutputSink, FileAppearsOnlyWhenFinished) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("sink" + std::to_string(::getpid()));
  OutputSink sink({.file = path.string()});
  sink.write("one line\n");
  EXPECT_FALSE(std::filesystem::exists(path));
  sink.finish();
  EXPECT_EQ(MappedFile(path).text(), "one line\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace slackline
