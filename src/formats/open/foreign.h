#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace slackline {

/// What an input seems to be that no reader is for.
struct ForeignInput {
  std::string name;    ///< "a report of Nsight Systems"
  std::string advice;  ///< what to give instead, as a sentence
};

/// By the name and the first bytes of a file, or by what a folder holds. Nothing if it is like none
/// of the formats that are known without being read.
std::optional<ForeignInput> foreign_file(const std::filesystem::path& path,
                                         std::span<const std::byte> bytes);
std::optional<ForeignInput> foreign_folder(const std::filesystem::path& folder);

}  // namespace slackline
