// raw_print DIR: what read_raw makes of a recording, in the text form; fails where several
// processes make something else of it. For the tests of this folder.
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "formats/raw/reader.h"
#include "formats/raw/testing/shared_reading.h"
#include "formats/text/text.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    slackline::SingleProcess alone;
    const slackline::RawPart whole = slackline::read_raw(argv[1], alone);
    const std::filesystem::path together =
        std::filesystem::temp_directory_path() / ("together-" + std::to_string(getpid()));
    const bool same = slackline::testing::processes_read_the_same(argv[1], whole, 3, together);
    std::filesystem::remove(together);
    if (!same) {
      std::fputs("three processes read something else\n", stderr);
      return 1;
    }
    std::fputs(slackline::to_text(whole.trace).c_str(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
