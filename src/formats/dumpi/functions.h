#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/operation.h"

namespace slackline::dumpi {

/// Arguments of calls that a trace has a use for, by DUMPI's own names (as in its text form) and
/// with one meaning each; `comm` is also the parent of a communicator that is made.
enum class Scalar : std::uint8_t {
  count,
  send_count,
  recv_count,
  origin_count,
  datatype,
  send_type,
  recv_type,
  origin_type,
  dest,
  source,
  tag,
  send_tag,
  recv_tag,
  root,
  comm,
  new_comm,
  request,
  index,
  flag,
  comm_rank,
  color,
  key,
  group,
  new_group,
  group1,
  group2,
  win,
  target_rank,
  lock_type,
  file,
  size
};
inline constexpr std::size_t kScalars = static_cast<std::size_t>(Scalar::size) + 1;

enum class Array : std::uint8_t {
  requests,
  indices,
  send_counts,
  recv_counts,
  send_types,
  recv_types,
  ranks,
  dims,
  remain_dims
};
inline constexpr std::size_t kArrays = static_cast<std::size_t>(Array::remain_dims) + 1;

/// What stands next in the binary record of a call.
struct Item {
  enum class Kind : std::uint8_t {
    scalar,    ///< `which` is a Scalar
    array,     ///< its length in 32 bits, then the elements; `which` is an Array
    statuses,  ///< a length and as many statuses; nothing where the record has no statuses
    text,      ///< a length and this many characters
    texts,     ///< a length and as many texts
    lists_of_texts,
    ranges,  ///< a length, then as many arrays: first and last rank, stride
    unused,  ///< a number that a trace has no use for
    unused_array
  };
  Kind kind;
  std::uint8_t width = 0;  ///< bytes of the number, or of each element
  std::uint8_t which = 0;
  bool at_root = false;  ///< only in the records of the root's rank
};

struct Function {
  std::string_view name;                  ///< "MPI_Send"
  Operation operation = Operation::none;  ///< none: the trace has no operation for it
  std::span<const Item> items;
};

/// The function with that number in binary traces; none if there is no such number.
const Function* function(std::uint16_t number);
const Function* function_named(std::string_view name);

std::optional<Scalar> scalar_named(std::string_view name);
std::optional<Array> array_named(std::string_view name);

// Numbers that are no function of MPI.
inline constexpr std::uint16_t kAllFunctions = 290;
inline constexpr std::uint16_t kFunctionEnter = 291;
inline constexpr std::uint16_t kFunctionExit = 292;
inline constexpr std::uint16_t kEndOfStream = 293;

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
