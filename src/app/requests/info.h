#pragma once

#include <string>

#include "app/options/reading_options.h"

namespace slackline {

class OptionList;
struct OpenedTrace;
struct Report;

/// What a trace holds and whether it is complete.
struct InfoRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  ReadingOptions reading{};
};
void declare(OptionList& options, InfoRequest& request);

/// Throws Error.
Report execute(const InfoRequest& request);
/// The same of a trace that is open. O(calls).
Report info_of(const OpenedTrace& opened);

}  // namespace slackline
