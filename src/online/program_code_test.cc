#include "online/program_code.h"

#include <gtest/gtest.h>

#include <cstring>

#include "trace/sample_wire.h"

namespace slackline::online {
namespace {

void put(slk_online_rank& rank, const slk_record& head, std::initializer_list<std::int64_t> args) {
  std::memcpy(rank.code + rank.code_words, &head, sizeof head);
  rank.code_words += sizeof head / sizeof(std::int64_t);
  for (const std::int64_t arg : args) rank.code[rank.code_words++] = arg;
}

TEST(ProgramCode, NamesThePathsThatProcessesHaveLeft) {
  SharedMemory memory(2, 0);
  slk_record path{};
  path.op = SLK_REC_CALL_PATH;
  path.bytes = SLK_PATH_WHOLE;
  path.request = 3;
  path.n_args = 2;
  put(memory.rank(1), path, {0x1000, 0x2000});
  TraceBuilder trace(2, false);
  for (std::int32_t r = 0; r < 2; ++r) {
    trace.calls(r).append({.operation = Operation::barrier, .frame = 3});
    trace.calls(r).append({.operation = Operation::barrier});
  }
  name_call_paths(memory, trace);
  EXPECT_EQ(trace.calls(0).frame(0), 0u) << "a path of which nothing is known";
  ASSERT_NE(trace.calls(1).frame(0), 0u);
  EXPECT_EQ(trace.call_tree().depth(trace.calls(1).frame(0)), 2u);
  EXPECT_EQ(trace.calls(1).frame(1), 0u);
}

TEST(ProgramCode, TakesOfWhatAProgramHasWrittenOverNoMoreThanThereIs) {
  SharedMemory memory(1, 0);
  slk_record path{};
  path.op = SLK_REC_CALL_PATH;
  path.n_args = UINT32_MAX;
  put(memory.rank(0), path, {});
  memory.rank(0).code_words = UINT64_MAX;
  TraceBuilder trace(1, false);
  trace.calls(0).append({.operation = Operation::barrier, .frame = 7});
  name_call_paths(memory, trace);
  EXPECT_EQ(trace.calls(0).frame(0), 0u);
}

}  // namespace
}  // namespace slackline::online
