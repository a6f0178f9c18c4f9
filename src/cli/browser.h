#pragma once

#include <optional>
#include <string>
#include <vector>

namespace slackline {

/// What tells which browser to use.
struct BrowserEnvironment {
  std::string browser;       ///< $BROWSER: commands joined by colons, "%s" stands for the page
  bool has_display = false;  ///< something that a window can be opened on
};
BrowserEnvironment browser_environment();

/// Commands to try, in order, each with its arguments: those of $BROWSER, then xdg-open where there
/// is a display.
std::vector<std::vector<std::string>> browser_commands(const BrowserEnvironment& environment,
                                                       const std::string& page);

/// `page`: a file or an address. Starts the first of them that can be started, and does not wait
/// for it. Gives its name; nothing if there is none.
std::optional<std::string> open_in_browser(const std::string& page);

}  // namespace slackline
