// What Python's line tables say.
//
// Each version has tables of its own, all run-length encoded from the first instruction on: 3.9 has
// pairs of a number of bytes and what is then added to the line; 3.10 the same for the bytes that
// follow, where -128 stands for no line; from 3.11 on there is an entry of variable length for up
// to eight instructions, of which the columns are passed over.

#include "formats/raw/python_code.h"

#include <algorithm>
#include <string_view>

#include "trace/wire.h"

namespace slackline::raw {

namespace {

constexpr std::uint32_t kPython310 = 0x030a0000;
constexpr std::uint32_t kPython311 = 0x030b0000;
constexpr std::uint32_t kInstructionBytes = 2;

/// `line` and what is added to it; 0 where that is no line.
std::uint32_t moved(std::int64_t line) {
  return line > 0 && line <= INT32_MAX ? static_cast<std::uint32_t>(line) : 0;
}

std::uint32_t line_before_310(std::uint32_t first_line, std::span<const std::uint8_t> table,
                              std::uint32_t offset) {
  std::int64_t line = first_line;
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    begin += table[i];
    if (begin > offset) break;
    line += static_cast<std::int8_t>(table[i + 1]);
  }
  return moved(line);
}

std::uint32_t line_of_310(std::uint32_t first_line, std::span<const std::uint8_t> table,
                          std::uint32_t offset) {
  constexpr std::int8_t kNoLine = -128;
  std::int64_t line = first_line;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const auto more = static_cast<std::int8_t>(table[i + 1]);
    end += table[i];
    if (more != kNoLine) line += more;
    if (end > offset) return more == kNoLine ? 0 : moved(line);
  }
  return 0;
}

/// The entries of a table of 3.11 or later.
class LocationTable {
 public:
  explicit LocationTable(std::span<const std::uint8_t> table) : left_(table) {}

  std::uint32_t line(std::uint32_t first_line, std::uint32_t offset) {
    std::int64_t line = first_line;
    std::uint64_t end = 0;
    while (!left_.empty()) {
      const std::uint8_t head = byte();
      const unsigned kind = head >> 3 & 15;
      end += ((head & 7u) + 1) * std::uint64_t{kInstructionBytes};
      line += lines_of(kind);
      if (end > offset) return kind == kNone ? 0 : moved(line);
    }
    return 0;
  }

 private:
  static constexpr unsigned kOneLine = 10;
  static constexpr unsigned kNoColumns = 13;
  static constexpr unsigned kLong = 14;
  static constexpr unsigned kNone = 15;

  /// What an entry of this kind adds to the line; passes over its columns.
  std::int64_t lines_of(unsigned kind) {
    std::int64_t more = 0;
    switch (kind) {
      case kNone:
        break;
      case kLong:
        more = signed_number();
        for (int i = 0; i < 3; ++i) number();
        break;
      case kNoColumns:
        more = signed_number();
        break;
      default:
        more = kind < kOneLine ? 0 : kind - kOneLine;
        byte();
        if (kind >= kOneLine) byte();
    }
    return more;
  }

  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  /// Six bits a byte, the lowest first; the seventh says that more follow.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 36; shift += 6) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 63u} << shift;
      if ((next & 64u) == 0) break;
    }
    return value;
  }
  std::int64_t signed_number() {
    const std::uint64_t value = number();
    const auto size = static_cast<std::int64_t>(value >> 1);
    return (value & 1) != 0 ? -size : size;
  }

  std::span<const std::uint8_t> left_;
};

}  // namespace

std::uint32_t python_line(std::uint32_t version, std::uint32_t first_line,
                          std::span<const std::uint8_t> table, std::uint32_t offset) {
  if (version < kPython310) return line_before_310(first_line, table, offset);
  if (version < kPython311) return line_of_310(first_line, table, offset);
  return LocationTable(table).line(first_line, offset);
}

bool PythonCode::add(const Record& record) {
  if (record.head.op == SLK_REC_PYTHON_CODE) return add_code(record);
  version_ = static_cast<std::uint32_t>(record.head.tag);
  has_frames_ = record.head.bytes == SLK_PYTHON_FRAMES;
  return true;
}

bool PythonCode::add_code(const Record& record) {
  if (record.args.size() < SLK_CODE_TEXT_AT) return false;
  const auto word = [&](std::size_t i) { return static_cast<std::uint64_t>(record.args[i]); };
  const auto text = std::as_bytes(record.args.subspan(SLK_CODE_TEXT_AT));
  const std::uint64_t room = text.size();
  if (word(1) > room || word(2) > room || word(3) > room || word(1) + word(2) + word(3) > room) {
    return false;
  }
  const std::string_view all(reinterpret_cast<const char*>(text.data()), text.size());
  const std::size_t lines = word(1) + word(2);
  const auto* const table = reinterpret_cast<const std::uint8_t*>(text.data()) + lines;
  codes_[record.head.request] = {
      std::string(all.substr(0, word(1))),
      std::string(all.substr(word(1), word(2))),
      static_cast<std::uint32_t>(std::min<std::uint64_t>(word(0), INT32_MAX)),
      {table, word(3)}};
  return true;
}

std::optional<CodeLocation> PythonCode::at(std::uint64_t place) const {
  const std::uint64_t id = (place & ~SLK_PATH_PYTHON) >> SLK_PATH_CODE_SHIFT;
  const auto found = codes_.find(static_cast<std::uint32_t>(id));
  if (found == codes_.end()) return std::nullopt;
  const Code& code = found->second;
  const std::uint32_t line =
      python_line(version_, code.first_line, code.lines, static_cast<std::uint32_t>(place));
  return CodeLocation{code.function, code.file, line, code.file, false};
}

}  // namespace slackline::raw
