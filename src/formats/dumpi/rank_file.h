#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/dumpi/functions.h"

namespace slackline::dumpi {

/// What one rank's file says beside its calls.
struct FileFacts {
  std::string host;
  std::string started;  ///< ISO 8601, empty if not known
  std::unordered_map<std::int64_t, std::uint64_t> type_bytes;
  std::unordered_map<std::uint64_t, std::string> functions;  ///< of the program, by address
  /// How many calls of each function the configuration left out; those without are not listed.
  std::vector<std::pair<const Function*, std::uint64_t>> left_out;
  /// False: the file ends before its last sections, which only a run to its end writes.
  bool complete = false;
};

/// How reading a rank's calls ended.
struct StreamEnd {
  bool complete = false;      ///< the end of the calls was reached
  std::uint64_t damaged = 0;  ///< records in between that could not be read
};

using RecordVisitor = std::function<void(const Record&)>;

bool is_binary(std::span<const std::byte> bytes);
/// Throws Error, naming `name`, for files of a version with other records.
FileFacts binary_facts(std::span<const std::byte> bytes, const std::string& name);
/// Calls `visit` with each call in the order of the file. The Record is good until it returns.
StreamEnd read_binary(std::span<const std::byte> bytes, const RecordVisitor& visit);

bool is_text(std::string_view text);
FileFacts text_facts(std::string_view text);
StreamEnd read_text_form(std::string_view text, const RecordVisitor& visit);

}  // namespace slackline::dumpi
