#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
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

}  // namespace slackline
