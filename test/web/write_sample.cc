// write_sample DIRECTORY [WIDTH]: the sample reports in every format, to look at and for page.mjs.

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "report/writers.h"
#include "sample_reports.h"

namespace {

void write_all(const slackline::Report& report, const std::filesystem::path& stem, int width) {
  using namespace slackline;
  write_file(stem.string() + ".txt", write_text(report, {.colour = false, .width = width}));
  write_file(stem.string() + ".ansi", write_text(report, {.colour = true, .width = width}));
  write_file(stem.string() + ".json", write_json(report, true));
  write_file(stem.string() + ".csv", write_csv(report));
  write_file(stem.string() + ".html", write_html(report));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path directory = argv[1];
  const int width = argc > 2 ? std::atoi(argv[2]) : 100;
  std::filesystem::create_directories(directory);
  write_all(slackline::sample_report(), directory / "sample", width);
  write_all(slackline::two_rank_report(), directory / "two-ranks", width);
  write_all(slackline::hostile_report(), directory / "hostile", width);
  write_all(slackline::Report{}, directory / "empty", width);
  return 0;
}
