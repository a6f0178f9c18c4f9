#include "formats/raw/call_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "formats/raw/findings.h"
#include "formats/raw/testing/raw_file_builder.h"
#include "trace/sample_wire.h"

namespace slackline {
namespace {

using ::testing::ElementsAre;
using testing::RawFileBuilder;
using CallFramesTest = testing::RawReaderTest;

/// Arguments of SLK_REC_MODULE, without a build id.
std::vector<std::int64_t> module_at(std::int64_t begin, std::int64_t end, const std::string& name) {
  std::vector<std::int64_t> args{begin, end, begin, 0, 0, 0, 0};
  args.resize(args.size() + name.size() / 8 + 1);
  std::memcpy(args.data() + SLK_MODULE_NAME_AT, name.data(), name.size());
  return args;
}

slk_record call_path(std::uint32_t id, bool whole) {
  return {2000, 2000, whole ? 1u : 0u, -1, 0, 0, id, 0, 0, 0, SLK_REC_CALL_PATH};
}

constexpr slk_record kModule{2000, 2000, 0, -1, 0, 0, 0, 0, 0, 0, SLK_REC_MODULE};

slk_record barrier_on_path(std::uint64_t begin, std::uint16_t path) {
  return {begin, begin + 5, 0, -1, 0, 0, 0, 0, path, 0, SLK_OP_barrier};
}

TEST_F(CallFramesTest, CallPathsGoThroughTheModulesThatWereLoadedThen) {
  RawFileBuilder file(0, 1);
  file.add(kModule, module_at(0x1000, 0x2000, "/usr/nowhere/app"))
      .add(kModule, module_at(0x8000, 0x9000, "/usr/nowhere/first.so"))
      .add(call_path(1, true), {0x8011, 0x1021})
      .add(barrier_on_path(2100, 1))
      .add(kModule, module_at(0x8800, 0x9800, "/usr/nowhere/second.so"))
      .add(call_path(2, false), {0x8811, 0x1021})
      .add(barrier_on_path(2200, 2))
      .add(call_path(3, true), {0x8011, 0x1021})
      .add(barrier_on_path(2300, 3))
      .add(barrier_on_path(2400, 9));
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  const CallTree& tree = trace.call_tree();
  const RankCalls& calls = trace.calls(0);
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(tree.location(calls.frame(0)).function, "first.so+0x10");
  EXPECT_EQ(tree.location(tree.parent(calls.frame(0))).function, "app+0x20");
  EXPECT_EQ(tree.location(calls.frame(1)).function, "second.so+0x10");
  EXPECT_EQ(tree.parent(calls.frame(1)), tree.parent(calls.frame(0)));
  EXPECT_EQ(tree.location(calls.frame(2)).function, "unknown code");  // first.so is gone
  EXPECT_EQ(calls.frame(3), 0u);                                      // no such path
  EXPECT_EQ(trace.findings().count(raw::kUnreadableModules), 2u);
  EXPECT_EQ(trace.findings().count(raw::kCutCallPaths), 1u);
}

/// Arguments of SLK_REC_PYTHON_CODE, of a function of which every instruction is on one line.
std::vector<std::int64_t> python_code(std::int64_t line, const std::string& name,
                                      const std::string& file) {
  const std::string text = name + file + std::string("\xfe\0", 2);
  std::vector<std::int64_t> args{line, static_cast<std::int64_t>(name.size()),
                                 static_cast<std::int64_t>(file.size()), 2};
  args.resize(args.size() + (text.size() + 7) / 8);
  std::memcpy(args.data() + SLK_CODE_TEXT_AT, text.data(), text.size());
  return args;
}

std::int64_t python_place(std::uint64_t id) {
  return static_cast<std::int64_t>(SLK_PATH_PYTHON | id << SLK_PATH_CODE_SHIFT | 2);
}

slk_record python_record(std::uint8_t op, std::uint32_t id, slk_python state) {
  return {2000, 2000, state, -1, 0x030a00f0, 0, id, 0, 0, 0, op};
}

std::vector<std::string> functions_of(const CallTree& tree, FrameId frame) {
  std::vector<std::string> names;
  for (const FrameId at : tree.path_to(frame)) names.push_back(tree.location(at).function);
  return names;
}

TEST_F(CallFramesTest, PythonFramesStandInPlaceOfTheInterpretersOwn) {
  RawFileBuilder file(0, 1);
  const auto none = slk_python{};
  file.add(kModule, module_at(0x1000, 0x2000, "/usr/nowhere/libpython3.10.so.1.0"))
      .add(kModule, module_at(0x8000, 0x9000, "/usr/nowhere/MPI.so"))
      .add(python_record(SLK_REC_PYTHON, 0, SLK_PYTHON_FRAMES))
      .add(python_record(SLK_REC_PYTHON_CODE, 1, none),
           python_code(7, "<module>", "/usr/nowhere/run.py"))
      .add(python_record(SLK_REC_PYTHON_CODE, 2, none),
           python_code(42, "main", "/usr/nowhere/run.py"))
      .add(call_path(1, true), {0x8011, 0x1021, python_place(2), python_place(1), 0x1031, 0x1041})
      .add(barrier_on_path(2100, 1))
      .add(call_path(2, true), {0x8011, python_place(9)})
      .add(barrier_on_path(2200, 2))
      .add(python_record(SLK_REC_PYTHON_CODE, 3, none), {1, 2, 3});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  const CallTree& tree = trace.call_tree();
  const RankCalls& calls = trace.calls(0);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_THAT(functions_of(tree, calls.frame(0)), ElementsAre("<module>", "main", "MPI.so+0x10"));
  const CodeLocation& main = tree.location(tree.parent(calls.frame(0)));
  EXPECT_EQ(main.file, "/usr/nowhere/run.py");
  EXPECT_EQ(main.line, 42u);
  EXPECT_THAT(functions_of(tree, calls.frame(1)), ElementsAre("unknown code", "MPI.so+0x10"));
  EXPECT_EQ(trace.findings().count(raw::kInterpretedCode), 0u);
  EXPECT_EQ(trace.findings().count(kDamagedRecord), 1u);
}

TEST_F(CallFramesTest, WhatTheInterpreterComputesIsOfThePythonFunction) {
  RawFileBuilder file(0, 1);
  const auto sample = [&](std::uint32_t id, const std::vector<std::int64_t>& places) {
    slk_record path = call_path(id, true);
    path.bytes |= SLK_PATH_EXACT;
    file.add(path, places)
        .add(barrier_on_path(2000 + 100 * std::uint64_t{id}, static_cast<std::uint16_t>(id)));
  };
  file.add(kModule, module_at(0x1000, 0x2000, "/usr/bin/python3.10"))
      .add(kModule, module_at(0x3000, 0x4000, "/usr/lib/libc.so.6"))
      .add(kModule, module_at(0x7000, 0x8000, "/usr/nowhere/kernel.so"))
      .add(python_record(SLK_REC_PYTHON, 0, SLK_PYTHON_FRAMES))
      .add(python_record(SLK_REC_PYTHON_CODE, 1, slk_python{}),
           python_code(7, "f", "/usr/nowhere/run.py"));
  sample(1, {0x1010, 0x1021, python_place(1), 0x1031});
  sample(2, {0x3010, 0x1021, python_place(1)});
  sample(3, {0x3010, 0x7021, 0x1031, python_place(1)});
  sample(4, {python_place(1), 0x1031});
  sample(5, {0x1010, 0x1021});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  const auto functions = [&](std::uint32_t call) {
    return functions_of(trace.call_tree(), trace.calls(0).frame(call));
  };
  EXPECT_THAT(functions(0), ElementsAre("f"));
  EXPECT_THAT(functions(1), ElementsAre("f"));
  EXPECT_THAT(functions(2), ElementsAre("f", "kernel.so+0x20", "libc.so.6+0x10"));
  EXPECT_THAT(functions(3), ElementsAre("f"));
  EXPECT_THAT(functions(4), ElementsAre("python3.10+0x20", "python3.10+0x10"));
}

// Where a thread spins or sleeps in the runtime, its functions have no names for users.
TEST_F(CallFramesTest, ThreadsThatComputeInTheRuntimeOfOpenmpWait) {
  RawFileBuilder file(0, 1);
  const auto sample = [&](std::uint32_t id, const std::vector<std::int64_t>& places) {
    slk_record path = call_path(id, true);
    path.bytes |= SLK_PATH_EXACT;
    file.add(path, places)
        .add(barrier_on_path(2000 + 100 * std::uint64_t{id}, static_cast<std::uint16_t>(id)));
  };
  file.add(kModule, module_at(0x1000, 0x2000, "/usr/nowhere/app"))
      .add(kModule, module_at(0x3000, 0x4000, "/usr/lib/libc.so.6"))
      .add(kModule, module_at(0x5000, 0x6000, "/usr/lib/libgomp.so.1"))
      .add(kModule, module_at(0x7000, 0x8000, "/usr/lib/libompitrace.so.40"));
  sample(1, {0x5010, 0x5021, 0x1021});
  sample(2, {0x3010, 0x5021, 0x1021});
  sample(3, {0x1011, 0x5021, 0x1021});
  sample(4, {0x3010, 0x1021});
  sample(5, {0x7010, 0x1021});
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  const auto functions = [&](std::uint32_t call) {
    return functions_of(trace.call_tree(), trace.calls(0).frame(call));
  };
  constexpr const char* kWaiting = "[waiting for OpenMP threads]";
  EXPECT_THAT(functions(0), ElementsAre("app+0x20", kWaiting));
  EXPECT_EQ(describe_frame(trace.call_tree(), trace.calls(0).frame(0)),
            "[waiting for OpenMP threads] (libgomp.so.1)");
  EXPECT_EQ(trace.calls(0).frame(1), trace.calls(0).frame(0));
  EXPECT_THAT(functions(2), ElementsAre("app+0x20", "libgomp.so.1+0x20", "app+0x11"));
  EXPECT_THAT(functions(3), ElementsAre("app+0x20", "libc.so.6+0x10"));
  EXPECT_THAT(functions(4), ElementsAre("app+0x20", "libompitrace.so.40+0x10"));
}

TEST_F(CallFramesTest, WhatPythonCallsMpiByIsNoPlaceInTheProgram) {
  RawFileBuilder file(0, 1);
  file.add(kModule, module_at(0x1000, 0x2000, "/usr/bin/python3.10"))
      .add(kModule, module_at(0x3000, 0x4000, "/usr/lib/python3/dist-packages/mpi4py/MPI.so"))
      .add(kModule, module_at(0x5000, 0x6000, "/usr/lib/libffi.so.8"))
      .add(kModule, module_at(0x7000, 0x8000, "/usr/nowhere/kernel.so"))
      .add(python_record(SLK_REC_PYTHON, 0, SLK_PYTHON_FRAMES))
      .add(python_record(SLK_REC_PYTHON_CODE, 1, slk_python{}),
           python_code(7, "f", "/usr/nowhere/run.py"))
      .add(call_path(1, true), {0x3011, 0x1021, python_place(1), 0x1031})
      .add(barrier_on_path(2100, 1))
      .add(call_path(2, true), {0x5011, 0x5021, 0x1021, python_place(1)})
      .add(barrier_on_path(2200, 2))
      .add(call_path(3, true), {0x7011, 0x1021, python_place(1)})
      .add(barrier_on_path(2300, 3))
      .add(call_path(4, true), {0x5011, 0x7011})
      .add(barrier_on_path(2400, 4));
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  const auto functions = [&](std::uint32_t call) {
    return functions_of(trace.call_tree(), trace.calls(0).frame(call));
  };
  EXPECT_THAT(functions(0), ElementsAre("f"));
  EXPECT_THAT(functions(1), ElementsAre("f"));
  EXPECT_THAT(functions(2), ElementsAre("f", "kernel.so+0x10"));
  EXPECT_THAT(functions(3), ElementsAre("kernel.so+0x10", "libffi.so.8+0x10"));
}

TEST_F(CallFramesTest, AnUnknownPythonIsTold) {
  RawFileBuilder file(0, 1);
  slk_record python = python_record(SLK_REC_PYTHON, 0, SLK_PYTHON_UNKNOWN_VERSION);
  python.tag = 0x030f00f0;
  file.add(kModule, module_at(0x1000, 0x2000, "/usr/nowhere/libpython3.15.so.1.0"))
      .add(python)
      .add(call_path(1, true), {0x1011})
      .add(barrier_on_path(2100, 1));
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  EXPECT_EQ(trace.findings().count(raw::kInterpretedCode), 1u);
  for (const auto& entry : trace.findings().entries()) {
    if (entry.name != raw::kInterpretedCode.name) continue;
    EXPECT_THAT(entry.examples, ElementsAre("/usr/nowhere/libpython3.15.so.1.0, Python 3.15"));
  }
}

TEST_F(CallFramesTest, DamagedModulesNameNothing) {
  RawFileBuilder file(0, 1);
  file.add(kModule, {0x1000})
      .add(kModule, {0x2000, 0x1000, 0, 0, 0, 0, 0, 0})
      .add(kModule, {0x1000, 0x2000, 0, 1 << 20, 0, 0, 0, 0})
      .add(call_path(1, true), {0x1021})
      .add(call_path(2, true), {})
      .add(barrier_on_path(2100, 1))
      .add(barrier_on_path(2200, 2));
  write("rank-0.slkraw", file.bytes());
  const Trace trace = read();
  EXPECT_EQ(trace.findings().count(kDamagedRecord), 3u);
  EXPECT_EQ(trace.call_tree().location(trace.calls(0).frame(0)).function, "unknown code");
  EXPECT_EQ(trace.calls(0).frame(1), 0u);
}

}  // namespace
}  // namespace slackline
