#pragma once

#include <cstdint>
#include <string_view>

namespace slackline {

/// How many bytes of content a compressed input of `stored` bytes may have: 64 times as many, or
/// what SLACKLINE_MAX_EXPANSION says, and always 64 MiB. This bounds what a small file can make a
/// reader do. Throws usage Error for a variable that is no positive number.
std::uint64_t most_content(std::uint64_t stored);

/// Throws Error, in which `name` is the input, if `content` is more than that.
void check_expansion(std::uint64_t content, std::uint64_t stored, std::string_view name);

}  // namespace slackline
