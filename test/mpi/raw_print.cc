// raw_print DIR: what read_raw makes of a recording, in the text form. For the tests of this
// folder.
#include <cstdio>
#include <exception>

#include "formats/raw/reader.h"
#include "formats/text/text.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    std::fputs(slackline::to_text(slackline::read_raw(argv[1])).c_str(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
