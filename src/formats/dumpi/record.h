#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/dumpi/functions.h"

namespace slackline::dumpi {

/// MPI_Status. `source` is a rank of the call's communicator.
struct Status {
  std::int64_t bytes = 0;
  std::int64_t source = -1;
  std::int64_t tag = -1;
};

inline constexpr std::int64_t kNoTime = INT64_MIN;
inline constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

/// Begin and end of a call on one clock of its rank, in ns.
struct Interval {
  std::int64_t begin_ns = kNoTime;
  std::int64_t end_ns = kNoTime;

  bool known() const { return begin_ns != kNoTime && end_ns != kNoTime; }
};

/// One profiled call, from either form of a trace.
struct Record {
  const Function* function = nullptr;  ///< none: entering or leaving a function of the program
  bool enters = false;                 ///< of such a function
  std::uint64_t address = 0;           ///< of such a function
  std::uint16_t thread = 0;
  bool has_counters = false;
  Interval wall;
  Interval cpu;
  std::array<std::int64_t, kScalars> scalars{};  ///< 0 if the call has no such argument
  std::array<std::vector<std::int64_t>, kArrays> arrays;
  std::vector<Status> statuses;
  std::vector<std::vector<std::int64_t>> ranges;
  std::vector<std::string> texts;  ///< the program's arguments, of MPI_Init

  std::int64_t operator[](Scalar which) const { return scalars[static_cast<std::size_t>(which)]; }
  const std::vector<std::int64_t>& operator[](Array which) const {
    return arrays[static_cast<std::size_t>(which)];
  }
  /// As new, with the memory that it has.
  void clear();
};

}  // namespace slackline::dumpi
