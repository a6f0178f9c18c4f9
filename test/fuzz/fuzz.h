#pragma once

#include <cstddef>
#include <cstdint>

namespace slackline::fuzz {

/// Inputs that the reader let through. A corpus without any shows that its format has moved on, and
/// a target that starts from it finds nothing but the refusal.
inline int accepted = 0;

}  // namespace slackline::fuzz

/// One input. Whatever it is, a reader either gives a trace or throws Error; anything else ends the
/// process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
