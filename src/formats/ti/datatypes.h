#pragma once

#include <cstdint>

namespace slackline::ti {

/// Bytes of one element of the datatype that SimGrid numbers so; 0 for null and unknown ones.
/// Source: SimGrid's src/smpi/mpi/smpi_datatype.cpp, on a 64-bit Linux.
std::uint32_t datatype_bytes(std::int64_t id);

inline constexpr std::int64_t kDouble = 0;
inline constexpr std::int64_t kByte = 6;

}  // namespace slackline::ti
