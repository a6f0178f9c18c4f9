#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/operation.h"

namespace slackline::liballprof {

/// A communicator as a line names it: its handle on this rank, this rank's number in it, its size.
struct CommHandle {
  std::uint64_t handle = 0;
  std::int32_t rank = -1;
  std::int32_t size = 0;
};

/// One call, its arguments in the order of the C binding. Where a call has an argument twice, [0]
/// is of sending and [1] of receiving.
struct Line {
  Operation operation = Operation::none;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  bool no_begin = false;  ///< MPI_Init: the clock could not be read yet
  bool no_end = false;    ///< MPI_Finalize
  std::array<std::int64_t, 2> count{};
  std::array<std::int64_t, 2> type_bytes{};
  std::array<std::int64_t, 2> peer{};
  std::array<std::int64_t, 2> tag{};
  std::int64_t root = 0;
  std::uint64_t request = 0;  ///< address of the (first) request
  std::int64_t requests = 1;  ///< how many
  CommHandle comm;
  std::vector<std::vector<std::int64_t>> counts;  ///< array arguments, displacements too
};

enum class LineKind { call, unknown_call, bad };

/// Reads "MPI_Send:begin:...:end". `line` keeps its memory from call to call.
LineKind parse_line(std::string_view text, Line& line);

}  // namespace slackline::liballprof
