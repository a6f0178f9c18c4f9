#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/training_run.h"

namespace slackline {

/// Is it a profile of PyTorch's Kineto, plain or compressed by gzip or zstd? By the beginning of
/// its text, whatever its name.
bool looks_like_kineto(std::span<const std::byte> bytes);

/// The profiles that an input consists of: the file itself, or those of a folder in order of name.
/// Empty if there are none.
std::vector<std::filesystem::path> kineto_files(const std::filesystem::path& path);

/// Reads one profile per rank, on all threads. Events are read one by one: memory is that of what
/// a TrainingRun keeps. Damaged events, truncated files, missing and repeated ranks are Findings.
/// Throws Error if a file cannot be opened.
TrainingRun read_kineto(const std::vector<std::filesystem::path>& files);

/// The same of a single profile in memory; `name` is for Findings.
TrainingRun read_kineto(std::span<const std::byte> bytes, std::string_view name);

/// The ranks that the names of one run's profiles tell apart, or an empty list if they tell none:
/// the number after a word such as "rank" ("rank-3.Jun_07.4711.pt.trace.json"), else a number that
/// counts the files where the names are otherwise alike ("trace_3.json"). Dates, process ids, and
/// what is equal in all names are no ranks. All are different. O(n log n) for n names.
std::vector<std::int32_t> ranks_in_names(std::span<const std::string> names);

/// Whether `a` comes before `b`, numbers in them by their values: "x9.json" before "x10.json".
bool natural_less(std::string_view a, std::string_view b);

}  // namespace slackline
