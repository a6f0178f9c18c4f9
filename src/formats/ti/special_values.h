#pragma once

#include <cstdint>

namespace slackline::ti {

/// Numbers that SMPI writes in place of a rank or tag (its smpi.h). Older versions wrote the second
/// one for MPI_ANY_SOURCE.
inline constexpr std::int64_t kAnySource = -555;
inline constexpr std::int64_t kFormerAnySource = -333;
inline constexpr std::int64_t kNoRank = -666;  ///< MPI_PROC_NULL
inline constexpr std::int64_t kAnyTag = -444;

}  // namespace slackline::ti
