#pragma once

#include <cstddef>
#include <cstdint>

/// One input. Whatever it is, a reader either gives a trace or throws Error; anything else ends the
/// process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
