#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/raw/raw_file.h"
#include "parallel/process_group.h"

namespace slackline::raw {

// Records as words, for other processes.

/// Appends their number, then the records.
void append_records(std::span<const Record> records, std::vector<std::int64_t>& words);

/// What has been appended, as another process gets it.
std::span<const std::int64_t> words_of(const Bytes& bytes);

/// Takes off what append_records() has appended. Their arguments stay where they are; their thread
/// is not known.
std::vector<Record> take_records(std::span<const std::int64_t>& words);

}  // namespace slackline::raw
