#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/options/reading_options.h"
#include "formats/open/open.h"

namespace slackline {

class OptionList;

/// A trace as text, a line per operation.
struct PrintRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  ReadingOptions reading{};
  std::optional<std::int32_t> rank{};  ///< this rank only
};
void declare(OptionList& options, PrintRequest& request);

/// The trace to print. Throws Error, also when it does not have the rank.
OpenedTrace load(const PrintRequest& request);
/// Hands the text of `opened` to `write` in pieces.
void print(const OpenedTrace& opened, const PrintRequest& request,
           const std::function<void(std::string_view)>& write);

}  // namespace slackline
