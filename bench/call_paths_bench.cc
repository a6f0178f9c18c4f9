// What finding a call's path costs the recorder, at depths from 4 to 64: a path seen before, and
// one whose frames were seen before on other paths, beside the C library's backtrace().

#include <benchmark/benchmark.h>
#include <execinfo.h>

#include <cstdint>
#include <memory>

#include "record/call_path_cache.h"

namespace {

using slackline::record::CallPathCache;
using slackline::record::CallPathOptions;

struct Nobody final : slackline::record::CallPathSink {
  void new_module(const slackline::record::LoadedModule&) override {}
  void new_path(std::uint16_t, const std::uint64_t*, std::size_t, bool) override {}
  bool new_python(const slackline::record::PythonInterpreter&) override { return true; }
  bool new_python_code(std::uint32_t, const std::int64_t*, std::size_t) override { return true; }
};

/// Stands for a wrapper of MPI.
__attribute__((noinline)) std::uint16_t wrapper(CallPathCache& cache, Nobody& nobody) {
  const auto* frame = static_cast<const std::uint64_t*>(__builtin_frame_address(0));
  return cache.find(frame, CallPathOptions{256}, nobody);
}

volatile int depth_reached;

template <class Leaf>
__attribute__((noinline)) void recurse(std::int64_t depth, Leaf& leaf) {
  if (depth == 0) {
    leaf();
  } else {
    recurse(depth - 1, leaf);
    depth_reached = static_cast<int>(depth);  // no tail call
  }
}

void find_known_path(benchmark::State& state) {
  CallPathCache cache;
  cache.attach();
  Nobody nobody;
  auto leaf = [&] {
    for (auto _ : state) benchmark::DoNotOptimize(wrapper(cache, nobody));
  };
  recurse(state.range(0), leaf);
}
BENCHMARK(find_known_path)->RangeMultiplier(2)->Range(4, 64);

/// A frame whose size differs from call to call, so that no stack is like one before.
__attribute__((noinline)) void sized(std::size_t bytes, CallPathCache& cache, Nobody& nobody) {
  benchmark::DoNotOptimize(__builtin_alloca(bytes));
  benchmark::DoNotOptimize(wrapper(cache, nobody));
}

void find_new_stack(benchmark::State& state) {
  constexpr std::size_t kSizes = 4000;
  Nobody nobody;
  auto leaf = [&] {
    auto cache = std::make_unique<CallPathCache>();
    cache->attach();
    std::size_t size = 0;
    for (auto _ : state) {
      if (size == kSizes) {
        state.PauseTiming();
        cache = std::make_unique<CallPathCache>();
        cache->attach();
        size = 0;
        state.ResumeTiming();
      }
      sized(16 * ++size, *cache, nobody);
    }
  };
  recurse(state.range(0), leaf);
}
BENCHMARK(find_new_stack)->RangeMultiplier(2)->Range(4, 64);

void c_library_backtrace(benchmark::State& state) {
  void* frames[256];
  auto leaf = [&] {
    for (auto _ : state) benchmark::DoNotOptimize(backtrace(frames, 256));
  };
  recurse(state.range(0), leaf);
}
BENCHMARK(c_library_backtrace)->RangeMultiplier(2)->Range(4, 64);

}  // namespace

BENCHMARK_MAIN();
