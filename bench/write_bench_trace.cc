// write_bench_trace FILE.slk halo|irregular STEPS: a benchmark's trace as a file, to try commands
// at scale. A step is about 6,400 calls of the halo program (780 steps are 5 million) and 900 of
// the irregular one (5,600 steps).

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "formats/native/writer.h"
#include "halo_trace.h"
#include "irregular_trace.h"

int main(int argc, char** argv) {
  const std::string_view program = argc == 4 ? argv[2] : "";
  const int steps = argc == 4 ? std::atoi(argv[3]) : 0;
  if (program == "halo") {
    slackline::write_native(slackline::make_halo_trace(steps), argv[1]);
  } else if (program == "irregular") {
    slackline::write_native(slackline::make_irregular_trace(steps), argv[1]);
  } else {
    std::cerr << "usage: write_bench_trace FILE.slk halo|irregular STEPS\n";
    return 2;
  }
  return 0;
}
