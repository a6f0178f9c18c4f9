#pragma once

#include <cstdint>

#include "formats/raw/raw_file.h"

namespace slackline::raw {

/// What the call of that record sends, or gives to a collective; 0 for one that does neither.
std::uint64_t sent_bytes(const Record& record);

}  // namespace slackline::raw
