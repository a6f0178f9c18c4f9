#ifndef SLACKLINE_RUNTIME_RECORD_UNWIND_TABLES_H
#define SLACKLINE_RUNTIME_RECORD_UNWIND_TABLES_H

#include <cstddef>
#include <cstdint>

#include "loaded_modules.h"
#include "machine.h"

namespace slackline::record {

// What .eh_frame says of one place in the code, by the DWARF standard (call frame information,
// expressions) and the machine's psABI.

/// Reads memory of one segment of a module and nothing outside it; after a failure everything is 0.
class TableReader {
 public:
  /// From `at` to `end`, or to the end of the segment that holds `at`.
  TableReader(const LoadedModule& module, std::uint64_t at, std::uint64_t end)
      : at_(at), end_(module.readable_end(at)) {
    if (end < end_) end_ = end;
  }

  template <class T>
  T fixed() {
    T value{};
    if (!take(sizeof value)) return value;
    __builtin_memcpy(&value, reinterpret_cast<const void*>(at_ - sizeof value), sizeof value);
    return value;
  }
  std::uint64_t uleb();
  std::int64_t sleb();
  /// By one of the pointer encodings of .eh_frame. `data` is what "datarel" counts from.
  std::uint64_t encoded(std::uint8_t encoding, std::uint64_t data);
  void skip(std::uint64_t bytes) { take(bytes); }

  std::uint64_t at() const { return at_; }
  std::uint64_t end() const { return end_; }
  bool at_end() const { return failed_ || at_ >= end_; }
  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  /// The part from here on that is `bytes` long.
  TableReader part(std::uint64_t bytes);

 private:
  TableReader() = default;
  bool take(std::uint64_t bytes) {
    if (failed_ || at_ > end_ || bytes > end_ - at_) {
      failed_ = true;
      return false;
    }
    at_ += bytes;
    return true;
  }

  std::uint64_t at_ = 0;
  std::uint64_t end_ = 0;
  bool failed_ = false;
};

enum class RuleKind : std::uint8_t {
  same,
  undefined,
  offset,            ///< saved at the canonical frame address + offset
  value_offset,      ///< is the canonical frame address + offset
  in_register,       ///< is in another register
  expression,        ///< saved at the address that an expression gives
  value_expression,  ///< is what an expression gives
};

struct Rule {
  RuleKind kind = RuleKind::same;
  std::uint32_t expression_bytes = 0;
  std::int64_t number = 0;  ///< offset, register, or where the expression begins
};

/// How to find the frame of the caller.
struct FrameRules {
  Rule frame_address;  ///< value_offset from register `base`, or value_expression
  unsigned base = kStackPointer;
  Rule registers[kRegisters];
  bool signal_frame = false;
};

/// The rules for the instruction at `pc` of `module`; false where there are none, or none that make
/// sense.
bool find_rules(const LoadedModule& module, std::uint64_t pc, FrameRules& rules);

}  // namespace slackline::record

#endif
