#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/operation.h"

namespace slackline::paraver {

// Event types and values of MPI in .prv files, as Extrae writes and Dimemas reads them.

inline constexpr std::int64_t kPointToPoint = 50000001;
inline constexpr std::int64_t kCollective = 50000002;
inline constexpr std::int64_t kOther = 50000003;
inline constexpr std::int64_t kOneSided = 50000004;
inline constexpr std::int64_t kIo = 50000005;
inline constexpr std::int64_t kSendSize = 50100001;
inline constexpr std::int64_t kReceiveSize = 50100002;
inline constexpr std::int64_t kRootFlag = 50100003;  ///< 1 on the root, on other ranks left out
inline constexpr std::int64_t kCommunicator = 50100004;
inline constexpr std::int64_t kApplication = 40000001;
inline constexpr std::int64_t kUserFunction = 60000019;
inline constexpr std::int64_t kInstructions = 42000050;
inline constexpr std::int64_t kCycles = 42000059;

// Slackline's own types, beside those above: what predictions of a collective depend on and Extrae
// has no event for. Readers that do not know them leave them out.
inline constexpr std::int64_t kElementSize = 97000001;
inline constexpr std::int64_t kContribution = 97000002;  ///< one for each of Call::args, in order
inline constexpr std::int64_t kBytes = 97000003;         ///< where the sizes do not give them
inline constexpr std::int64_t kMpiLibrary = 97000004;    ///< its one value's name, in the .pcf only

inline constexpr bool is_mpi(std::int64_t type) {
  return type >= kPointToPoint && type <= kIo;
}

struct MpiValue {
  std::int64_t type;
  std::int64_t value;
  Operation operation;
};

/// Every operation that has a value. All types share one numbering.
std::span<const MpiValue> mpi_values();

/// The operation of an event's value; none for calls that a Trace has no operation for (such as
/// MPI_Comm_rank).
Operation operation_of_value(std::int64_t value);

}  // namespace slackline::paraver
