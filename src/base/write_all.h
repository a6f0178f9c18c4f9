#pragma once

#include <string_view>

namespace slackline {

/// All of `text` to the file descriptor `fd`. Returns the errno of a failure, or 0.
int write_all(int fd, std::string_view text) noexcept;

}  // namespace slackline
