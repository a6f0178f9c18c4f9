#include "formats/paraver/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text_parsing.h"
#include "formats/compressed/decompressed_file.h"
#include "formats/paraver/lines.h"
#include "formats/paraver/mpi_values.h"
#include "trace/symbol_names.h"

namespace slackline::paraver {
namespace {

namespace fs = std::filesystem;

// Cuts the number at the front of `text` off.
std::optional<std::int64_t> take_number(std::string_view& text) {
  const auto value = slackline::take_number<std::int64_t>(text);
  if (value) text = trimmed(text);
  return value;
}

Operation operation_of_label(std::string_view label) {
  for (std::size_t i = 1; i < kOperationCount; ++i) {
    if (mpi_name(static_cast<Operation>(i)) == label) return static_cast<Operation>(i);
  }
  return Operation::none;
}

// Blocks of a .pcf: "EVENT_TYPE", lines of "gradient type label", "VALUES", lines of "value label".
class PcfReader {
 public:
  explicit PcfReader(Names& names) : names_(names) {}

  void line(std::string_view text) {
    text = trimmed(text);
    if (text == "EVENT_TYPE") {
      in_types_ = true;
      in_values_ = functions_ = mpi_ = library_ = callers_ = caller_lines_ = false;
    } else if (text == "VALUES") {
      in_values_ = true;
      in_types_ = false;
    } else if (in_types_) {
      type(text);
    } else if (in_values_) {
      value(text);
    }
  }

 private:
  void type(std::string_view text) {
    if (text.empty() || !take_number(text)) return;
    const std::int64_t type = take_number(text).value_or(0);
    functions_ = functions_ || type == kUserFunction;
    mpi_ = mpi_ || is_mpi(type);
    library_ = library_ || type == kMpiLibrary;
    callers_ = callers_ || (is_caller(type) && type < kCallerLine);
    caller_lines_ = caller_lines_ || (is_caller(type) && type > kCallerLine);
    if (is_counter(type)) names_.counters.emplace(type, text.substr(0, text.find(" [")));
  }

  void value(std::string_view text) {
    const std::optional<std::int64_t> number = take_number(text);
    if (!number) {
      in_values_ = text.empty();
      return;
    }
    if (functions_ && *number != 0) names_.functions.emplace(*number, readable_symbol(text));
    if (library_) names_.mpi_library = text;
    if (callers_) caller(*number, text);
    if (caller_lines_) caller_line(*number, text);
    if (!mpi_ || operation_of_value(*number) != Operation::none) return;
    const Operation operation = operation_of_label(text);
    if (operation != Operation::none) names_.operations.emplace(*number, operation);
  }

  // "__deck_M..ead_deck [__deck_MOD_read_deck]": shortened, and in full.
  void caller(std::int64_t number, std::string_view text) {
    const std::size_t full = text.find(" [");
    if (full != std::string_view::npos && text.ends_with(']')) {
      text = text.substr(full + 2, text.size() - full - 3);
    }
    if (number == 0 || text == "Unresolved" || text == "_NOT_Found") return;
    names_.callers.emplace(number, readable_symbol(text));
  }

  // "71 (balance.F90, epoch2d)": line, file and module.
  void caller_line(std::int64_t number, std::string_view text) {
    const std::int64_t line = take_number(text).value_or(0);
    const std::size_t comma = text.find(", ");
    if (line <= 0 || line > UINT32_MAX || comma == std::string_view::npos || text.front() != '(' ||
        !text.ends_with(')')) {
      return;
    }
    CodeLocation place;
    place.file = text.substr(1, comma - 1);
    place.line = static_cast<std::uint32_t>(line);
    place.module = text.substr(comma + 2, text.size() - comma - 3);
    names_.caller_lines.emplace(number, std::move(place));
  }

  Names& names_;
  bool in_types_ = false;
  bool in_values_ = false;
  bool functions_ = false;
  bool mpi_ = false;
  bool library_ = false;
  bool callers_ = false;
  bool caller_lines_ = false;
};

template <class Visit>
void for_each_line(const fs::path& path, Visit visit) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return;
  const MappedFile file(path);
  Lines lines(file.bytes(), path.string());
  std::string_view line;
  while (lines.next(line)) visit(line);
}

void read_row(const fs::path& path, Names& names) {
  constexpr std::string_view kLevel = "LEVEL NODE SIZE ";
  std::int64_t left = 0;
  for_each_line(path, [&](std::string_view line) {
    line = trimmed(line);
    if (left > 0) {  // whatever it looks like: a host may have any name
      names.nodes.emplace_back(line);
      --left;
    } else if (line.starts_with(kLevel)) {
      line.remove_prefix(kLevel.size());
      left = take_number(line).value_or(0);
    }
  });
}

}  // namespace

Names read_names(const fs::path& prv) {
  const fs::path stem = without_compression_suffix(prv);
  Names names;
  PcfReader pcf(names);
  for_each_line(fs::path(stem).replace_extension(".pcf"), [&](std::string_view l) { pcf.line(l); });
  read_row(fs::path(stem).replace_extension(".row"), names);
  return names;
}

void Callers::add(std::int64_t type, std::int64_t value) {
  const bool is_line = type > kCallerLine;
  const auto level = static_cast<std::size_t>(type - (is_line ? kCallerLine : kCaller));
  if (levels_.size() < level) levels_.resize(level);
  (is_line ? levels_[level - 1].line : levels_[level - 1].function) = value;
}

FrameId Callers::frame(const Names& names, CallTree& tree) const {
  FrameId frame = 0;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    const auto function = names.callers.find(level->function);
    if (function == names.callers.end()) continue;
    CodeLocation location;
    const auto line = names.caller_lines.find(level->line);
    if (line != names.caller_lines.end()) location = line->second;
    location.function = function->second;
    frame = tree.child(frame, location);
  }
  return frame;
}

namespace {

// From here on Extrae numbers native processor events; no other tool uses these numbers.
constexpr std::int64_t kFirstNative = 42001000;

}  // namespace

std::optional<std::size_t> CounterTypes::number(std::int64_t type) {
  const auto found = std::ranges::find(types_, type);
  const auto number = static_cast<std::size_t>(found - types_.begin());
  if (found != types_.end()) return number;
  if (number == kMostCounters) return std::nullopt;
  types_.push_back(type);
  return number;
}

std::string CounterTypes::name(std::size_t number, const Names& names) const {
  const std::int64_t type = types_[number];
  const auto named = names.counters.find(type);
  if (named != names.counters.end()) return named->second;
  if (type == kInstructions) return "PAPI_TOT_INS";
  if (type == kCycles) return "PAPI_TOT_CYC";
  return fmt::format("counter_{}", type);
}

std::int64_t counter_type(std::string_view name, std::size_t number) {
  if (name == "PAPI_TOT_INS") return kInstructions;
  if (name == "PAPI_TOT_CYC") return kCycles;
  return kFirstNative + static_cast<std::int64_t>(number);
}

}  // namespace slackline::paraver
