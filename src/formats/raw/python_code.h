#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "formats/raw/raw_file.h"
#include "trace/call_tree.h"

namespace slackline::raw {

/// The line of a function of Python that its instruction `offset` bytes from the first one belongs
/// to, by its line table; 0 if it has none. `version` is PY_VERSION_HEX, of 3.9 or later. Linear in
/// the table.
std::uint32_t python_line(std::uint32_t version, std::uint32_t first_line,
                          std::span<const std::uint8_t> table, std::uint32_t offset);

/// The Python code objects of one file of a recording.
class PythonCode {
 public:
  /// Takes SLK_REC_PYTHON or SLK_REC_PYTHON_CODE. False if it is damaged.
  bool add(const Record& record);
  /// What a path has at SLK_PATH_PYTHON; none if the file has no such code.
  std::optional<CodeLocation> at(std::uint64_t place) const;
  /// Whether the recorder knew where this Python keeps its frames.
  bool has_frames() const { return has_frames_; }
  /// PY_VERSION_HEX, 0 unknown.
  std::uint32_t version() const { return version_; }

 private:
  struct Code {
    std::string function;
    std::string file;
    std::uint32_t first_line = 0;
    std::span<const std::uint8_t> lines;
  };
  bool add_code(const Record& record);

  std::uint32_t version_ = 0;
  bool has_frames_ = false;
  std::map<std::uint32_t, Code> codes_;
};

}  // namespace slackline::raw
