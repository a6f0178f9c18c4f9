// write_bench_trace FILE.slk halo|irregular STEPS [RANKS]: a benchmark's trace as a file, to try
// commands at scale. A step is 238 calls of each of the halo program's 27 or more ranks (780 steps
// of 27 are 5 million), of which few are in memory at a time, and 900 of the irregular one in all
// (5,600 steps), all of which are in memory.

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "formats/native/writer.h"
#include "halo_trace.h"
#include "irregular_trace.h"

namespace slackline {
namespace {

constexpr std::uint64_t kPartCalls = 4 * NativeWriter::kBlockCalls;

void write_halo(const std::filesystem::path& path, int ranks, int steps) {
  const HaloRun run(ranks, steps);
  const Trace job(ranks, true);
  const Samples none;
  OutputFile file(path, FileAccess::owner_only);
  NativeWriter writer(job, std::vector(static_cast<std::size_t>(ranks), run.calls_of_rank()), none,
                      [&](std::span<const std::byte> bytes) { file.write(bytes); });
  for (int rank = 0; rank < ranks; ++rank) {
    RankCallsBuilder calls;
    const auto write = [&] { writer.write(std::vector<RankCallsPart>{{rank, calls}}); };
    run.for_each_call(rank, [&](const Call& call) {
      if (calls.size() == kPartCalls) {
        write();
        const std::int64_t end_ns = calls.end_ns(calls.size() - 1);
        calls = {};
        calls.set_start_ns(end_ns);
      }
      calls.append(call);
    });
    write();
  }
  writer.finish();
  file.commit();
}

}  // namespace
}  // namespace slackline

int main(int argc, char** argv) {
  const bool has_ranks = argc == 5;
  const std::string_view program = argc == 4 || has_ranks ? argv[2] : "";
  const int steps = argc > 3 ? std::atoi(argv[3]) : 0;
  const int ranks = has_ranks ? std::atoi(argv[4]) : 27;
  if (program == "halo" && ranks >= 27) {
    slackline::write_halo(argv[1], ranks, steps);
  } else if (program == "irregular" && !has_ranks) {
    slackline::write_native(slackline::make_irregular_trace(steps), argv[1]);
  } else {
    std::cerr << "usage: write_bench_trace FILE.slk halo STEPS [RANKS, 27 or more]\n"
                 "       write_bench_trace FILE.slk irregular STEPS\n";
    return 2;
  }
  return 0;
}
