#pragma once

#include <filesystem>
#include <memory>

#include "base/file.h"
#include "parallel/process_group.h"

namespace slackline {

/// A recording as its ranks have left it, as a native trace: all processes read some ranks each and
/// write them into one file beside the recording's own, which they then have without a name. Throws
/// Error in all where it cannot be read, or there is no room. Memory: the calls of the process's
/// ranks.
std::unique_ptr<const MappedFile> merge_recording(const std::filesystem::path& folder,
                                                  ProcessGroup& group);

}  // namespace slackline
