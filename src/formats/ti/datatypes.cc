#include "formats/ti/datatypes.h"

#include <array>

namespace slackline::ti {
namespace {

// By number: C types, fixed-width integers, complex and address types, pairs, Fortran's, C++'s,
// bounds (no size), packed, pointer and count.
constexpr std::array<std::uint8_t, 60> kBytes{
    8,  4,  1,  2,  8,  4,  1,  8,  1, 1, 2, 4,  8, 8, 16, 4, 1,  // double .. bool
    1,  2,  4,  8,  1,  2,  4,  8,                                // int8 .. uint64
    8,  16, 32, 8,  8,                                            // complex, aint, offset
    8,  16, 16, 8,  8,  8,  16, 16,                               // pairs
    4,  4,  8,  16, 8,  16, 16, 4,  2, 4, 8, 16,                  // Fortran
    32, 1,  8,  16, 32, 0,  0,  1,  8, 8};                        // pair, C++, bounds, others

}  // namespace

std::uint32_t datatype_bytes(std::int64_t id) {
  if (id < 0 || id >= static_cast<std::int64_t>(kBytes.size())) return 0;
  return kBytes[static_cast<std::size_t>(id)];
}

}  // namespace slackline::ti
