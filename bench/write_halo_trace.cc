// write_halo_trace FILE.slk STEPS: the benchmarks' trace as a file, to try commands at scale. A
// step is about 6,400 calls, so 780 steps are 5 million.

#include <cstdlib>
#include <iostream>

#include "formats/native/writer.h"
#include "halo_trace.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_halo_trace FILE.slk STEPS\n";
    return 2;
  }
  slackline::write_native(slackline::make_halo_trace(std::atoi(argv[2])), argv[1]);
  return 0;
}
