#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "trace/operation.h"

namespace slackline::otf2 {

// What reader and writer agree on (doc/formats/otf2.md).

// Properties of archives that Slackline writes.
inline constexpr std::string_view kVersionProperty = "SLACKLINE::VERSION";
inline constexpr std::string_view kTimedProperty = "SLACKLINE::TIMED";
inline constexpr std::string_view kZeroProperty = "SLACKLINE::ZERO";  ///< tick of the Trace's zero
inline constexpr std::string_view kProgramProperty = "SLACKLINE::PROGRAM";
inline constexpr std::string_view kRecorderProperty = "SLACKLINE::RECORDER";
inline constexpr std::string_view kMpiProperty = "SLACKLINE::MPI";
inline constexpr std::string_view kMpiVersionProperty = "SLACKLINE::MPI_VERSION";
inline constexpr std::string_view kStartedProperty = "SLACKLINE::STARTED";
inline constexpr std::string_view kFlopsProperty = "SLACKLINE::FLOPS_PER_SECOND";

/// Attributes on a call's ENTER: each gives one field of trace/trace.h's Call for which OTF2 has no
/// record, or whose record would give another value. On a user region's: where it stands.
enum class Attribute : std::uint8_t {
  flags,
  bytes,
  peer,
  tag,
  comm,
  request,
  args,       ///< all arguments as text, comma between them
  arg_count,  ///< few arguments: their number, and arg0 ...
  order,      ///< number of calls of the rank before it, where several threads call
  position,   ///< number of region events of the rank before it, likewise
  arg0,
  arg_end = arg0 + 8
};
inline constexpr std::size_t kNumberedArguments = 8;
inline constexpr std::string_view kAttributePrefix = "slackline.";
inline constexpr std::array<std::string_view, 18> kAttributeNames{
    "flags",    "bytes", "peer", "tag",  "comm", "request", "args", "arg_count", "order",
    "position", "arg0",  "arg1", "arg2", "arg3", "arg4",    "arg5", "arg6",      "arg7"};

/// Archives whose creator begins so have sizes of collectives counted as Score-P does.
inline constexpr std::string_view kScoreP = "Score-P";

/// Bytes of a collective as its record has them: what this rank hands over and gets.
struct CollectiveBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  bool operator==(const CollectiveBytes&) const = default;
};

/// Where a rank stands in a collective.
struct CollectivePlace {
  std::uint64_t size = 1;  ///< ranks in the communicator
  std::uint64_t rank = 0;  ///< own, among them
  bool is_root = false;
};

/// Score-P's counts of a call with `bytes` (as trace/wire.h defines them for `operation`). Where
/// blocks differ from rank to rank (the v forms), `total` is the sum of `args`.
CollectiveBytes recorded_bytes(Operation operation, std::uint64_t bytes, std::uint64_t args_total,
                               CollectivePlace place);

/// The inverse: Call::bytes from a record.
std::uint64_t call_bytes(Operation operation, CollectiveBytes recorded, CollectivePlace place);

/// The same of an archive whose recorder counts what the call was given, and gives: the bytes of
/// its buffers, as OTF2 describes the record. `size`: ranks in the communicator.
std::uint64_t call_bytes_of_buffers(Operation operation, CollectiveBytes recorded,
                                    std::uint64_t size);

/// Whether the first request that a call completes is the one that it names (Call::request), and
/// not the first of its list.
constexpr bool names_one_request(Operation operation) {
  return operation == Operation::wait || operation == Operation::waitany ||
         operation == Operation::test || operation == Operation::testany;
}

}  // namespace slackline::otf2
