#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "formats/otf2/job.h"
#include "formats/otf2/location_reader.h"

namespace slackline::otf2 {

/// Reads all events of one rank's locations, each into an element of the result, in their order. A
/// reader of the library's own is opened for it, so that ranks can be read at the same time.
std::vector<LocationCalls> read_rank_events(const std::filesystem::path& anchor, const Job& job,
                                            const Trace& trace, std::int32_t rank);

}  // namespace slackline::otf2
