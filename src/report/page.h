#pragma once

#include <string_view>

namespace slackline {

/// The page that web/ builds, with three marks where a report's parts belong: @SLACKLINE_TITLE@,
/// @SLACKLINE_TEXT@ and @SLACKLINE_REPORT@, each exactly once. The build makes its definition.
std::string_view embedded_page();

}  // namespace slackline
