#include "call_path_cache.h"

#include <execinfo.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "trace/sample_wire.h"

namespace slackline::record {
namespace {

using Path = std::vector<std::uint64_t>;

/// Keeps what it is told.
struct Sink final : CallPathSink {
  void new_module(const LoadedModule& module) override { modules.emplace_back(module.name); }
  void new_path(std::uint16_t id, const std::uint64_t* addresses, std::size_t depth,
                bool whole) override {
    EXPECT_FALSE(paths.contains(id));
    paths[id] = Path(addresses, addresses + depth);
    all_whole = all_whole && whole;
  }
  bool new_python(const PythonInterpreter&) override { return true; }
  bool new_python_code(std::uint32_t, const std::int64_t*, std::size_t) override { return true; }

  std::vector<std::string> modules;
  std::map<std::uint16_t, Path> paths;
  bool all_whole = true;
};

struct Recording {
  Recording() : cache(std::make_unique<CallPathCache>()) { cache->attach(); }
  std::unique_ptr<CallPathCache> cache;
  Sink sink;
  CallPathOptions options{kDeepestPath};
  Path recorded;
  Path expected;
};

volatile int sink_value;
char* volatile escaped;  // what is stored here must really be in memory

/// Stands for a wrapper: the path is that of its caller.
__attribute__((noinline)) void wrapper(Recording& r) {
  const auto* frame = static_cast<const std::uint64_t*>(__builtin_frame_address(0));
  const std::uint16_t id = r.cache->find(frame, r.options, r.sink);
  r.recorded = r.sink.paths[id];
  void* frames[kDeepestPath];
  const int count = backtrace(frames, kDeepestPath);
  r.expected.clear();
  for (int i = 1; i < count; ++i) r.expected.push_back(reinterpret_cast<std::uint64_t>(frames[i]));
  sink_value = count;
}

/// A frame whose size differs from call to call.
__attribute__((noinline)) void varying(Recording& r, int bytes) {
  char* const memory = static_cast<char*>(__builtin_alloca(static_cast<std::size_t>(bytes)));
  std::memset(memory, 1, static_cast<std::size_t>(bytes));
  escaped = memory;
  wrapper(r);
  sink_value = memory[bytes / 2];
}

/// The same at little cost, however large the frame.
__attribute__((noinline)) void sized(Recording& r, int bytes) {
  char* const memory = static_cast<char*>(__builtin_alloca(static_cast<std::size_t>(bytes)));
  escaped = memory;
  wrapper(r);
}

// NOLINTNEXTLINE(misc-no-recursion): the path's depth is what the tests are about.
__attribute__((noinline)) int recurse(int depth, const std::function<void()>& leaf) {
  if (depth == 0) {
    leaf();
    return 1;
  }
  sink_value = recurse(depth - 1, leaf) + 1;
  return sink_value;
}

/// A frame that the compiler aligns, so that its begin is found by way of memory.
__attribute__((noinline)) void aligned(Recording& r, int bytes) {
  alignas(128) volatile char memory[256];
  memory[bytes % 256] = 1;
  escaped = const_cast<char*>(memory);
  varying(r, bytes);
  sink_value = memory[0];
}

TEST(CallPathCache, FindsWhatTheCLibraryFinds) {
  Recording r;
  for (int i = 0; i < 2000; ++i) {
    recurse(i % 7, [&] { varying(r, 1 + i * 37 % 500); });
    EXPECT_EQ(r.recorded, r.expected) << i;
  }
  EXPECT_EQ(r.sink.paths.size(), 7u);
  EXPECT_TRUE(r.sink.all_whole);
}

TEST(CallPathCache, FollowsAlignedFrames) {
  Recording r;
  for (int i = 0; i < 100; ++i) {
    recurse(i % 3, [&] { aligned(r, 1 + i); });
    EXPECT_EQ(r.recorded, r.expected) << i;
  }
}

TEST(CallPathCache, TellsCallersApartWhoseFramesLieAtTheSamePlace) {
  Recording r;
  const auto call = [&] { wrapper(r); };
  for (int i = 0; i < 100; ++i) {
    if (i % 2 == 0) {
      recurse(2, call);
    } else {
      recurse(2, call);
    }
    EXPECT_EQ(r.recorded, r.expected) << i;
  }
}

TEST(CallPathCache, CutsAtTheLimit) {
  Recording r;
  r.options.deepest = 5;
  recurse(20, [&] { wrapper(r); });
  Path kept(r.expected.begin(), r.expected.begin() + 5);
  kept.push_back(SLK_PATH_OMITTED);
  kept.insert(kept.end(), r.expected.end() - kOutermostFrames, r.expected.end());
  EXPECT_EQ(r.recorded, kept);
  EXPECT_FALSE(r.sink.all_whole);
}

TEST(CallPathCache, KeepsPathsWholeOfWhichNothingIsLeftOut) {
  Recording r;
  recurse(1, [&] { wrapper(r); });
  const Path whole = r.expected;
  Recording cut;
  cut.options.deepest = whole.size() - kOutermostFrames;
  recurse(1, [&] { wrapper(cut); });
  EXPECT_EQ(cut.recorded, cut.expected);
  EXPECT_TRUE(cut.sink.all_whole);
}

TEST(CallPathCache, CutsPathsWithoutAnEndInReach) {
  Recording r;
  recurse(kMostSkippedFrames + 2 * kDeepestPath, [&] { wrapper(r); });
  EXPECT_EQ(r.recorded.size(), kDeepestPath);
  EXPECT_FALSE(r.sink.all_whole);
}

struct CutOnThreads {
  Recording recording;
  std::vector<Path> recorded;
};

/// The function of a thread: its outermost frames are these calls, in turn.
void* cut_in_turn(void* data) {
  auto& cut = *static_cast<CutOnThreads*>(data);
  Recording& r = cut.recording;
  r.cache->attach();
  r.options.deepest = 5;
  const std::function<void()> call = [&] { wrapper(r); };
  for (int i = 0; i < 6; ++i) {
    if (i % 2 == 0) {
      recurse(40, call);
    } else {
      recurse(41, call);
    }
    cut.recorded.push_back(r.recorded);
  }
  return nullptr;
}

TEST(CallPathCache, TellsCutPathsApartByTheirOutermostFrames) {
  CutOnThreads cut;
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, nullptr, cut_in_turn, &cut), 0);
  pthread_join(thread, nullptr);
  ASSERT_EQ(cut.recorded.size(), 6u);
  EXPECT_NE(cut.recorded[0], cut.recorded[1]);
  for (std::size_t i = 2; i < 6; ++i) EXPECT_EQ(cut.recorded[i], cut.recorded[i - 2]) << i;
  EXPECT_EQ(cut.recording.sink.paths.size(), 2u);
}

/// What a walk from where a signal came finds.
struct Interruption {
  LoadedModules modules;
  RuleCache* rules = nullptr;
  StackWalk* walk = nullptr;
  StackRange stack;
};
Interruption* interruption;

void walk_from_signal(int, siginfo_t*, void* context) {
  Interruption& i = *interruption;
  walk_interrupted(*static_cast<const ucontext_t*>(context), {kDeepestPath, 0},
                   {i.modules, *i.rules, i.stack}, *i.walk);
}

/// The places outwards of this function, as the C library finds them.
__attribute__((noinline)) void interrupt(Path& expected) {
  void* frames[kDeepestPath];
  const int count = backtrace(frames, kDeepestPath);
  for (int i = 1; i < count; ++i) expected.push_back(reinterpret_cast<std::uint64_t>(frames[i]));
  raise(SIGUSR1);
  sink_value = count;
}

TEST(StackWalk, GoesOnFromWhereASignalCame) {
  Interruption found;
  const auto rules = std::make_unique<RuleCache>();
  const auto walk = std::make_unique<StackWalk>();
  found.rules = rules.get();
  found.walk = walk.get();
  found.stack = own_stack();
  ASSERT_TRUE(found.modules.refresh());
  interruption = &found;
  struct sigaction action {};
  struct sigaction before {};
  action.sa_sigaction = walk_from_signal;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  Path expected;
  recurse(5, [&] { interrupt(expected); });
  sigaction(SIGUSR1, &before, nullptr);
  // Innermost are the C library's functions that send the signal, and interrupt() behind its call.
  const Path walked(walk->addresses, walk->addresses + walk->depth);
  EXPECT_TRUE(walk->whole);
  ASSERT_GT(walked.size(), expected.size());
  EXPECT_EQ(Path(walked.end() - static_cast<std::ptrdiff_t>(expected.size()), walked.end()),
            expected);
}

TEST(CallPathCache, TellsEachModuleOnce) {
  Recording r;
  for (int i = 0; i < 10; ++i) recurse(i, [&] { wrapper(r); });
  EXPECT_GE(r.sink.modules.size(), 2u);  // the test and the C library
  std::map<std::string, int> times;
  for (const std::string& module : r.sink.modules) EXPECT_EQ(++times[module], 1) << module;
}

TEST(CallPathCache, WalksOnlySoManyStacksThatAreAlwaysNew) {
  Recording r;
  r.sink.paths.clear();
  std::size_t shallow = 0;
  for (int i = 0; i < 40000; ++i) {
    sized(r, 16 * (i + 1));
    if (r.recorded.size() == 1) ++shallow;
  }
  EXPECT_GT(shallow, 0u);
  EXPECT_LT(shallow, 40000u);
}

}  // namespace
}  // namespace slackline::record
