// Writing and reading traces of a LULESH-like code. Reported: calls a second, and bytes a call.

#include <benchmark/benchmark.h>

#include <unistd.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "calls/call_matching.h"
#include "formats/native/reader.h"
#include "formats/native/writer.h"
#include "formats/otf2/otf2.h"
#include "formats/paraver/paraver.h"
#include "formats/perfetto/perfetto.h"
#include "formats/text/text.h"
#include "formats/ti/ti.h"
#include "halo_trace.h"

namespace slackline {
namespace {

const Trace& halo_trace() {
  static const Trace trace = make_halo_trace(300);
  return trace;
}

std::vector<std::byte> native_file() {
  std::vector<std::byte> file;
  write_native(halo_trace(), [&](std::span<const std::byte> piece) {
    file.insert(file.end(), piece.begin(), piece.end());
  });
  return file;
}

void report(benchmark::State& state, std::size_t bytes) {
  const auto calls = static_cast<double>(halo_trace().call_count());
  state.counters["calls/s"] =
      benchmark::Counter(calls, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/call"] = static_cast<double>(bytes) / calls;
}

void write_native_trace(benchmark::State& state) {
  std::size_t bytes = 0;
  halo_trace();
  for (auto _ : state) bytes = native_file().size();
  report(state, bytes);
}
BENCHMARK(write_native_trace)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

void read_native_trace(benchmark::State& state) {
  const std::vector<std::byte> file = native_file();
  for (auto _ : state) benchmark::DoNotOptimize(read_native(file, "bench").call_count());
  report(state, file.size());
}
BENCHMARK(read_native_trace)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

// Removed when the program ends.
struct Archive {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("slackline_bench_" + std::to_string(::getpid()));
  Archive() { std::filesystem::create_directories(folder); }
  ~Archive() { std::filesystem::remove_all(folder); }

  void write() const {
    std::filesystem::remove_all(folder / "run");
    write_otf2(halo_trace(), folder / "run.otf2");
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) sum += entry.file_size();
    }
    return sum;
  }
};

void write_otf2_archive(benchmark::State& state) {
  const Archive archive;
  for (auto _ : state) archive.write();
  report(state, archive.bytes());
}
BENCHMARK(write_otf2_archive)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

// Several records a call: ENTER, LEAVE, and what it communicates.
void read_otf2_archive(benchmark::State& state) {
  const Archive archive;
  archive.write();
  for (auto _ : state) {
    benchmark::DoNotOptimize(read_otf2(archive.folder / "run.otf2").call_count());
  }
  report(state, archive.bytes());
}
BENCHMARK(read_otf2_archive)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

void write_text_form(benchmark::State& state) {
  std::size_t bytes = 0;
  halo_trace();
  for (auto _ : state) bytes = to_text(halo_trace()).size();
  report(state, bytes);
}
BENCHMARK(write_text_form)->Unit(benchmark::kMillisecond);

void read_text_form(benchmark::State& state) {
  const std::string text = to_text(halo_trace());
  for (auto _ : state) benchmark::DoNotOptimize(read_text(text, "bench").call_count());
  report(state, text.size());
}
BENCHMARK(read_text_form)->Unit(benchmark::kMillisecond);

void write_paraver_files(const Trace& trace, const std::filesystem::path& path) {
  write_paraver(trace, CallMatching(trace), path);
}
// What a writer of one file, and files beside it, does; the disk is that of temporary files.
template <class Write>
void write_files(benchmark::State& state, Write write, const char* name) {
  const Archive folder;
  halo_trace();
  for (auto _ : state) {
    write(halo_trace(), folder.folder / name);
    benchmark::ClobberMemory();
  }
  report(state, folder.bytes());
}
BENCHMARK_CAPTURE(write_files, csv, write_operations_csv, "run.csv")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(write_files, chrome, write_chrome_json, "run.json")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(write_files, ti, write_ti, "run.ti")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(write_files, paraver, write_paraver_files, "run.prv")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace slackline

BENCHMARK_MAIN();
